import FundCore

/// A piece of a text of SQL.
struct SQLToken {
    enum Kind {
        /// A keyword, a name or a number.
        case word
        /// A text or a name between quotes.
        case quoted
        /// White space, or a comment.
        case space
        /// Any other character.
        case sign
    }

    let kind: Kind
    let text: String
    /// The text in lower case, for words; empty for others.
    let word: String

    init(_ kind: Kind, _ text: String) {
        (self.kind, self.text) = (kind, text)
        word = kind == .word ? text.lowercased() : ""
    }

    func isSign(_ sign: String) -> Bool { kind == .sign && text == sign }

    /// All pieces of a text, which are the text again when they are joined.
    static func tokens(of sql: String) -> [SQLToken] {
        let bytes = Array(sql.utf8)
        var tokens: [SQLToken] = []
        var index = 0
        while index < bytes.count {
            let (kind, end) = token(bytes, from: index)
            tokens.append(SQLToken(kind, String(decoding: bytes[index..<end], as: UTF8.self)))
            index = end
        }
        return tokens
    }

    private static func token(_ bytes: [UInt8], from index: Int) -> (Kind, end: Int) {
        let byte = bytes[index]
        let rest = bytes[(index + 1)...]
        func end(where isOver: (UInt8) -> Bool) -> Int { rest.firstIndex(where: isOver) ?? bytes.count }
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            // A doubled quote begins the next quoted piece at once.
            return (.quoted, rest.firstIndex(of: byte).map { $0 + 1 } ?? bytes.count)
        case UInt8(ascii: "-") where rest.first == byte:
            return (.space, end { $0 == UInt8(ascii: "\n") })
        case _ where isSpace(byte): return (.space, end { !isSpace($0) })
        case _ where isOfWord(byte): return (.word, end { !isOfWord($0) })
        case _ where byte >= 0x80: return (.sign, end { $0 < 0x80 })
        default: return (.sign, index + 1)
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "_")
    }
}

extension Collection<SQLToken> {
    var sql: String { map(\.text).joined() }

    /// The pieces without white space at both ends.
    var trimmed: [SQLToken] {
        Array(drop { $0.kind == .space }.reversed().drop { $0.kind == .space }.reversed())
    }

    /// The parts between commas that stand in no brackets.
    var parts: [[SQLToken]] {
        var parts: [[SQLToken]] = [[]]
        var depth = 0
        for token in self {
            if token.isSign("(") { depth += 1 }
            if token.isSign(")") { depth -= 1 }
            if depth == 0, token.isSign(",") { parts.append([]) } else { parts[parts.count - 1].append(token) }
        }
        return parts.map(\.trimmed)
    }
}

extension Array<SQLToken> {
    /// The pieces with a number for each placeholder, as SQLite numbers those without
    /// (https://www.sqlite.org/lang_expr.html#varparam): a term with one can stand twice.
    var numberingPlaceholders: [SQLToken] {
        var last = 0
        var numbered = self
        for (index, token) in enumerated() where token.isSign("?") {
            if index + 1 < count, let number = Int(self[index + 1].word) {
                last = Swift.max(last, number)
            } else {
                last += 1
                numbered[index] = SQLToken(.sign, "?\(last)")
            }
        }
        return numbered
    }

    /// The place of the bracket that closes the one at `open`; nil where none does.
    func closing(_ open: Int) -> Int? {
        var depth = 0
        for index in open..<count {
            if self[index].isSign("(") { depth += 1 }
            guard self[index].isSign(")") else { continue }
            depth -= 1
            if depth == 0 { return index }
        }
        return nil
    }

    /// The place of the next piece from `index` on that is no white space; nil behind the last.
    func next(from index: Int) -> Int? { self[Swift.min(index, count)...].firstIndex { $0.kind != .space } }
}
