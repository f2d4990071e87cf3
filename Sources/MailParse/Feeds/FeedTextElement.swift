import FundCore

/// An element with a text that may be plain, HTML in characters, or markup (RFC 4287 §3.1; Atom 0.3 §3.1).
struct FeedTextElement {
    private let element: FeedElement

    init(_ element: FeedElement) { self.element = element }

    private enum Form { case plain, html, markup }

    private var form: Form {
        let type = (element.attributes["type"] ?? "").lowercased().trimmed
        let mode = element.attributes["mode"]?.lowercased()
        if type == "xhtml" || type == "application/xhtml+xml" || mode == "xml", !element.children.isEmpty {
            return .markup
        }
        if type == "text" || type == "text/plain" || type == "plain" {
            return element.children.isEmpty ? .plain : .markup
        }
        if !element.children.isEmpty { return .markup }
        return .html
    }

    /// The characters; those of base64 are decoded.
    private var characters: String {
        let text = element.text
        let isCoded = element.attributes["mode"]?.lowercased() == "base64" || isBinaryType
        guard isCoded, let bytes = Base64.bytes(text.filter { !$0.isWhitespace }) else { return text }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Types other than text travel as base64 (RFC 4287 §4.1.3.3).
    private var isBinaryType: Bool {
        guard let type = element.attributes["type"]?.lowercased(), type.contains("/") else { return false }
        return type.hasPrefix("application/octet-stream")
    }

    /// The visible text on one line; nil for none.
    var line: String? {
        let line =
            switch form {
            case .plain: FeedText.line(characters)
            case .html: FeedText.visibleLine(characters)
            case .markup: FeedText.visibleLine(element.markup)
            }
        return line.isEmpty ? nil : line
    }

    /// The content as HTML with whole addresses; empty for none.
    var html: String {
        let html =
            switch form {
            case .plain: FeedText.escaped(characters)
            case .html: characters
            case .markup: element.markup
            }
        return FeedMarkup.resolved(html.trimmed, at: element.base)
    }
}

/// The body of an item.
enum FeedBody {
    /// Elements with the whole text, then those with a summary.
    private static let names = [
        "content:encoded", "content", "xhtml:body", "body", "fullitem", "description", "summary", "abstract",
        "dc:description", "itunes:summary", "media:description",
    ]

    /// HTML of the first of the elements that has any.
    static func html(of item: FeedElement) -> String {
        for name in names {
            for element in item.children(name) {
                let html = FeedTextElement(element).html
                if html.hasVisibleScalar { return html }
            }
        }
        if let description = item.child("media:group")?.child("media:description") {
            return FeedTextElement(description).html
        }
        return ""
    }
}
