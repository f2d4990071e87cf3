/// Number of messages kept for one reason.
package struct KeptCount: Sendable, Hashable {
    package var reason: Reason
    /// Filed since, or put aside.
    package var isResolved: Bool
    package var count: Int

    package init(reason: Reason, isResolved: Bool, count: Int) {
        self.reason = reason
        self.isResolved = isResolved
        self.count = count
    }
}
