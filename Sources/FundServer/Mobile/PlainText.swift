/// The words of an HTML body, for clients that show text only.
enum PlainText {
    /// Line breaks where blocks begin and end; no markup, no script, no style; the common character references decoded. It is a
    /// reading aid, not a renderer, and takes time that grows with the text only.
    static func ofHTML(_ html: String) -> String {
        var text = ""
        var rest = String(decoding: html.utf8.prefix(maxBytes), as: UTF8.self)[...]
        while let open = rest.firstIndex(of: "<") {
            append(rest[..<open], to: &text)
            rest = rest[open...]
            if rest.hasPrefix("<!--") {
                rest = after("-->", in: rest)
                continue
            }
            guard let close = rest.firstIndex(of: ">") else {
                rest = rest[rest.endIndex...]
                break
            }
            let name = rest[rest.index(after: open)..<close].drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }
                .lowercased()
            let isStart = !rest.hasPrefix("</")
            rest = rest[rest.index(after: close)...]
            if isStart, hidden.contains(name) {
                rest = after(">", in: after("</\(name)", in: rest))
            } else if blocks.contains(name), !text.isEmpty, !text.hasSuffix("\n\n") {
                text.append("\n")
            } else if name == "td" || name == "th", let last = text.last, !last.isWhitespace {
                text.append(" ")
            }
        }
        append(rest, to: &text)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    /// More is not read on a small screen, and would hold up others.
    private static let maxBytes = 1024 * 1024
    private static let hidden: Set<String> = ["script", "style", "head", "title", "template"]
    private static let blocks: Set<String> = [
        "br", "p", "div", "tr", "li", "ul", "ol", "table", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "blockquote",
        "pre",
    ]
    private static let references: [Substring: Character] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "ndash": "–", "mdash": "—",
        "euro": "€", "copy": "©", "hellip": "…", "laquo": "«", "raquo": "»", "auml": "ä", "ouml": "ö", "uuml": "ü",
        "Auml": "Ä", "Ouml": "Ö", "Uuml": "Ü", "szlig": "ß", "eacute": "é", "egrave": "è", "agrave": "à",
    ]

    /// What follows the first `mark`, in whatever case; nothing when there is none.
    private static func after(_ mark: String, in text: Substring) -> Substring {
        let wanted = Array(mark.utf8)
        let bytes = text.utf8
        var start = bytes.startIndex
        while let candidate = bytes[start...].firstIndex(of: wanted[0]) {
            if bytes[candidate...].prefix(wanted.count).elementsEqual(wanted, by: { ($0 | 0x20) == ($1 | 0x20) }) {
                return text[bytes.index(candidate, offsetBy: wanted.count)...]
            }
            start = bytes.index(after: candidate)
        }
        return text[text.endIndex...]
    }

    /// White space collapses to one space, as browsers show it.
    private static func append(_ part: Substring, to text: inout String) {
        var rest = part
        while let character = rest.first {
            if character == "&", let (decoded, length) = reference(rest) {
                text.append(decoded)
                rest = rest.dropFirst(length)
                continue
            }
            rest.removeFirst()
            if !character.isWhitespace {
                text.append(character)
            } else if let last = text.last, !last.isWhitespace {
                text.append(" ")
            }
        }
    }

    private static func reference(_ text: Substring) -> (Character, Int)? {
        let name = text.dropFirst().prefix(10).prefix { $0 != ";" }
        guard text.dropFirst(name.count + 1).first == ";" else { return nil }
        if let character = references[name] { return (character, name.count + 2) }
        guard name.first == "#" else { return nil }
        let isHex = name.dropFirst().first?.lowercased() == "x"
        guard let value = UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10), value >= 32,
            let scalar = Unicode.Scalar(value)
        else { return nil }
        return (Character(scalar), name.count + 2)
    }
}
