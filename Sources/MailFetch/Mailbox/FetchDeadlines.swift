package import MailConnection

/// Limits of the time that a server takes, by the monotonic clock.
package struct FetchDeadlines: Sendable, Hashable {
    package var connection = ConnectionDeadlines()
    /// No byte at all while something is expected.
    package var stall: Duration = .seconds(60)
    /// One whole answer, without what its message bytes are allowed; a command may take five times that.
    package var response: Duration = .seconds(60)
    /// Slowest transfer that is waited for. A 14.4 kbit/s modem reaches it.
    package var minBytesPerSecond = 1500
    /// Logging out, and telling the server what was filed when the run was cancelled.
    package var farewell: Duration = .seconds(10)
    /// Before messages are asked for again that were not as announced.
    package var secondLook: Duration = .seconds(1)
    /// Unit of the pauses before a connection is opened again that brought nothing: first four, then sixteen and so
    /// on.
    package var reconnecting: Duration = .milliseconds(100)
    /// An IDLE is begun anew this often: a server may log us out after 30 minutes (RFC 2177 §3).
    package var idlePeriod: Duration = .seconds(28 * 60)
    /// A server that ends an IDLE sooner would be asked again without a pause.
    package var shortestIdle: Duration = .seconds(1)

    package init() {}

    /// Time that `bytes` may take at the slowest speed.
    func transfer(of bytes: UInt64) -> Duration {
        .seconds(Double(min(bytes, 1 << 50)) / Double(max(minBytesPerSecond, 1)))
    }
}
