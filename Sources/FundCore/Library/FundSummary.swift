/// A fund with how much is in it and what is new, for an overview.
package struct FundSummary: Sendable, Hashable {
    package var fund: FundEntry
    /// Number of files that are not deleted, those in folders included.
    package var fileCount: Int
    package var emailCount: Int
    package var noteCount: Int
    /// Time of the latest email that is there; nil when there is none.
    package var latestEmailAt: Timestamp?
    /// Time at which its owner looked at it last (`FundLibrary.noteVisit`); nil when never.
    package var seenAt: Timestamp?
    /// Number of emails that came after `seenAt`; all when that is nil. An email that was moved into the fund is as new
    /// as it was elsewhere.
    package var newEmailCount: Int
    /// The latest email, of all funds, that its owner had seen then: those of the fund with greater ids are new. Nil
    /// when it never was looked at.
    package var lastSeenEmail: EmailSummary.ID?
    /// Number of files made after `seenAt` that did not come by mail.
    package var newFileCount: Int

    package init(
        fund: FundEntry, fileCount: Int, emailCount: Int, noteCount: Int, latestEmailAt: Timestamp?,
        seenAt: Timestamp?, newEmailCount: Int, newFileCount: Int
    ) {
        self.fund = fund
        self.fileCount = fileCount
        self.emailCount = emailCount
        self.noteCount = noteCount
        self.latestEmailAt = latestEmailAt
        self.seenAt = seenAt
        self.newEmailCount = newEmailCount
        self.newFileCount = newFileCount
    }
}
