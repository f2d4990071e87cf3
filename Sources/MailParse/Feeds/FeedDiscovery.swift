import FundCore

/// Finds the feeds that a web page names (https://www.rssboard.org/rss-autodiscovery).
enum FeedDiscovery {
    private static let types: Set = [
        "application/rss+xml", "application/atom+xml", "application/feed+json", "application/json",
        "application/rdf+xml", "text/xml", "application/xml",
    ]
    /// Feeds of a page; more is a list of links.
    private static let maxFeeds = 50
    /// Links of a page that are read: many may name the same feed, or none.
    private static let maxLinks = 1000

    /// Nil for what is no web page.
    static func feeds(in text: [UInt8], base: String?) -> [FoundFeed]? {
        var (tokens, base) = (FeedTokenizer(text), base)
        var (found, isPage, linkCount): ([FoundFeed], Bool, Int) = ([], false, 0)
        while let token = tokens.next() {
            guard case .start(let name, let attributes, _) = token else { continue }
            switch name {
            case "html", "head", "body", "title", "meta": isPage = true
            case "base":
                linkCount += 1
                if let reference = attributes["href"], linkCount <= maxLinks {
                    let whole = base.map { NewsAddress.resolved(reference, at: $0) } ?? reference
                    if let whole, whole.utf8.count <= NewsAddress.maxBytes { base = whole }
                }
            case "link", "a":
                guard linkCount < maxLinks, let link = Link(attributes) else { continue }
                linkCount += 1
                guard let feed = feed(link, base), !found.contains(where: { $0.address == feed.address }) else {
                    continue
                }
                found.append(feed)
                if found.count == maxFeeds { return found }
            default: break
            }
        }
        return isPage || !found.isEmpty ? found : nil
    }

    /// The place and the title of a link to a feed.
    private struct Link {
        var reference: String
        var title: String?

        /// Nil for a link to something else.
        init?(_ attributes: [String: String]) {
            guard let reference = attributes["href"], let type = attributes["type"]?.lowercased() else { return nil }
            let relations = attributes["rel"]?.lowercased().split(whereSeparator: \.isWhitespace) ?? []
            guard relations.contains("alternate") || relations.contains("feed"),
                types.contains(String(type.prefix { $0 != ";" }).trimmed)
            else { return nil }
            (self.reference, title) = (reference, attributes["title"])
        }
    }

    private static func feed(_ link: Link, _ base: String?) -> FoundFeed? {
        let whole = base.flatMap { NewsAddress.resolved(link.reference, at: $0) } ?? link.reference
        guard let address = NewsAddress(whole) else { return nil }
        return FoundFeed(address: address, title: FeedText.line(link.title ?? ""))
    }
}
