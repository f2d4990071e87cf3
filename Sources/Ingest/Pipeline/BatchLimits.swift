package import FundCore

/// How much is made durable at once. One barrier costs about as much as one fsync, whatever it covers.
package struct BatchLimits: Sendable {
    /// Messages: with 256 the barrier is under a tenth of the work, and a crash repeats at most that many.
    package var maxMessages = 256
    /// Bytes staged: bounds the dirty pages that one barrier must write, and so how long it takes.
    package var maxBytes: Int64 = 64 * 1024 * 1024
    /// How long a message may wait for others: nobody notices a quarter of a second in a scheduled run.
    package var maxAge: Duration = .milliseconds(250)

    package init() {}
}
