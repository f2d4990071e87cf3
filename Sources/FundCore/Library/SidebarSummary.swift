/// The values beside every page: a user's funds with what is new in each, and what waits for them.
package struct SidebarSummary: Sendable, Hashable {
    /// One fund in the sidebar.
    package struct FundLine: Sendable, Hashable {
        package var id: Fund.ID
        package var name: String
        package var isFavourite: Bool
        /// Number of emails that the owner has not seen, `maxNewCount` at most.
        package var newCount: Int

        package init(id: Fund.ID, name: String, isFavourite: Bool, newCount: Int) {
            (self.id, self.name, self.isFavourite, self.newCount) = (id, name, isFavourite, newCount)
        }
    }

    /// The values that administrators see besides.
    package struct Office: Sendable, Hashable {
        /// Number of messages that wait at the desk, `maxWaitingCount` at most.
        package var waitingCount: Int
        /// Names of mailboxes whose last run failed, those that are no longer configured included.
        package var failingMailboxes: [String]
        /// True while a letter failed, or may not have arrived, other than those that people wrote: these stand with
        /// who wrote them.
        package var isLetterTroubled: Bool

        package init(waitingCount: Int, failingMailboxes: [String], isLetterTroubled: Bool = false) {
            (self.waitingCount, self.failingMailboxes) = (waitingCount, failingMailboxes)
            self.isLetterTroubled = isLetterTroubled
        }
    }

    /// Limit of a count of new emails: the sidebar stands on every page, where `99+` says enough.
    package static let maxNewCount = 100
    /// Limit of the count of the desk.
    package static let maxWaitingCount = 1000

    /// Favourites first, then the others, each by name.
    package var funds: [FundLine] = []
    /// True when the user has more funds than these.
    package var hasMoreFunds = false
    /// Number of new emails in all funds, `maxNewCount` at most.
    package var newCount = 0
    /// True while a message that the user sent waits to be filed.
    package var isMailWaiting = false
    /// Nil for a user who is no administrator.
    package var office: Office?

    package init() {}
}
