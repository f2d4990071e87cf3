/// By what is asked where a kept message belongs.
package struct EvidenceQuestion: Sendable, Hashable {
    /// The first `From` address.
    package var sender: String?
    /// Message-IDs that it answers or refers to, without angle brackets.
    package var references: [String]
    /// Whose mail it is, when that is known.
    package var user: User.ID?

    package init(sender: String?, user: User.ID?, references: [String]) {
        self.sender = sender
        self.user = user
        self.references = references
    }
}

/// Only what is not deleted, in funds that are not archived.
package struct Evidence: Sendable, Hashable {
    /// How many mails from this sender each fund holds.
    package var mailsBySender: [Fund.ID: Int] = [:]
    /// Funds that hold a mail to which this one refers.
    package var threads: Set<Fund.ID> = []
    /// How many addresses in the sender's domain each user has.
    package var addressesInDomain: [User.ID: Int] = [:]
    /// When mail last came into each of the funds of those users and of the above.
    package var lastMail: [Fund.ID: Timestamp] = [:]

    package init() {}
}
