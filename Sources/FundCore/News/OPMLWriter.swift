/// Writes a list of feeds as programs exchange it (OPML 2.0, http://opml.org/spec2.opml).
package enum OPMLWriter {
    package static func text(of feeds: [NewsSubscription], titled title: String) -> String {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <opml version="2.0">
            <head><title>\(escaped(title))</title></head>
            <body>

            """
        let folders = Dictionary(grouping: feeds, by: \.folder).sorted { $0.key < $1.key }
        for (folder, feeds) in folders {
            if !folder.isEmpty { text += "<outline text=\"\(escaped(folder))\">\n" }
            for feed in feeds { text += outline(of: feed) }
            if !folder.isEmpty { text += "</outline>\n" }
        }
        return text + "</body>\n</opml>\n"
    }

    private static func outline(of feed: NewsSubscription) -> String {
        let site = feed.feed.siteAddress.map { " htmlUrl=\"\(escaped($0))\"" } ?? ""
        let title = escaped(feed.title)
        return """
            <outline type="rss" text="\(title)" title="\(title)" xmlUrl="\(escaped(feed.feed.address))"\(site)/>

            """
    }

    /// Characters of an attribute: without those that XML 1.0 §2.2 does not allow.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\t", "\n", "\r": result += " "
            default:
                let isAllowed = scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
                if isAllowed { result.unicodeScalars.append(scalar) }
            }
        }
        return result
    }
}
