import FundCore

/// The order of a list that is read in pages, by SQL terms that are unique together.
struct Keyset {
    private let terms: [String]
    private let isDescending: Bool

    init(_ terms: String..., isDescending: Bool = false) { (self.terms, self.isDescending) = (terms, isDescending) }

    /// Terms of ORDER BY.
    var order: String { terms.map { "\($0) \(isDescending ? "DESC" : "ASC")" }.joined(separator: ", ") }

    /// Condition on the rows behind the one whose values the placeholders have.
    func isBehind(_ placeholders: String) -> String {
        "(\(terms.joined(separator: ", "))) \(isDescending ? "<" : ">") (\(placeholders))"
    }
}

extension ListCursor {
    /// The first text as a value of the column from which it came. Throws `invalid`.
    func value(isText: Bool) throws -> any SQLValue {
        if isText { return texts[0] }
        guard let number = Int64(texts[0]) else { throw StoreError(.invalid, "list", "there is no such cursor") }
        return number
    }
}
