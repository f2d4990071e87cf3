import FundCore

/// A user's question, in the words of the index.
struct SearchExpression {
    /// Nil when there is no word in the text.
    let prefixed: WordExpression?
    /// The question with its last word as it stands, where that is too long for the index of prefixes. It is preferred
    /// when it finds anything: collecting all words that begin with a common one takes 40 ms among 200,000 emails.
    private(set) var whole: WordExpression?

    /// All words must occur, the last one at the beginning of a word, in documents of the user.
    init(_ text: String, of user: User.ID, fund: Fund.ID?, kind: ItemKind? = nil) {
        let words = SearchWords(question: text).ordered
        guard let last = words.last else {
            prefixed = nil
            return
        }
        let owner = SearchDocument.owner(user)
        var terms: [WordExpression.Term] = []
        if let fund { terms.append(WordExpression.Term(word: owner + SearchDocument.fund(fund))) }
        if let kind { terms.append(WordExpression.Term(word: owner + SearchDocument.kind(kind))) }
        for (index, word) in words.enumerated() {
            let isPrefix = word.isSingle || (index == words.count - 1 && !word.isPair)
            terms.append(WordExpression.Term(word: owner + word.text, isPrefix: isPrefix))
        }
        prefixed = WordExpression(terms: terms)
        if !last.isPair, last.text.unicodeScalars.count > WordIndex.maxIndexedPrefix {
            terms[terms.count - 1].isPrefix = false
            whole = WordExpression(terms: terms)
        }
    }
}

/// A document that matches, by its number in the index.
struct SearchCandidate {
    var number: Int64
    /// Nil when an item was indexed anew since, under a later number.
    var item: LibraryItemID?

    /// The `count` documents nearest to a number that match: those before it, latest first, or those after it, oldest
    /// first.
    static func matching(
        _ expression: WordExpression, _ side: Side = .before, _ number: Int64, count: Int, _ db: Database
    ) throws -> [SearchCandidate] {
        try WordIndex.documents(with: expression, isBefore: side == .before, number, count: count, db) { row in
            SearchCandidate(number: row[0], item: row[1] as Int? == nil ? nil : try row.item(1))
        }
    }

    enum Side {
        case before, after
    }

    /// The number of an item's present document; nil when it has none yet.
    static func number(of item: LibraryItemID, _ db: Database) throws -> Int64? {
        try db.value(
            "SELECT id FROM search_item WHERE kind = ? AND item_id = ?", item.arguments)
    }
}
