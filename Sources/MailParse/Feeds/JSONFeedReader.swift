import FundCore

/// Reads JSON Feed (https://www.jsonfeed.org/version/1.1/).
enum JSONFeedReader {
    /// Nil for JSON that is no feed.
    static func feed(in text: [UInt8], base: String?) -> ParsedFeed? {
        guard let value = FeedJSON.parse(text), case .array(let items)? = value["items"] else { return nil }
        let kept = items.prefix(NewsLimits.maxDocumentItems)
        var feed = ParsedFeed(
            title: FeedText.line(value["title"]?.text ?? ""),
            siteAddress: address(value["home_page_url"]?.text, base), items: kept.map { item($0, base) })
        FeedKeys.setKeys(of: &feed.items, guids: kept.map { $0["id"]?.text.map(FeedText.line) })
        return feed
    }

    private static func item(_ value: FeedJSON, _ base: String?) -> ParsedFeedItem {
        let authors = (value["authors"]?.elements ?? []) + [value["author"]].compactMap { $0 }
        let names = authors.prefix(XMLFeedReader.maxParts).compactMap { $0["name"]?.text }.map(FeedText.line).filter {
            !$0.isEmpty
        }
        let link = address(value["url"]?.text ?? value["external_url"]?.text, base)
        let html = value["content_html"]?.text
        let text = value["content_text"]?.text ?? value["summary"]?.text ?? ""
        let date = value["date_published"]?.text ?? value["date_modified"]?.text
        return ParsedFeedItem(
            title: FeedText.line(value["title"]?.text ?? ""), link: link,
            author: names.isEmpty ? nil : names.joined(separator: ", "), publishedAt: date.flatMap(FeedDate.time),
            html: FeedMarkup.resolved(
                html ?? FeedText.escaped(text).split(separator: "\n").joined(separator: "<br>\n"), at: link ?? base),
            enclosures: (value["attachments"]?.elements ?? []).prefix(XMLFeedReader.maxParts)
                .compactMap { enclosure($0, base) }.prefix(NewsLimits.maxEnclosures).map { $0 })
    }

    private static func enclosure(_ value: FeedJSON, _ base: String?) -> NewsEnclosure? {
        guard let address = address(value["url"]?.text, base) else { return nil }
        let type = value["mime_type"]?.text?.lowercased()
        return NewsEnclosure(
            address: address, contentType: type.flatMap(FeedText.contentType),
            size: value["size_in_bytes"]?.text.flatMap { Int64($0) })
    }

    private static func address(_ text: String?, _ base: String?) -> String? {
        guard let text, text.hasVisibleScalar else { return nil }
        let whole = base.flatMap { NewsAddress.resolved(text, at: $0) } ?? text
        guard let target = LinkTarget(whole), target.scheme == .http || target.scheme == .https else { return nil }
        return target.address
    }
}
