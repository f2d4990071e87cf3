package import FundCore

/// Messages that are on a server and neither filed nor kept here.
package struct WaitingMail: Sendable, Hashable {
    package var count: Int
    /// When the oldest of them came to the server, seconds since 1970; nil when none waits or the server does not say.
    package var oldestAt: Timestamp?

    package init(count: Int, oldestAt: Timestamp? = nil) {
        self.count = count
        self.oldestAt = oldestAt
    }
}
