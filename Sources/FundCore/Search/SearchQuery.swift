/// The words and filters of a search.
package struct SearchQuery: Sendable, Hashable {
    package var text: String
    package var fund: Fund.ID?
    /// Nil means all.
    package var kind: ItemKind?
    /// Part of a sender's address, without regard to case: emails from there, and files that came with them.
    package var sender: String?
    /// `since <= SearchHit.date < until`.
    package var since: Timestamp?
    package var until: Timestamp?
    /// 1 to 500.
    package var limit = 100
    package var cursor: String?

    package init(text: String) { self.text = text }
}
