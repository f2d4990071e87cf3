import FundCore

/// A token of style (CSS Syntax Level 3, §4), with escapes decoded. A comment is white space.
enum StyleToken: Equatable {
    case space
    case word(String)
    /// With its opening parenthesis.
    case function(String)
    case atWord(String)
    case hash(String)
    case string(String)
    /// `url(…)` without quotes; with them it is a function.
    case address(String)
    /// The number as written.
    case number(String)
    case dimension(String, unit: String)
    /// Anything else of one byte, brackets and `%` among it.
    case mark(UInt8)
    /// A string or an address that is broken.
    case bad
}

/// Takes style apart as browsers do.
struct StyleTokenizer {
    private let bytes: [UInt8]
    private var position = 0

    static func tokens(of bytes: [UInt8]) -> [StyleToken] {
        var tokenizer = StyleTokenizer(bytes: bytes)
        var tokens: [StyleToken] = []
        while let token = tokenizer.next() { tokens.append(token) }
        return tokens
    }

    /// NUL is U+FFFD (§3.3).
    private init(bytes: [UInt8]) {
        let replacement = Array("\u{FFFD}".utf8)
        self.bytes = bytes.contains(.nul) ? bytes.flatMap { $0 == .nul ? replacement : [$0] } : bytes
    }

    private func byte(_ offset: Int = 0) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    private mutating func next() -> StyleToken? {
        guard let first = byte() else { return nil }
        if Self.isSpace(first) || isComment { return takeSpace() }
        // A mark that once hid style from browsers that did not know it.
        if first == .lessThan, bytes[position...].starts(with: "<!--".utf8) { return skip(4) }
        if first == .hyphen, byte(1) == .hyphen, byte(2) == .greaterThan { return skip(3) }
        switch first {
        case .quote, .apostrophe: return takeString(first)
        case UInt8(ascii: "#"):
            guard let next = byte(1), Self.isNamePart(next) || isEscape(at: 1) else { break }
            position += 1
            return .hash(takeName())
        case .at where isWordStart(at: 1):
            position += 1
            return .atWord(takeName().lowercased())
        case _ where isNumberStart: return takeNumber()
        case _ where isWordStart(at: 0): return takeWord()
        default: break
        }
        position += 1
        return .mark(first)
    }

    private mutating func skip(_ count: Int) -> StyleToken {
        position += count
        return .space
    }

    private var isComment: Bool { byte() == .slash && byte(1) == .asterisk }

    private mutating func takeSpace() -> StyleToken {
        while let next = byte() {
            if Self.isSpace(next) {
                position += 1
            } else if isComment {
                position += 2
                while position < bytes.count, !(byte() == .asterisk && byte(1) == .slash) { position += 1 }
                position = min(position + 2, bytes.count)
            } else {
                break
            }
        }
        return .space
    }

    // MARK: Names

    private static func isSpace(_ byte: UInt8) -> Bool { MarkupTokenizer.isSpace(byte) }

    private static func isNameStart(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || byte == .underscore || byte >= 0x80 || byte == 0
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        isNameStart(byte) || ASCII.isDigit(byte) || byte == .hyphen
    }

    /// §4.3.8
    private func isEscape(at offset: Int) -> Bool {
        guard byte(offset) == .backslash, let next = byte(offset + 1) else { return false }
        return next != .lf && next != .cr && next != .ff
    }

    /// §4.3.9
    private func isWordStart(at offset: Int) -> Bool {
        guard let first = byte(offset) else { return false }
        guard first == .hyphen else { return Self.isNameStart(first) || isEscape(at: offset) }
        guard let next = byte(offset + 1) else { return false }
        return Self.isNameStart(next) || next == .hyphen || isEscape(at: offset + 1)
    }

