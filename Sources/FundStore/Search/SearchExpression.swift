import FundCore

/// A query in the language of FTS5 (https://www.sqlite.org/fts5.html#full_text_query_syntax). The words that users type
/// are quoted in it and never read as syntax.
struct SearchExpression {
    /// Nil when there is no word in the text.
    let text: String?
    /// The same with the last word as it stands, when that is too long for the index of prefixes: to be preferred when
    /// it finds anything, since collecting all words that begin with a common one takes 40 ms among 200,000 emails.
    private(set) var whole: String?
    /// The longest of the table's `prefix` lengths, without the owner.
    private static let maxIndexedPrefix = 6

    /// All words must occur, the last one at the beginning of a word, in documents of the user.
    init(_ text: String, of user: User.ID, fund: Fund.ID?, kind: ItemKind? = nil) {
        let words = SearchWords(question: text).ordered
        guard !words.isEmpty else {
            self.text = nil
            return
        }
        let owner = SearchDocument.owner(user)
        var terms: [String] = []
        if let fund { terms.append(Self.quoted(owner + SearchDocument.fund(fund))) }
        if let kind { terms.append(Self.quoted(owner + SearchDocument.kind(kind))) }
        for (index, word) in words.enumerated() {
            let isPrefix = word.isSingle || (index == words.count - 1 && !word.isPair)
            terms.append(Self.quoted(owner + word.text) + (isPrefix ? "*" : ""))
        }
        self.text = terms.joined(separator: " AND ")
        if let last = words.last, !last.isPair, last.text.unicodeScalars.count > Self.maxIndexedPrefix {
            terms[terms.count - 1] = Self.quoted(owner + last.text)
            whole = terms.joined(separator: " AND ")
        }
    }

    private static func quoted(_ word: String) -> String { "\"\(word.replacing(scalar: "\"", with: "\"\""))\"" }
}

/// A document that matches, by its number in the index.
struct SearchCandidate {
    var number: Int64
    /// Nil when an item was indexed anew since, under a later number.
    var item: LibraryItemID?

    /// The `count` documents nearest to a number that match an expression of FTS5: those before it, latest first, or
    /// those after it, oldest first.
    static func matching(
        _ expression: String, _ side: Side = .before, _ number: Int64, count: Int, _ db: Database
    ) throws -> [SearchCandidate] {
        try db.rows(
            """
            SELECT search_words.rowid, search_item.kind, search_item.item_id FROM search_words
                LEFT JOIN search_item ON search_item.id = search_words.rowid
            WHERE search_words MATCH ? AND search_words.rowid \(side == .before ? "<" : ">") ?
            ORDER BY search_words.rowid \(side == .before ? "DESC" : "ASC") LIMIT ?
            """, [expression, number, count]
        ) { row in
            SearchCandidate(number: row[0], item: row[1] as Int? == nil ? nil : try row.item(1))
        }
    }

    enum Side {
        case before, after
    }

    /// The number of an item's present document; nil when it has none yet.
    static func number(of item: LibraryItemID, _ db: Database) throws -> Int64? {
        try db.value(
            "SELECT id FROM search_item WHERE kind = ? AND item_id = ?", [item.kind.rawValue, item.number])
    }
}
