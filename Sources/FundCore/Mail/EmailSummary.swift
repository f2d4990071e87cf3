/// An email in a list.
package struct EmailSummary: Sendable, Hashable {
    package typealias ID = FundCore.ID<EmailSummary>
    package var id: ID
    package var fund: Fund.ID
    package var subject: String?
    /// The address of its sender.
    package var from: String?
    /// Name of the person whose address that is; nil where the email is another's, and for people without a name.
    package var fromName: String?
    /// `Date` as the sender wrote it; may be missing or wrong.
    package var sentAt: Timestamp?
    package var receivedAt: Timestamp
    /// Inline images not counted.
    package var attachmentCount: Int
    package var isFavourite: Bool
    package var deletedAt: Timestamp?

    package init(
        id: ID, fund: Fund.ID, subject: String?, from: String?, sentAt: Timestamp?, receivedAt: Timestamp,
        attachmentCount: Int, isFavourite: Bool = false, deletedAt: Timestamp? = nil
    ) {
        self.id = id
        self.fund = fund
        self.subject = subject
        self.from = from
        self.sentAt = sentAt
        self.receivedAt = receivedAt
        self.attachmentCount = attachmentCount
        self.isFavourite = isFavourite
        self.deletedAt = deletedAt
    }
}
