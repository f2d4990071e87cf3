import FundCore

/// Text of documents that came from the web: bytes to characters, and markup to visible text.
enum FeedText {
    // MARK: Decoding

    /// The characters of a document: by its byte order mark, as UTF-8 where all of it is, by the charset that it or its
    /// server declares, else by a guess. Controls that no document may have are left out.
    static func decoded(_ document: FeedDocument) -> [UInt8] {
        let bytes = document.bytes
        let decoder = CharsetDecoder()
        let text: String
        if let wide = wideCharset(bytes) {
            text = decoder.decode(bytes, as: .iconv(wide, asciiSafe: false)).text
        } else if bytes.starts(with: byteOrderMark), String(validating: bytes.dropFirst(3), as: UTF8.self) == nil {
            // A mark in front of text of another charset.
            text = decoded(Array(bytes.dropFirst(3)), by: decoder, declared(document))
        } else if let valid = String(validating: bytes, as: UTF8.self), !bytes.contains(.escape) {
            text = valid
        } else {
            text = decoded(bytes, by: decoder, declared(document))
        }
        return text.utf8.filter { $0 >= .space && $0 != .delete || $0 == .tab || $0 == .lf || $0 == .cr }
    }

    /// Without a charset that is known, windows-1252 where the bytes are such, and a guess else.
    private static func decoded(_ bytes: [UInt8], by decoder: CharsetDecoder, _ declared: String?) -> String {
        if let declared, Charset(name: declared.utf8) != nil { return decoder.decode(bytes, charset: declared).text }
        return decoder.decode(bytes, as: decoder.guess(bytes, declared: .windows1252)).text
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Charset of a document with characters of two or four bytes, by its mark or by how its first `<` is
    /// written (XML 1.0 Appendix F).
    private static func wideCharset(_ bytes: [UInt8]) -> String? {
        let start = Array(bytes.prefix(4))
        switch start {
        case [0xFF, 0xFE, 0, 0], [0x3C, 0, 0, 0]: return "UTF-32LE"
        case [0, 0, 0xFE, 0xFF], [0, 0, 0, 0x3C]: return "UTF-32BE"
        default: break
        }
        if start.count == 4, start[0] == .lessThan, start[1] == 0, start[3] == 0 { return "UTF-16LE" }
        if start.count == 4, start[0] == 0, start[1] == .lessThan, start[2] == 0 { return "UTF-16BE" }
        if start.starts(with: [0xFF, 0xFE]) { return "UTF-16LE" }
        if start.starts(with: [0xFE, 0xFF]) { return "UTF-16BE" }
        return nil
    }

    /// The charset that the server names, else the document itself.
    private static func declared(_ document: FeedDocument) -> String? {
        if let type = document.contentType.map({ Array($0.utf8) }),
            let found = ASCII.firstIndex(of: Array("charset=".utf8), in: Array(ASCII.lowercased(type).utf8))
        {
            let name = type[(found + 8)...].filter { $0 != .quote && $0 != .apostrophe }
                .prefix { !ASCII.isSpace($0) && $0 != .semicolon && $0 != .comma }
            if Charset(name: name) != nil { return String(decoding: name, as: UTF8.self) }
        }
        let head = document.bytes.prefix(1024)
        guard let found = ASCII.firstIndex(of: Array("encoding=".utf8), in: Array(head)) else {
            return HTMLCharset.declared(in: Array(head)) == nil ? nil : metaCharset(Array(head))
        }
        let name = head[(head.startIndex + found + 9)...].drop { $0 == .quote || $0 == .apostrophe }
            .prefix { $0 != .quote && $0 != .apostrophe && $0 != .questionMark && !ASCII.isSpace($0) }
        return String(decoding: name, as: UTF8.self)
    }

    private static func metaCharset(_ head: [UInt8]) -> String? {
        guard let found = ASCII.firstIndex(of: Array("charset=".utf8), in: Array(ASCII.lowercased(head).utf8)) else {
            return nil
        }
        let name = head[(found + 8)...].drop { $0 == .quote || $0 == .apostrophe }
            .prefix { ASCII.isAlphanumeric($0) || $0 == .hyphen || $0 == .underscore }
        return String(decoding: name, as: UTF8.self)
    }

    // MARK: Character references

    /// A text with its references decoded once. What is none stays as it is, so that a bare `&` is one.
    static func withoutReferences(_ text: ArraySlice<UInt8>) -> [UInt8] {
        guard text.contains(.ampersand) else { return Array(text) }
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            if text[index] == .ampersand, let (characters, end) = reference(text, at: index) {
                result += Array(characters.utf8)
                index = end
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return result
    }

    private static func reference(_ text: ArraySlice<UInt8>, at start: Int) -> (String, end: Int)? {
        let rest = text[(start + 1)...]
        let name = rest.prefix(FeedEntities.maxNameBytes + 1).prefix { ASCII.isAlphanumeric($0) || $0 == hash }
        guard name.endIndex < text.endIndex, text[name.endIndex] == .semicolon, let first = name.first else {
            return nil
        }
        let end = name.endIndex + 1
        guard first == hash else {
            return FeedEntities.characters(String(decoding: name, as: UTF8.self)).map { ($0, end) }
        }
        let digits = name.dropFirst()
        let isHex = digits.first.map { $0 | 0x20 == UInt8(ascii: "x") } ?? false
        let number = String(decoding: isHex ? digits.dropFirst() : digits, as: UTF8.self)
        guard !number.hasPrefix("+"), let value = UInt32(number, radix: isHex ? 16 : 10) else { return nil }
        // Writers of windows-1252 number its characters as they are there.
        if (0x80...0x9F).contains(value) {
            return (CharacterReferences.decoded(Array("&#\(value);".utf8), inAttribute: false), end)
        }
        guard let scalar = Unicode.Scalar(value), scalar >= " " || ["\t", "\n", "\r"].contains(scalar) else {
            return ("", end)
        }
        return (String(scalar), end)
    }

    private static let hash = UInt8(ascii: "#")

    // MARK: Visible text

    /// Bytes of a text that are looked at for one line: titles and names are far shorter.
    private static let maxLineBytes = 16 << 10

    /// Text on one line, white space as one blank.
    static func line(_ text: String) -> String {
        text.prefix(bytes: maxLineBytes).label.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The text of a title that may be HTML, on one line.
    static func visibleLine(_ text: String) -> String {
        let bytes = Array(text.prefix(bytes: maxLineBytes).utf8)
        guard bytes.contains(.lessThan) || bytes.contains(.ampersand) else { return line(text) }
        var visible: [UInt8] = []
        var index = 0
        // No tag begins behind it: looking for its end each time would take a square of the length.
        let lastEnd = bytes.lastIndex(of: .greaterThan) ?? 0
        while index < bytes.count {
            guard bytes[index] == .lessThan, index < lastEnd, let tag = Tag(bytes, at: index) else {
                visible.append(bytes[index])
                index += 1
                continue
            }
            if tag.partsWords { visible.append(.space) }
            index = tag.end
        }
        return line(String(decoding: withoutReferences(visible[...]), as: UTF8.self))
    }

    /// A tag or a comment in a title.
    private struct Tag {
        /// Index behind it, and behind the content of an element that is not seen.
        var end: Int
        var partsWords: Bool

        /// Nil for a `<` that is only a character.
        init?(_ bytes: [UInt8], at start: Int) {
            let rest = bytes[(start + 1)...]
            guard let first = rest.first, ASCII.isLetter(first) || first == .slash || first == UInt8(ascii: "!"),
                let close = rest.firstIndex(of: .greaterThan)
            else { return nil }
            end = close + 1
            let name = ASCII.lowercased(rest.drop { $0 == .slash }.prefix(while: ASCII.isAlphanumeric))
            partsWords = ["br", "p", "div", "li", "td", "tr", "hr"].contains(name)
            guard first != .slash, name == "script" || name == "style" else { return }
            let endTag = Array("</\(name)".utf8)
            while end < bytes.count, !Self.has(endTag, bytes, at: end) { end += 1 }
        }

        /// - Parameter word: in lower case.
        private static func has(_ word: [UInt8], _ bytes: [UInt8], at start: Int) -> Bool {
            bytes[start] == word[0] && start + word.count <= bytes.count
                && zip(bytes[start...], word).allSatisfy { ASCII.lowercased($0) == $1 }
        }
    }

    /// A content type in lower case; nil for what is none.
    static func contentType(_ text: String) -> String? {
        let type = text.lowercased().prefix { $0 != ";" }.trimmed
        let names = type.split(separator: "/", omittingEmptySubsequences: false)
        let isToken: (Substring) -> Bool = { name in
            !name.isEmpty && name.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "!#$&^_.+-".utf8.contains($0) }
        }
        return names.count == 2 && names.allSatisfy(isToken) && type.utf8.count <= 255 ? type : nil
    }

    /// Text as HTML.
    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == .lessThan || $0 == .greaterThan || $0 == .ampersand || $0 == .quote })
        else { return text }
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count + 64)
        for byte in text.utf8 {
            switch byte {
            case .lessThan: result += "&lt;".utf8
            case .greaterThan: result += "&gt;".utf8
            case .ampersand: result += "&amp;".utf8
            case .quote: result += "&quot;".utf8
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
