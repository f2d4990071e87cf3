/// The facts about what came into a person's funds since the digest before, as far as it is there. All texts may be
/// hostile.
package struct NewsFacts: Sendable, Hashable {
    /// A mail that was filed.
    package struct Mail: Sendable, Hashable {
        package var id: EmailSummary.ID
        package var subject: String?
        /// Number of its files that are there.
        package var fileCount: Int

        package init(id: EmailSummary.ID, subject: String?, fileCount: Int) {
            (self.id, self.subject, self.fileCount) = (id, subject, fileCount)
        }
    }

    /// A file that another than its owner put there.
    package struct File: Sendable, Hashable {
        package var id: FileEntry.ID
        package var name: String
        /// In bytes.
        package var size: Int64

        package init(id: FileEntry.ID, name: String, size: Int64) {
            (self.id, self.name, self.size) = (id, name, size)
        }
    }

    /// The mails and files that came into one fund.
    package struct Fund: Sendable, Hashable {
        package var id: FundCore.Fund.ID
        package var name: String
        /// The first mails, the oldest first; `maxItems` at most.
        package var mails: [Mail]
        package var mailCount: Int
        /// The first files, the oldest first; `maxItems` at most.
        package var files: [File]
        package var fileCount: Int

        package init(
            id: FundCore.Fund.ID, name: String, mails: [Mail], mailCount: Int, files: [File], fileCount: Int
        ) {
            (self.id, self.name) = (id, name)
            (self.mails, self.mailCount, self.files, self.fileCount) = (mails, mailCount, files, fileCount)
        }
    }

    /// Funds that a letter names.
    package static let maxFunds = 10
    /// Mails, and files, of one fund that a letter names.
    package static let maxItems = 10

    package var recipient: NotificationRecipient
    /// The first funds with something new, by their names.
    package var funds: [Fund]
    /// Number of funds with something new.
    package var fundCount: Int
    /// Number of mails in all funds.
    package var mailCount: Int
    /// Number of files in all funds.
    package var fileCount: Int

    package init(recipient: NotificationRecipient, funds: [Fund], fundCount: Int, mailCount: Int, fileCount: Int) {
        self.recipient = recipient
        self.funds = funds
        (self.fundCount, self.mailCount, self.fileCount) = (fundCount, mailCount, fileCount)
    }
}
