import Ingest

/// A question in the language of FTS5. What users type reaches it only as quoted words, never as syntax.
struct SearchExpression {
    /// Nil when there is no word in the text.
    let text: String?
    /// The same with the last word as it stands, when that is too long for the index of prefixes: to be preferred when it finds
    /// anything, since collecting all words that begin with a common one takes 40 ms among 200,000 emails.
    private(set) var whole: String?
    /// The longest of the table's `prefix` lengths.
    private static let maxIndexedPrefix = 6

    /// All words must occur, the last one at the beginning of a word. Whose it is stands first: a small user's documents are
    /// few, and only they are looked up for the other words.
    init(_ text: String, of user: User.ID, fund: Fund.ID?, kind: ItemKind? = nil) {
        let words = SearchWords(question: text).ordered
        guard !words.isEmpty else {
            self.text = nil
            return
        }
        var terms = [Self.quoted(SearchDocument.owner(user))]
        if let fund { terms.append(Self.quoted(SearchDocument.fund(fund))) }
        if let kind { terms.append(Self.quoted(SearchDocument.kind(kind))) }
        for (index, word) in words.enumerated() {
            let isPrefix = word.isSingle || (index == words.count - 1 && !word.isPair)
            terms.append(Self.quoted(word.text) + (isPrefix ? "*" : ""))
        }
        self.text = terms.joined(separator: " AND ")
        if let last = words.last, !last.isPair, last.text.unicodeScalars.count > Self.maxIndexedPrefix {
            terms[terms.count - 1] = Self.quoted(last.text)
            whole = terms.joined(separator: " AND ")
        }
    }

    private static func quoted(_ word: String) -> String { "\"\(word.replacing("\"", with: "\"\""))\"" }
}
