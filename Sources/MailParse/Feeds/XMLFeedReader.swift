import FundCore

/// Reads a feed from its elements: RSS of all versions, Atom 0.3 and 1.0, and CDF.
struct XMLFeedReader {
    /// Elements of an item that are read as links, and as files: some may be none, or the same.
    static let maxParts = 3 * NewsLimits.maxEnclosures

    private let root: FeedElement
    private let channel: FeedElement

    /// - Parameter root: the element that holds the feed.
    init(_ root: FeedElement) {
        self.root = root
        channel = root.child("channel") ?? root
    }

    var feed: ParsedFeed {
        let title = channel.child("title", "dc:title", "itunes:title").map(FeedTextElement.init)?.line
        var feed = ParsedFeed(
            title: title ?? "", siteAddress: link(of: channel), minInterval: interval,
            items: items.prefix(NewsLimits.maxDocumentItems).map(item))
        FeedKeys.setKeys(of: &feed.items, guids: guids)
        return feed
    }

    // MARK: Items

    private var items: [FeedElement] {
        let own = channel.children("item") + channel.children("entry")
        return own.isEmpty || channel !== root
            ? own + (channel === root ? [] : root.children("item") + root.children("entry")) : own
    }

    /// Identity of each item as the feed gives it.
    private var guids: [String?] {
        items.prefix(NewsLimits.maxDocumentItems).map { element in
            element.child("guid", "id", "dc:identifier")?.line ?? element.attributes["rdf:about"]
        }
    }

    private func item(_ element: FeedElement) -> ParsedFeedItem {
        let title = element.child("title", "dc:title", "media:title", "itunes:title").map(FeedTextElement.init)?.line
        let body = FeedBody.html(of: element)
        return ParsedFeedItem(
            title: title ?? element.attributes["title"].map(FeedText.visibleLine) ?? "", link: link(of: element),
            author: author(of: element), publishedAt: date(of: element), html: body, enclosures: enclosures(of: element)
        )
    }

    // MARK: Parts

    private func link(of element: FeedElement) -> String? {
        let links = element.children("link")
        let alternates = links.filter { ($0.attributes["rel"] ?? "alternate").lowercased() == "alternate" }
        var candidates = alternates.sorted { !isFeedType($0) && isFeedType($1) }
            .map { (text: $0.attributes["href"] ?? $0.text, base: $0.base) }
        if let guid = element.child("guid"), guid.attributes["ispermalink"]?.lowercased() != "false" {
            candidates.append((guid.text, nil))
        }
        candidates.append((element.attributes["href"] ?? "", element.base))
        for candidate in candidates.prefix(Self.maxParts) where candidate.text.hasVisibleScalar {
            let text = candidate.text.trimmed
            let whole = candidate.base.flatMap { NewsAddress.resolved(text, at: $0) } ?? text
            guard let target = LinkTarget(whole), target.scheme == .http || target.scheme == .https else { continue }
            return target.address
        }
        return nil
    }

    /// Whether a link leads to another form of the feed.
    private func isFeedType(_ link: FeedElement) -> Bool {
        link.attributes["type"]?.lowercased().contains("html") == false
    }

    private func author(of element: FeedElement) -> String? {
        guard let found = element.child("author", "dc:creator", "itunes:author", "dc:author", "media:credit") else {
            return nil
        }
        let name =
            found.child("name", "foaf:name")?.line ?? found.child("email")?.line ?? FeedText.visibleLine(found.text)
        guard !name.isEmpty else { return nil }
        // `ann@example.com (Ann)`, as RSS 2.0 wants it.
        if let open = name.firstIndex(of: "("), name.hasSuffix(")"), name[..<open].contains("@") {
            let inside = name[name.index(after: open)...].dropLast().trimmed
            if !inside.isEmpty { return inside }
        }
        return name
    }

    private func date(of element: FeedElement) -> Timestamp? {
        let names = [
            "published", "pubdate", "issued", "dcterms:issued", "dc:date", "dcterms:created", "created", "updated",
            "modified", "dcterms:modified", "lastbuilddate",
        ]
        for name in names {
            if let time = element.child(name).flatMap({ FeedDate.time($0.text) }) { return time }
        }
        return nil
    }

    private func enclosures(of element: FeedElement) -> [NewsEnclosure] {
        let links = element.children("link").filter { $0.attributes["rel"]?.lowercased() == "enclosure" }
        let media =
            element.children("media:content") + element.children("media:group").flatMap { $0.children("media:content") }
        var found: [NewsEnclosure] = []
        for part in (element.children("enclosure") + links + media).prefix(Self.maxParts) {
            if found.count == NewsLimits.maxEnclosures { break }
            guard let text = part.attributes["url"] ?? part.attributes["href"], let target = address(text, part.base),
                !found.contains(where: { $0.address == target })
            else { continue }
            let type = part.attributes["type"]?.lowercased().trimmed
            let length = part.attributes["length"] ?? part.attributes["filesize"]
            found.append(
                NewsEnclosure(
                    address: target, contentType: type.flatMap(FeedText.contentType),
                    size: length.flatMap { Int64($0.trimmed) }.flatMap { $0 > 0 ? $0 : nil }))
        }
        return found
    }

    private func address(_ text: String, _ base: String?) -> String? {
        let whole = base.flatMap { NewsAddress.resolved(text, at: $0) } ?? text
        guard let target = LinkTarget(whole), target.scheme == .http || target.scheme == .https else { return nil }
        return target.address
    }

    // MARK: Interval

    /// The longest period that the feed asks for, up to a day.
    private var interval: Duration? {
        var seconds: [Int64] = []
        if let minutes = channel.child("ttl")?.line.flatMap({ Int64($0) }), (1...1440).contains(minutes) {
            seconds.append(minutes * 60)
        }
        if let period = channel.child("sy:updateperiod")?.line?.lowercased() {
            let lengths: [String: Int64] = ["hourly": 3600, "daily": 86_400, "weekly": 86_400, "monthly": 86_400]
            let frequency = channel.child("sy:updatefrequency")?.line.flatMap { Int64($0) } ?? 1
            if let length = lengths[period] { seconds.append(length / min(max(frequency, 1), 1000)) }
        }
        return seconds.max().map { .seconds($0) }
    }
}

/// Identity of items.
enum FeedKeys {
    /// Sets a key for each item: its guid where no other item has it, else its link where no other has that, else a
    /// digest of what it says. Equal items are one.
    static func setKeys(of items: inout [ParsedFeedItem], guids: [String?]) {
        let guidCounts = counts(guids)
        let linkCounts = counts(items.map(\.link))
        for index in items.indices {
            let guid = guids.indices.contains(index) ? guids[index] : nil
            let item = items[index]
            let text: String
            if let guid, guidCounts[guid] == 1 {
                text = "guid\n\(guid)"
            } else if let link = item.link, linkCounts[link] == 1 {
                text = "link\n\(link)"
            } else {
                text = "text\n\(item.title)\n\(item.link ?? "")\n\(item.publishedAt?.description ?? "")\n\(item.html)"
            }
            items[index].key =
                text.utf8.count <= NewsLimits.maxKeyBytes ? text : "digest\n\(ContentDigest.of(text.utf8))"
        }
        var seen: Set<String> = []
        items.removeAll { !seen.insert($0.key).inserted }
    }

    private static func counts(_ texts: [String?]) -> [String: Int] {
        texts.reduce(into: [:]) { counts, text in
            if let text { counts[text, default: 0] += 1 }
        }
    }
}
