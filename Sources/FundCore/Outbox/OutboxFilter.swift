/// The letters that a list holds; the latest first.
package struct OutboxFilter: Sendable, Hashable {
    /// The states that it admits; empty for any state.
    package var states: Set<OutboxLetter.State> = []
    /// The address of the recipient; nil for any recipient.
    package var recipient: String?

    package init(states: Set<OutboxLetter.State> = [], recipient: String? = nil) {
        (self.states, self.recipient) = (states, recipient)
    }
}
