/// An entry of a user's own list of contacts. No other user sees it.
package struct Contact: Sendable, Hashable {
    package typealias ID = FundCore.ID<Contact>

    package var id: ID
    /// `UID` of its card (RFC 6350 §6.7.6): unique among the contacts of the user, and kept for good.
    package var uid: String
    package var card: ContactCard
    /// Number of the change of the user's list by which it became what it is.
    package var revision: Int64
    package var createdAt: Timestamp
    package var changedAt: Timestamp

    package init(
        id: ID, uid: String, card: ContactCard, revision: Int64, createdAt: Timestamp, changedAt: Timestamp
    ) {
        self.id = id
        self.uid = uid
        self.card = card
        self.revision = revision
        self.createdAt = createdAt
        self.changedAt = changedAt
    }
}
