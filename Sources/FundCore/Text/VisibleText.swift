/// The visible text of an HTML body, for the search and for clients that show text only; an approximation.
package enum VisibleText {
    /// Bytes that are read; the rest is left out, so that a long body does not hold up other requests.
    private static let maxBytes = 1 << 20

    /// Line breaks where blocks begin and end, white space as one blank, no markup, no script, no style; the usual
    /// character references decoded. Takes time that grows with the text only.
    package static func of(html: String) -> String {
        var scanner = VisibleTextScanner(bytes: Array(html.utf8.prefix(maxBytes)))
        return String(decoding: scanner.run(), as: UTF8.self)
    }
}

private struct VisibleTextScanner {
    /// Elements of which nothing is seen. Not `head`: its end may be left out, and what else is in it has no text.
    private static let hidden: Set<String> = ["script", "style", "title", "template"]
    private static let blocks: Set<String> = [
        "br", "p", "div", "tr", "li", "ul", "ol", "table", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "blockquote",
        "pre",
    ]
    /// Tags of these elements do not separate words; all others do.
    private static let inline: Set<String> = ["b", "i", "u", "em", "strong", "span", "font", "a", "o", "sub", "sup"]

    private let bytes: [UInt8]
    private var position = 0
    private var output: [UInt8] = []

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func run() -> [UInt8] {
        output.reserveCapacity(bytes.count / 2)
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "<"): takeMarkup()
            case UInt8(ascii: "&"): takeReference()
            case let byte where ASCII.isSpace(byte):
                part()
                position += 1
            default: takeCharacter()
            }
        }
        while let last = output.last, ASCII.isSpace(last) { output.removeLast() }
        return output
    }

    private mutating func takeCharacter() {
        output.append(bytes[position])
        position += 1
    }

    /// White space collapses, as browsers show it.
    private mutating func part() {
        if let last = output.last, !ASCII.isSpace(last) { output.append(UInt8(ascii: " ")) }
    }

    private mutating func breakLine() {
        if output.last == UInt8(ascii: " ") { output.removeLast() }
        if !output.isEmpty, !output.hasSuffix("\n\n") { output.append(UInt8(ascii: "\n")) }
    }

    // MARK: Markup

    private mutating func takeMarkup() {
        if matches("<!--", at: position) { return skip(past: "-->") }
        var start = position + 1
        guard start < bytes.count, ASCII.isLetter(bytes[start]) || "/!?".utf8.contains(bytes[start]) else {
            return takeCharacter()
        }
        let isEnd = bytes[start] == UInt8(ascii: "/")
        if isEnd { start += 1 }
        let letters = bytes[start...].prefix { ASCII.isAlphanumeric($0) }
        let name = String(decoding: letters, as: UTF8.self).lowercased()
        skip(past: ">")
        if !isEnd, Self.hidden.contains(name) {
            skip(past: "</\(name)")
            skip(past: ">")
        } else if Self.blocks.contains(name) {
            breakLine()
        } else if !Self.inline.contains(name) {
            part()
        }
    }

    /// To the end when it does not come.
    private mutating func skip(past text: String) {
        while position < bytes.count, !matches(text, at: position) { position += 1 }
        position = min(position + text.utf8.count, bytes.count)
    }

    /// - Parameter text: in lower case.
    private func matches(_ text: String, at start: Int) -> Bool {
        guard start + text.utf8.count <= bytes.count else { return false }
        return zip(text.utf8, bytes[start...]).allSatisfy { $0 == ASCII.lowercased($1) }
    }

    // MARK: Character references

    /// Text that is no reference stays as it is written.
    private mutating func takeReference() {
        let name = bytes[(position + 1)...].prefix(10).prefix { $0 != UInt8(ascii: ";") }
        guard name.endIndex < bytes.count, bytes[name.endIndex] == UInt8(ascii: ";"),
            let scalar = Self.scalar(String(decoding: name, as: UTF8.self))
        else { return takeCharacter() }
        output += Array(String(scalar).utf8)
        position = name.endIndex + 1
    }

    private static func scalar(_ name: String) -> Unicode.Scalar? {
        guard name.hasPrefix("#") else { return named[name] }
        let isHex = name.hasPrefix("#x") || name.hasPrefix("#X")
        let value = UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10)
        return value.flatMap { $0 < 32 ? nil : Unicode.Scalar($0) }
    }

    /// What mail programs write (HTML 4 §24).
    private static let named: [String: Unicode.Scalar] = {
        let latin1 = """
            Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH
            Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave
            aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde
            ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
            """
        var result: [String: Unicode.Scalar] = [
            "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "ndash": "–", "mdash": "—",
            "euro": "€", "copy": "©", "hellip": "…", "laquo": "«", "raquo": "»",
        ]
        for (offset, name) in latin1.split(whereSeparator: \.isWhitespace).enumerated() {
            result[String(name)] = Unicode.Scalar(0xC0 + UInt32(offset))
        }
        return result
    }()
}

extension [UInt8] {
    fileprivate func hasSuffix(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { suffix(text.utf8CodeUnitCount).elementsEqual($0) }
    }
}