    private mutating func takeName() -> String {
        var name: [UInt8] = []
        while let next = byte() {
            if Self.isNamePart(next) {
                name.append(next)
                position += 1
            } else if isEscape(at: 0) {
                position += 1
                name += takeEscape()
            } else {
                break
            }
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// Behind the backslash (§4.3.7).
    private mutating func takeEscape() -> [UInt8] {
        var (value, count) = (UInt32(0), 0)
        while count < 6, let digit = byte().flatMap(ASCII.hexValue) {
            value = value << 4 | UInt32(digit)
            count += 1
            position += 1
        }
        guard count > 0 else {
            defer { position += 1 }
            return [bytes[position]]
        }
        if byte() == .cr, byte(1) == .lf { position += 1 }
        if let next = byte(), Self.isSpace(next) { position += 1 }
        return Array(String(Unicode.Scalar(value).flatMap { $0 == "\0" ? nil : $0 } ?? "\u{FFFD}").utf8)
    }

    private mutating func takeWord() -> StyleToken {
        let name = takeName()
        guard byte() == .openParenthesis else { return .word(name) }
        position += 1
        guard name.lowercased() == "url" else { return .function(name.lowercased()) }
        var offset = 0
        while let next = byte(offset), Self.isSpace(next) { offset += 1 }
        if byte(offset) == .quote || byte(offset) == .apostrophe { return .function("url") }
        return takeAddress()
    }

    // MARK: Strings, addresses and numbers

    private mutating func takeString(_ quote: UInt8) -> StyleToken {
        var text: [UInt8] = []
        position += 1
        while let next = byte(), next != quote {
            if next == .lf || next == .cr || next == .ff { return .bad }
            position += 1
            guard next == .backslash else {
                text.append(next)
                continue
            }
            guard let escaped = byte() else { break }
            if escaped == .lf || escaped == .cr || escaped == .ff {
                position += escaped == .cr && byte(1) == .lf ? 2 : 1
            } else {
                text += takeEscape()
            }
        }
        position = min(position + 1, bytes.count)
        return .string(String(decoding: text, as: UTF8.self))
    }

    /// Behind `url(` (§4.3.6).
    private mutating func takeAddress() -> StyleToken {
        var text: [UInt8] = []
        var isBad = false
        while let next = byte(), next != .closeParenthesis {
            if isEscape(at: 0) {
                position += 1
                text += takeEscape()
                continue
            }
            let isInside = !text.isEmpty && text.last.map(Self.isSpace) == true && !Self.isSpace(next)
            if isInside || next == .quote || next == .apostrophe || next == .openParenthesis || next == .backslash {
                isBad = true
            }
            if !text.isEmpty || !Self.isSpace(next) { text.append(next) }
            position += 1
        }
        position = min(position + 1, bytes.count)
        return isBad ? .bad : .address(String(decoding: ASCII.trimmed(text[...]), as: UTF8.self))
    }

    /// §4.3.10
    private var isNumberStart: Bool {
        var offset = byte() == .plus || byte() == .hyphen ? 1 : 0
        if byte(offset) == .dot { offset += 1 }
        return byte(offset).map(ASCII.isDigit) ?? false
    }

    private mutating func takeNumber() -> StyleToken {
        let start = position
        if byte() == .plus || byte() == .hyphen { position += 1 }
        takeDigits()
        if byte() == .dot, byte(1).map(ASCII.isDigit) ?? false {
            position += 1
            takeDigits()
        }
        if byte().map({ $0 | 0x20 == UInt8(ascii: "e") }) ?? false {
            let isSigned = byte(1) == .plus || byte(1) == .hyphen
            if byte(isSigned ? 2 : 1).map(ASCII.isDigit) ?? false {
                position += isSigned ? 2 : 1
                takeDigits()
            }
        }
        let number = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWordStart(at: 0) { return .dimension(number, unit: takeName().lowercased()) }
        if byte() == .percent {
            position += 1
            return .dimension(number, unit: "%")
        }
        return .number(number)
    }

    private mutating func takeDigits() {
        while byte().map(ASCII.isDigit) ?? false { position += 1 }
    }
}
