/// By what is asked where a kept message belongs.
package struct EvidenceQuestion: Sendable, Hashable {
    /// The first `From` address.
    package var sender: String?
    /// Message-IDs that it answers or refers to, without angle brackets.
    package var references: [String]
    /// The user whose mail it is, when that is known.
    package var user: User.ID?

    package init(sender: String?, user: User.ID?, references: [String]) {
        self.sender = sender
        self.user = user
        self.references = references
    }
}

/// Evidence about the fund of a kept message: only mail that is not deleted, in funds that are not archived.
package struct Evidence: Sendable, Hashable {
    /// Number of mails from this sender in each fund.
    package var mailsBySender: [Fund.ID: Int] = [:]
    /// Funds that hold a mail to which this one refers.
    package var threads: Set<Fund.ID> = []
    /// Number of addresses in the sender's domain of each user.
    package var addressesInDomain: [User.ID: Int] = [:]
    /// Time of the latest mail in each of the funds of those users and of the above.
    package var lastMail: [Fund.ID: Timestamp] = [:]

    package init() {}
}
