/// A question to the index of words: documents in which all terms occur.
struct WordExpression {
    struct Term {
        var word: String
        /// Whether words that begin with it count as well.
        var isPrefix = false
    }

    var terms: [Term]
}
