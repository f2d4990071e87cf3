import FundCore

/// The index of words as vectors of PostgreSQL (https://www.postgresql.org/docs/15/datatype-textsearch.html). Words
/// begin with their owner, so that no question reads what is common among others.
enum VectorWordIndex {
    static let table = "search_words"
    /// Definition of the table and its index.
    static let script = """
        CREATE TABLE search_words (id bigint PRIMARY KEY, words tsvector NOT NULL);
        CREATE INDEX search_words_words ON search_words USING gin (words);
        """

    /// Limit of a word in bytes (https://www.postgresql.org/docs/15/textsearch-limitations.html).
    private static let maxWordBytes = 2046
    /// Limit of the words of a document in bytes: a vector has 1 MiB at most, with its own four bytes for each word.
    private static let maxBytes = 1 << 20
    private static let bytesOfEach = 4

    /// Words beyond the limits of a vector are left out.
    static func add(_ words: String, as number: ID<some Any>, _ db: PostgreSQLConnection) throws {
        var room = maxBytes
        var list: [String] = []
        for word in Set(words.split(separator: " ")).sorted() where word.utf8.count <= maxWordBytes {
            room -= word.utf8.count + bytesOfEach
            guard room > 0 else { break }
            list.append(String(word))
        }
        try db.execute(
            "INSERT INTO search_words (id, words) VALUES (?, array_to_tsvector(?))", [number, SQLList.words(list)])
    }

    /// The planner would rather walk the numbers until enough documents match, which is slow for a rare word: so the
    /// documents are collected first (https://www.postgresql.org/docs/15/queries-with.html).
    static func documents<Value>(
        with expression: WordExpression, isBefore: Bool, _ number: Int64, count: Int, _ db: PostgreSQLConnection,
        as make: (PostgreSQLRow) throws -> Value
    ) throws -> [Value] {
        try db.rows(
            """
            WITH found AS MATERIALIZED (SELECT id FROM search_words WHERE words @@ CAST(CAST(? AS text) AS tsquery))
            SELECT found.id, search_item.kind, search_item.item_id FROM found
                LEFT JOIN search_item ON search_item.id = found.id
            WHERE found.id \(isBefore ? "<" : ">") ? ORDER BY found.id \(isBefore ? "DESC" : "ASC") LIMIT ?
            """, [query(expression), number, count], as: make)
    }

    /// https://www.postgresql.org/docs/15/datatype-textsearch.html#DATATYPE-TSQUERY: words are quoted and never read as
    /// syntax.
    private static func query(_ expression: WordExpression) -> String {
        expression.terms.map { term in
            let word = term.word.replacing(scalar: "\\", with: "\\\\").replacing(scalar: "'", with: "''")
            return "'\(word)'" + (term.isPrefix ? ":*" : "")
        }.joined(separator: " & ")
    }
}
