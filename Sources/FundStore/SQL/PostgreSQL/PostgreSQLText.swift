/// A text of SQL as PostgreSQL spells it, made of one with the terms of `SQL`, which are SQLite's. Everything else, and
/// what stands between quotes and in comments, stays as it is.
///
/// Texts compare and sort by their bytes, as SQLite's do, where their column has `COLLATE "C"`: a database of any
/// locale will do. PostgreSQL takes no hints for its planner: its statistics decide.
struct PostgreSQLText {
    private let tokens: [SQLToken]
    private var index = 0
    private var written: [String] = []

    static func spelled(_ sql: String) -> String { spelled(SQLToken.tokens(of: sql).numberingPlaceholders) }

    static func spelled(_ tokens: [SQLToken]) -> String {
        var text = PostgreSQLText(tokens: tokens)
        while text.index < tokens.count { text.writeNext() }
        return text.written.joined()
    }

    private init(tokens: [SQLToken]) { self.tokens = tokens }

    private mutating func writeNext() {
        let token = tokens[index]
        switch token.word {
        case "integer": return write("bigint", upTo: index + 1)
        case "is": return writeComparison()
        // A key word of PostgreSQL.
        case "user": return write("\"user\"", upTo: index + 1)
        case "cross" where word(1) == "join": return write("JOIN", upTo: place(1) + 1)
        case "not" where word(1) == "indexed": return write("", upTo: place(1) + 1)
        case "indexed" where word(1) == "by": return write("", upTo: place(2) + 1)
        case "from" where !isPartOfComparison, "join": if writeUnnamedQuery() { return }
        case "": break
        default: if writeCall(of: token.word) { return }
        }
        write(token.text, upTo: index + 1)
    }

    private mutating func write(_ text: String, upTo end: Int) {
        written.append(text)
        index = end
    }

    /// The place of the `count`th piece behind this one that is no white space.
    private func place(_ count: Int) -> Int {
        var place = index
        for _ in 0..<count { place = tokens.next(from: place + 1) ?? tokens.count - 1 }
        return place
    }

    private func word(_ count: Int) -> String { tokens[place(count)].word }

    // MARK: Comparisons

    /// Words behind IS and IS NOT for which PostgreSQL has them, too.
    private static let states: Set<String> = ["distinct", "false", "null", "true", "unknown"]

    /// Writes IS [NOT], which SQLite has for any two values (https://www.sqlite.org/lang_expr.html#booleanexpr).
    private mutating func writeComparison() {
        let isNegated = word(1) == "not"
        guard !Self.states.contains(word(isNegated ? 2 : 1)) else { return write(tokens[index].text, upTo: index + 1) }
        write(isNegated ? "IS DISTINCT FROM" : "IS NOT DISTINCT FROM", upTo: isNegated ? place(1) + 1 : index + 1)
    }

    // MARK: Queries within others

    /// Words that can follow a query within another one where it has no name.
    private static let followers: Set<String> = [
        "cross", "group", "having", "inner", "join", "left", "limit", "on", "order", "returning", "union", "where",
    ]

    /// Whether this piece belongs to IS [NOT] DISTINCT FROM.
    private var isPartOfComparison: Bool {
        tokens[..<index].last { $0.kind != .space }?.word == "distinct"
    }

    /// Writes a query in brackets, which needs a name after FROM and JOIN. Returns false for anything else.
    private mutating func writeUnnamedQuery() -> Bool {
        let open = place(1)
        guard tokens[open].isSign("("), ["select", "with", "values"].contains(word(2)),
            let end = tokens.closing(open)
        else { return false }
        if let next = tokens.next(from: end + 1), tokens[next].kind == .quoted { return false }
        if let word = tokens.next(from: end + 1).map({ tokens[$0].word }), !word.isEmpty,
            !Self.followers.contains(word)
        {
            return false
        }
        let query = Self.spelled(Array(tokens[(open + 1)..<end]))
        write("\(tokens[index..<open].sql)(\(query)) AS unnamed_\(index)", upTo: end + 1)
        return true
    }

    // MARK: Functions

    /// Writes a call of a function that PostgreSQL has under another name or in another form. Returns false for others.
    private mutating func writeCall(of function: String) -> Bool {
        guard index + 1 < tokens.count, tokens[index + 1].isSign("("), let end = tokens.closing(index + 1) else {
            return false
        }
        let arguments = tokens[(index + 2)..<end].parts
        guard let call = Self.call(function, arguments) else { return false }
        write(call, upTo: end + 1)
        return true
    }

    private static func call(_ function: String, _ arguments: [[SQLToken]]) -> String? {
        let spelled = arguments.map { Self.spelled($0) }
        switch (function, spelled.count) {
        case ("ifnull", 2): return "coalesce(\(spelled[0]), \(spelled[1]))"
        case ("max", 2), ("min", 2): return both(function, spelled[0], spelled[1])
        case ("length", 1): return bytesArgument(arguments[0]).map { "octet_length(\($0))" }
        case ("group_concat", 2): return "string_agg(CAST(\(spelled[0]) AS text), \(spelled[1]))"
        case ("char", 1): return "chr(\(spelled[0]))"
        case ("instr", 2): return "strpos(\(spelled[0]), \(spelled[1]))"
        // With the locale of the database other letters than A to Z would change, too.
        case ("lower", 1): return "lower(\(spelled[0]) COLLATE \"C\")"
        case ("json_each", 1): return "unnest(\(spelled[0])) AS listed (value)"
        default: return nil
        }
    }

    /// The greater or smaller of two values. PostgreSQL's own functions take no notice of NULL.
    private static func both(_ function: String, _ first: String, _ second: String) -> String {
        let (takesFirst, takesSecond) = function == "max" ? (">=", "<") : ("<=", ">")
        return "CASE WHEN \(first) \(takesFirst) \(second) THEN \(first) "
            + "WHEN \(first) \(takesSecond) \(second) THEN \(second) END"
    }

    /// The text of `CAST(text AS BLOB)`; nil for anything else.
    private static func bytesArgument(_ tokens: [SQLToken]) -> String? {
        guard tokens.first?.word == "cast", let end = tokens.closing(1), end == tokens.count - 1 else { return nil }
        let inner = tokens[2..<end].trimmed
        guard inner.last?.word == "blob", let keyword = inner.lastIndex(where: { $0.word == "as" }) else { return nil }
        return spelled(inner[..<keyword].trimmed)
    }
}
