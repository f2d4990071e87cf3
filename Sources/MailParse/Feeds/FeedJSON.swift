import FundCore

/// A value of a JSON document (RFC 8259) of the web, read leniently: a lone surrogate or an unknown escape costs one
/// character, where `JSONDecoder` would give up the document.
enum FeedJSON {
    case object([String: FeedJSON])
    case array([FeedJSON])
    case text(String)
    case number(Double)
    case flag(Bool)
    case null

    subscript(_ key: String) -> FeedJSON? { if case .object(let fields) = self { fields[key] } else { nil } }

    var text: String? {
        switch self {
        case .text(let text): text
        case .number(let number): number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : "\(number)"
        default: nil
        }
    }

    var elements: [FeedJSON] { if case .array(let elements) = self { elements } else { [] } }

    /// Nil for bytes that are no JSON, or that nest deeper than feeds do.
    static func parse(_ bytes: [UInt8]) -> FeedJSON? {
        var parser = Parser(bytes: bytes)
        guard let value = parser.value(depth: 0) else { return nil }
        return value
    }

    private struct Parser {
        let bytes: [UInt8]
        var index = 0

        private static let maxDepth = 64

        private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

        private mutating func skipSpace() {
            while let byte, ASCII.isSpace(byte) { index += 1 }
        }

        private mutating func take(_ wanted: UInt8) -> Bool {
            skipSpace()
            guard byte == wanted else { return false }
            index += 1
            return true
        }

        private mutating func take(word: StaticString) -> Bool {
            let end = index + word.utf8CodeUnitCount
            guard end <= bytes.count, (index..<end).allSatisfy({ bytes[$0] == word.utf8Start[$0 - index] }) else {
                return false
            }
            index = end
            return true
        }

        mutating func value(depth: Int) -> FeedJSON? {
            skipSpace()
            guard depth < Self.maxDepth, let byte else { return nil }
            switch byte {
            case UInt8(ascii: "{"): return object(depth)
            case UInt8(ascii: "["): return array(depth)
            case .quote: return string().map(FeedJSON.text)
            default: break
            }
            if take(word: "true") { return .flag(true) }
            if take(word: "false") { return .flag(false) }
            if take(word: "null") { return .null }
            let start = index
            while let byte = self.byte, ASCII.isDigit(byte) || "+-.eE".utf8.contains(byte) { index += 1 }
            return Double(String(decoding: bytes[start..<index], as: UTF8.self)).map(FeedJSON.number)
        }

        private mutating func object(_ depth: Int) -> FeedJSON? {
            index += 1
            var fields: [String: FeedJSON] = [:]
            if take(UInt8(ascii: "}")) { return .object(fields) }
            repeat {
                skipSpace()
                guard byte == .quote, let key = string(), take(.colon), let value = value(depth: depth + 1) else {
                    return nil
                }
                fields[key] = value
            } while take(.comma)
            return take(UInt8(ascii: "}")) ? .object(fields) : nil
        }

        private mutating func array(_ depth: Int) -> FeedJSON? {
            index += 1
            var elements: [FeedJSON] = []
            if take(UInt8(ascii: "]")) { return .array(elements) }
            repeat {
                guard let value = value(depth: depth + 1) else { return nil }
                elements.append(value)
            } while take(.comma)
            return take(UInt8(ascii: "]")) ? .array(elements) : nil
        }

        /// A text from its quote on; its escapes are decoded, unpaired surrogates are U+FFFD.
        private mutating func string() -> String? {
            index += 1
            var units: [UInt16] = []
            var plain = index
            func flushed(_ end: Int) -> [UInt16] { Array(String(decoding: bytes[plain..<end], as: UTF8.self).utf16) }
            while let byte {
                if byte == .quote {
                    units += flushed(index)
                    index += 1
                    return String(decoding: units, as: UTF16.self)
                }
                guard byte == .backslash else {
                    index += 1
                    continue
                }
                units += flushed(index)
                index += 1
                guard let escape = self.byte else { return nil }
                index += 1
                switch escape {
                case UInt8(ascii: "n"): units.append(10)
                case UInt8(ascii: "t"): units.append(9)
                case UInt8(ascii: "r"): units.append(13)
                case UInt8(ascii: "b"), UInt8(ascii: "f"): units.append(32)
                case UInt8(ascii: "u"):
                    let digits = bytes[index...].prefix(4)
                    guard digits.count == 4, let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
                    else {
                        return nil
                    }
                    units.append(unit)
                    index += 4
                default: units.append(UInt16(escape))
                }
                plain = index
            }
            return nil
        }
    }
}
