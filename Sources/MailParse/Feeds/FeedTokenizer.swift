import FundCore

/// Takes markup apart into tags and text, from its beginning to its end. It refuses nothing: what is no markup is text.
/// A document type is skipped with all in it, so that no entity is declared or expanded.
struct FeedTokenizer {
    enum Token: Equatable {
        /// Names in lower case with their prefixes, values with references decoded.
        case start(name: String, attributes: [String: String], isEmpty: Bool)
        case end(name: String)
        case text(String)
    }

    /// Attributes of an element beyond this are left out.
    private static let maxAttributes = 64

    private let bytes: [UInt8]
    private var index = 0

    /// - Parameter text: UTF-8.
    init(_ text: [UInt8]) { bytes = text }

    /// The next token; nil at the end.
    mutating func next() -> Token? {
        while index < bytes.count {
            guard bytes[index] == .lessThan else { return text() }
            if has("<!--") {
                skip(behind: "-->", from: index + 4)
            } else if has("<![cdata[") {
                let start = index + 9
                let end = ASCII.firstIndex(of: Array("]]>".utf8), in: bytes, from: start) ?? bytes.count
                index = min(end + 3, bytes.count)
                return .text(String(decoding: bytes[start..<end], as: UTF8.self))
            } else if has("<!") {
                skipDeclaration()
            } else if has("<?") {
                skip(behind: ">", from: index + 2)
            } else if has("</"), isName(at: index + 2) {
                index += 2
                let name = self.name()
                skip(behind: ">", from: index)
                return .end(name: name)
            } else if isName(at: index + 1) {
                index += 1
                return start()
            } else {
                return text()
            }
        }
        return nil
    }

    private func has(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard index + count <= bytes.count else { return false }
        return (0..<count).allSatisfy { ASCII.lowercased(bytes[index + $0]) == word.utf8Start[$0] }
    }

    private func isName(at position: Int) -> Bool {
        guard position < bytes.count else { return false }
        return ASCII.isLetter(bytes[position]) || bytes[position] >= 0x80 || bytes[position] == .underscore
    }

    /// Whether markup goes on behind its `<`.
    private func isMarkup(at position: Int) -> Bool {
        guard position < bytes.count else { return false }
        let byte = bytes[position]
        return byte == UInt8(ascii: "!") || byte == .questionMark
            || isName(at: byte == .slash ? position + 1 : position)
    }

    private mutating func skip(behind word: String, from start: Int) {
        let word = Array(word.utf8)
        index =
            ASCII.firstIndex(of: word, in: bytes, from: min(start, bytes.count)).map { $0 + word.count }
            ?? bytes.count
    }

    /// To behind the end of `<!DOCTYPE … [ … ]>`.
    private mutating func skipDeclaration() {
        let bracket = UInt8(ascii: "[")
        while index < bytes.count, bytes[index] != .greaterThan, bytes[index] != bracket { index += 1 }
        if index < bytes.count, bytes[index] == bracket {
            skip(behind: "]", from: index)
            while index < bytes.count, bytes[index] != .greaterThan { index += 1 }
        }
        index = min(index + 1, bytes.count)
    }

    /// Text up to the next markup; the first byte is taken in any case.
    private mutating func text() -> Token {
        let start = index
        index += 1
        while index < bytes.count, bytes[index] != .lessThan || !isMarkup(at: index + 1) { index += 1 }
        return .text(String(decoding: FeedText.withoutReferences(bytes[start..<index]), as: UTF8.self))
    }

    private mutating func name() -> String {
        let start = index
        while index < bytes.count, !ASCII.isSpace(bytes[index]), bytes[index] != .greaterThan, bytes[index] != .slash,
            bytes[index] != .equals, bytes[index] != .lessThan
        { index += 1 }
        return ASCII.lowercased(bytes[start..<index])
    }

    private mutating func start() -> Token {
        let name = self.name()
        var attributes: [String: String] = [:]
        while index < bytes.count {
            while index < bytes.count, ASCII.isSpace(bytes[index]) { index += 1 }
            guard index < bytes.count else { break }
            switch bytes[index] {
            case .greaterThan:
                index += 1
                return .start(name: name, attributes: attributes, isEmpty: false)
            case .slash:
                index += 1
                if index < bytes.count, bytes[index] == .greaterThan {
                    index += 1
                    return .start(name: name, attributes: attributes, isEmpty: true)
                }
            // A tag that does not end before the next one begins.
            case .lessThan: return .start(name: name, attributes: attributes, isEmpty: false)
            default:
                let (key, value) = attribute()
                if attributes[key] == nil, attributes.count < Self.maxAttributes { attributes[key] = value }
            }
        }
        return .start(name: name, attributes: attributes, isEmpty: false)
    }

    private mutating func attribute() -> (String, String) {
        let start = index
        let key = name()
        // A byte that begins no name, such as `=`.
        if index == start { index += 1 }
        while index < bytes.count, ASCII.isSpace(bytes[index]) { index += 1 }
        guard index < bytes.count, bytes[index] == .equals else { return (key, "") }
        index += 1
        while index < bytes.count, ASCII.isSpace(bytes[index]) { index += 1 }
        guard index < bytes.count else { return (key, "") }
        let quote = bytes[index]
        let valueStart: Int
        let valueEnd: Int
        if quote == .quote || quote == .apostrophe {
            valueStart = index + 1
            valueEnd = bytes[valueStart...].firstIndex(of: quote) ?? bytes.count
            index = min(valueEnd + 1, bytes.count)
        } else {
            valueStart = index
            while index < bytes.count, !ASCII.isSpace(bytes[index]), bytes[index] != .greaterThan { index += 1 }
            valueEnd = index
        }
        let value = FeedText.withoutReferences(bytes[valueStart..<valueEnd])
        return (key, String(decoding: value, as: UTF8.self))
    }
}
