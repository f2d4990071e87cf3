/// Bounds of what a request may take. None of them is off, so that nothing hangs when a line or a store is dead.
package struct RequestPatience: Sendable, Hashable {
    /// A name, a route, and TLS.
    package var connect = Duration.seconds(5)
    /// Time in which no byte goes either way; whole seconds.
    package var stall = Duration.seconds(15)
    /// All attempts, with the pauses between them.
    package var whole = Duration.seconds(120)
    /// Attempts, the first included.
    package var attempts = 5
    /// Time after a failure of the line or the store in which further requests fail at once: people do not wait for
    /// each other's time-outs.
    package var rest = Duration.zero

    package init() {}

    /// For work that no person waits for.
    package static let background = RequestPatience()

    /// For what a person waits for.
    package static let interactive: RequestPatience = {
        var patience = RequestPatience()
        (patience.connect, patience.stall, patience.whole) = (.seconds(2), .seconds(3), .seconds(5))
        (patience.attempts, patience.rest) = (2, .seconds(5))
        return patience
    }()
}
