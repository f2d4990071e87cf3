import FundCore

/// Reads documents of the web as feeds, lists of feeds, or pages that name feeds.
enum FeedReader {
    /// The meaning of a document. Takes a time that grows with its length only, and refuses nothing.
    static func read(_ document: FeedDocument) -> FeedReading {
        let text = FeedText.decoded(document)
        let start = text.first { !ASCII.isSpace($0) }
        if start == UInt8(ascii: "{"), let feed = JSONFeedReader.feed(in: text, base: document.address) {
            return .feed(feed)
        }
        let root = FeedTree.root(of: text, base: document.address)
        if let opml = root.child("opml") { return .outlines(OPMLReader.outlines(in: opml)) }
        if let feed = feedElement(in: root) { return .feed(XMLFeedReader(feed).feed) }
        let pages = FeedDiscovery.feeds(in: text, base: document.address)
        if let pages { return .page(pages) }
        return .other
    }

    /// The element that holds a feed. It may stand within others, and without any around its channel.
    private static func feedElement(in root: FeedElement) -> FeedElement? {
        for element in root.children {
            switch element.name {
            case "rss", "rdf:rdf", "feed", "rdf": return element
            case "channel": return root
            case "redirect", "html", "xhtml:html": continue
            default: if element.child("rss", "feed", "rdf:rdf") != nil { return feedElement(in: element) }
            }
        }
        return nil
    }
}
