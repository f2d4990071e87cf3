import FundCore

/// Takes the text out of the XML of office documents, in one pass, without a tree: nesting and entities cost nothing.
/// What is no well-formed XML gives some text, too.
struct MarkupText {
    /// Elements by their names without prefix.
    struct Vocabulary {
        /// Text counts inside of these alone; nil for everywhere in the paragraphs.
        var textElements: Set<String>?
        /// Their end is the end of a line.
        var paragraphs: Set<String>
        /// Their end is the end of a cell.
        var cells: Set<String>
        /// Their end is the end of a page.
        var pages: Set<String>
        /// A line end or a space by themselves.
        var breaks: Set<String>
        var spaces: Set<String> = []

        /// WordprocessingML, SpreadsheetML, DrawingML (ECMA-376-1).
        static let office = Vocabulary(
            textElements: ["t"], paragraphs: ["p", "si", "is", "tr", "row"], cells: ["tc", "tbl"],
            pages: ["sld"], breaks: ["br", "cr"])
        /// OpenDocument 1.3 part 3.
        static let openDocument = Vocabulary(
            textElements: nil, paragraphs: ["p", "h", "table-row"], cells: ["table-cell"], pages: ["page"],
            breaks: ["line-break"], spaces: ["s"])
    }

    private let vocabulary: Vocabulary
    private var text: [UInt8] = []
    /// How many elements are open in which text counts.
    private var depth = 0

    init(_ vocabulary: Vocabulary) { self.vocabulary = vocabulary }

    /// The text of documents that follow each other, at most `TextOutput.maxBytes`.
    mutating func read(_ bytes: [UInt8]) -> [UInt8] {
        var position = 0
        while position < bytes.count, text.count < TextOutput.maxBytes {
            let end = bytes[position...].firstIndex(of: .lessThan) ?? bytes.count
            if depth > 0 { add(bytes[position..<end]) }
            guard end < bytes.count else { break }
            position = tag(bytes, at: end)
        }
        return text
    }

    private static let commentStart = Array("<!--".utf8)
    private static let dataStart = Array("<![CDATA[".utf8)

    /// Reads the tag at `start`, and returns where it ends.
    private mutating func tag(_ bytes: [UInt8], at start: Int) -> Int {
        let rest = bytes[start...]
        if rest.starts(with: Self.commentStart) { return Self.end(of: "-->", bytes, from: start + 4) }
        if rest.starts(with: Self.dataStart) {
            let end = Self.end(of: "]]>", bytes, from: start + Self.dataStart.count)
            if depth > 0 { text += bytes[(start + Self.dataStart.count)..<max(end - 3, start + Self.dataStart.count)] }
            return end
        }
        guard let close = rest.firstIndex(of: .greaterThan) else { return bytes.count }
        let inner = bytes[(start + 1)..<close]
        guard let first = inner.first, first != .questionMark, first != UInt8(ascii: "!") else { return close + 1 }
        let isEnd = first == .slash
        let whole = inner.dropFirst(isEnd ? 1 : 0).prefix { !ASCII.isSpace($0) && $0 != .slash }
        let local = whole.lastIndex(of: .colon).map { whole[($0 + 1)...] } ?? whole
        let isEmpty = inner.last == .slash
        element(String(decoding: local, as: UTF8.self), isEnd: isEnd, isEmpty: isEmpty)
        // With attributes it is a stop in the properties of a paragraph.
        if isEmpty, inner.dropLast().elementsEqual(whole), local.elementsEqual("tab".utf8) {
            text.append(.tab)
        }
        return close + 1
    }

    private mutating func element(_ name: String, isEnd: Bool, isEmpty: Bool) {
        let holdsText = vocabulary.textElements?.contains(name) ?? ["p", "h"].contains(name)
        if holdsText, !isEmpty { depth = max(depth + (isEnd ? -1 : 1), 0) }
        if !isEnd {
            if vocabulary.breaks.contains(name) { text.append(.lf) }
            if vocabulary.spaces.contains(name) { text.append(.space) }
        }
        guard isEnd || isEmpty else { return }
        if vocabulary.paragraphs.contains(name) { endLine() }
        if vocabulary.cells.contains(name), !isEmpty {
            if text.last == .lf { text.removeLast() }
            text.append(.tab)
        }
        if vocabulary.pages.contains(name), !isEmpty { text.append(.ff) }
    }

    /// Empty lines are left out.
    private mutating func endLine() {
        while let last = text.last, ASCII.isBlank(last) { text.removeLast() }
        if let last = text.last, last != .lf, last != .ff { text.append(.lf) }
    }

    private static func end(of mark: String, _ bytes: [UInt8], from start: Int) -> Int {
        ASCII.firstIndex(of: Array(mark.utf8), in: bytes, from: start).map { $0 + mark.utf8.count } ?? bytes.count
    }

    private static let entities: [String: UInt8] = [
        "amp": .ampersand, "lt": .lessThan, "gt": .greaterThan, "quot": .quote, "apos": .apostrophe,
    ]
    /// The longest that stands for one character: `&#x10FFFF;`.
    private static let maxEntityBytes = 10

    /// Appends text in which `&name;` and `&#number;` stand for a character (XML 1.0 §4.1); other names are left out:
    /// office documents declare none.
    private mutating func add(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while let start = rest.firstIndex(of: .ampersand) {
            text += rest[..<start]
            rest = rest[(start + 1)...]
            guard let end = rest.prefix(Self.maxEntityBytes).firstIndex(of: .semicolon) else { continue }
            let name = String(decoding: rest[..<end], as: UTF8.self)
            if let byte = Self.entities[name] {
                text.append(byte)
            } else if name.hasPrefix("#") {
                let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
                if let scalar = number.flatMap(Unicode.Scalar.init) { text += Array(String(scalar).utf8) }
            }
            rest = rest[(end + 1)...]
        }
        text += rest
    }
}
