/// The letters by their state.
package struct OutboxCounts: Sendable, Hashable {
    /// Numbers by state: all letters that wait or need a look, and the others of the last thirty days. A state without
    /// a letter is missing.
    package var letters: [OutboxLetter.State: Int] = [:]
    /// Time at which the oldest of those that wait was queued; nil for none.
    package var oldestWaiting: Timestamp?

    /// Recipients to whom a letter of a person came back, and those where it is late, within the last thirty days.
    package var returned = 0
    package var delayed = 0

    package init() {}

    /// Number of letters that wait for the relay.
    package var waiting: Int { letters.filter { $0.key.waits }.values.reduce(0, +) }
    /// Number of letters that a person has to look at.
    package var troubled: Int { (letters[.failed] ?? 0) + (letters[.uncertain] ?? 0) }
}
