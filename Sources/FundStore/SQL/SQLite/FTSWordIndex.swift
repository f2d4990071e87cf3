import FundCore

/// The index of words as a table of FTS5 (https://www.sqlite.org/fts5.html). Its documents have the numbers of the rows
/// of `search_item`, which remove them when they go.
enum FTSWordIndex {
    /// Longest prefix that the table has an index of, without the owner's two characters.
    static let maxIndexedPrefix = 6

    /// - Parameter words: the words of a document, separated by spaces.
    static func add(_ words: String, as number: ID<some Any>, _ db: SQLiteConnection) throws {
        try db.execute("INSERT INTO search_words (rowid, words) VALUES (?, ?)", [number, words])
    }

    /// The `count` documents nearest to a number in which an expression is true: those before it, latest first, or
    /// those after it, oldest first. Each is a row of its number and of the kind and number of its item, which are NULL
    /// when the item was indexed anew since.
    static func documents<Value>(
        with expression: WordExpression, isBefore: Bool, _ number: Int64, count: Int, _ db: SQLiteConnection,
        as make: (SQLiteRow) throws -> Value
    ) throws -> [Value] {
        try db.rows(
            """
            SELECT search_words.rowid, search_item.kind, search_item.item_id FROM search_words
                LEFT JOIN search_item ON search_item.id = search_words.rowid
            WHERE search_words MATCH ? AND search_words.rowid \(isBefore ? "<" : ">") ?
            ORDER BY search_words.rowid \(isBefore ? "DESC" : "ASC") LIMIT ?
            """, [query(expression), number, count], as: make)
    }

    /// https://www.sqlite.org/fts5.html#full_text_query_syntax: words are quoted and never read as syntax.
    private static func query(_ expression: WordExpression) -> String {
        expression.terms.map { term in
            "\"\(term.word.replacing(scalar: "\"", with: "\"\""))\"" + (term.isPrefix ? "*" : "")
        }.joined(separator: " AND ")
    }
}
