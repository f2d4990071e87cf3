import FundCore

/// Reads lists of feeds that programs exchange (OPML).
enum OPMLReader {
    /// Feeds in the order in which they stand. The folder of a feed is the outline around it.
    static func outlines(in opml: FeedElement) -> [FeedOutline] {
        var found: [FeedOutline] = []
        for body in opml.children("body") { collect(body, "", &found) }
        return found
    }

    private static func collect(_ element: FeedElement, _ folder: String, _ found: inout [FeedOutline]) {
        for outline in element.children("outline") where found.count < NewsLimits.maxOutlines {
            let title = FeedText.line(outline.attributes["title"] ?? outline.attributes["text"] ?? "")
            if let address = outline.attributes["xmlurl"]?.trimmed, !address.isEmpty {
                found.append(FeedOutline(address: address, title: title, folder: folder))
                collect(outline, folder, &found)
            } else {
                collect(outline, title.isEmpty ? folder : title, &found)
            }
        }
    }
}
