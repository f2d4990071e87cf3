/// Limits of a batch, which one durability barrier makes durable. A barrier costs about as much as one fsync(2),
/// however many files it covers.
package struct BatchLimits: Sendable {
    /// Messages in a batch at most. With 256 the barrier takes less than a tenth of the time, and a crash repeats at
    /// most 256 messages.
    package var maxMessages = 256
    /// Bytes staged for a batch at most: bounds the dirty pages that the barrier writes, and with them its duration.
    package var maxBytes: Int64 = 64 * 1024 * 1024
    /// Longest time that a staged message waits for the batch to fill.
    package var maxAge: Duration = .milliseconds(250)

    package init() {}
}
