/// Retries of a call that failed: after random delays whose bound grows.
public struct RetryPolicy: Sendable, Hashable {
    /// At least 1.
    public var maxAttempts: Int
    /// Upper bound of the delay before the second attempt; doubled for each that follows.
    public var firstDelay: Duration
    /// The longest wait between two tries.
    public var maxDelay: Duration
    /// A server that asks to wait for longer is not waited for: the call fails with what it said.
    public var maxRetryAfter: Duration

    /// Creates a retry policy. The defaults suit an interactive app.
    public init(
        maxAttempts: Int = 4, firstDelay: Duration = .milliseconds(500), maxDelay: Duration = .seconds(20),
        maxRetryAfter: Duration = .seconds(60)
    ) {
        self.maxAttempts = maxAttempts
        self.firstDelay = firstDelay
        self.maxDelay = maxDelay
        self.maxRetryAfter = maxRetryAfter
    }

    /// Every call is made once.
    public static let never = RetryPolicy(maxAttempts: 1)

    /// Delay before the next attempt; nil when there is none.
    /// - Parameter attempts: that failed, from 1.
    public func delay(after attempts: Int, _ error: ClientError) -> Duration? {
        guard attempts < maxAttempts, error.isWorthRetrying else { return nil }
        if let asked = error.retryAfter, asked > maxRetryAfter { return nil }
        return Backoff(first: firstDelay, most: maxDelay).delay(after: attempts, asked: error.retryAfter)
    }
}
