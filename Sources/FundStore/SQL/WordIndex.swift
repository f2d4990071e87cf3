import FundCore

/// The index of words of the search, as the engine has it. Its documents have the numbers of the rows of `search_item`.
enum WordIndex {
    /// Longest prefix that every engine has an index of, without the owner's two characters.
    static let maxIndexedPrefix = FTSWordIndex.maxIndexedPrefix

    /// - Parameter words: the words of a document, separated by spaces.
    static func add(_ words: String, as number: ID<some Any>, _ db: Database) throws {
        switch db {
        case .sqlite(let db): try FTSWordIndex.add(words, as: number, db)
        case .postgreSQL(let db): try VectorWordIndex.add(words, as: number, db)
        }
    }

    /// The `count` documents nearest to a number in which an expression is true: those before it, latest first, or
    /// those after it, oldest first. Each is a row of its number and of the kind and number of its item, which are NULL
    /// when the item was indexed anew since.
    static func documents<Value>(
        with expression: WordExpression, isBefore: Bool, _ number: Int64, count: Int, _ db: Database,
        as make: (Row) throws -> Value
    ) throws -> [Value] {
        switch db {
        case .sqlite(let db):
            try FTSWordIndex.documents(with: expression, isBefore: isBefore, number, count: count, db) {
                try make(.sqlite($0))
            }
        case .postgreSQL(let db):
            try VectorWordIndex.documents(with: expression, isBefore: isBefore, number, count: count, db) {
                try make(.postgreSQL($0))
            }
        }
    }
}
