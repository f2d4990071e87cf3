/// The emails that a list is about. All conditions must hold.
package struct EmailQuery: Sendable, Hashable {
    /// Nil looks into all funds of the user.
    package var fund: Fund.ID?
    /// Words that must occur in subject, sender, body or file names.
    package var text: String?
    /// Part of the sender's address, without regard to case.
    package var sender: String?
    /// `since <= receivedAt < until`.
    package var since: Timestamp?
    package var until: Timestamp?
    package var favouritesOnly = false
    /// True for emails in funds that are favourites alone.
    package var isInFavouriteFunds = false
    package var deletedOnly = false
    /// By `receivedAt`. With `text` the order is that of the search (`invalid`).
    package var isOldestFirst = false
    /// 1 to 500.
    package var limit = 100
    /// `ListPage.next` of the page before.
    package var cursor: String?

    package init() {}
}
