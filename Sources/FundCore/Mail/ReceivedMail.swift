/// A message that a user sent to a mailbox, and what became of it.
package struct ReceivedMail: Sendable, Hashable {
    package typealias ID = FundCore.ID<ReceivedMail>

    /// A later act about a message that was not filed at once.
    package struct Resolution: Sendable, Hashable {
        package var at: Timestamp
        /// The address of an administrator or of the sender, or `fundmail` when another copy of the message was filed.
        package var by: String

        package init(at: Timestamp, by: String) {
            self.at = at
            self.by = by
        }
    }

    package var id: ID
    package var receivedAt: Timestamp
    package var subject: String?
    /// The outcome until now: `filed`, `misrouted` while it waits, `rejected`.
    package var outcome: Outcome
    /// The reason for which it was not filed at once, or is not filed; nil when it was.
    package var reason: Reason?
    /// The tag that matched no fund, or more than one.
    package var tag: String?
    /// Names of the sender's funds that are near the tag, best first.
    package var suggestions: [String]
    /// Set when it was filed or put aside later.
    package var resolution: Resolution?
    /// True while the sender may file it: it waits for a fund alone.
    package var isForSender = false
    /// Set while it waits again because an administrator took it back out of a fund.
    package var takenBack: Resolution?
    /// The email that it became, while that is there and the sender's own.
    package var email: EmailSummary.ID?
    /// The fund in which that is.
    package var fund: Fund.ID?
    package var fundName: String?
    /// True when it was filed for the sender, in a fund that was given to another person since. Neither is named.
    package var isGivenAway = false

    package init(id: ID, receivedAt: Timestamp, subject: String?, outcome: Outcome, reason: Reason? = nil) {
        self.id = id
        self.receivedAt = receivedAt
        self.subject = subject
        self.outcome = outcome
        self.reason = reason
        suggestions = []
    }
}
