package import FundCore

/// A failure after which a server may say when to come back.
package protocol DelayedError: OperationalError {
    /// How long the server asks to be left alone, where it says so.
    var retryAfter: Duration? { get }
}
