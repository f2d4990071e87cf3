/// How much the cache keeps, and how long.
public struct CacheLimits: Sendable, Hashable {
    /// Of all contents together, in bytes. What is pinned counts, and is never removed.
    public var budget: Int64
    /// What was not used for so long is removed; nil for never.
    public var expiry: Duration?
    /// An unfinished part that grew no more for so long, and that no transfer waits for, is removed.
    public var partExpiry: Duration

    /// - Parameter budget: in bytes.
    public init(
        budget: Int64 = 4 << 30, expiry: Duration? = .seconds(30 * 86_400), partExpiry: Duration = .seconds(7 * 86_400)
    ) {
        (self.budget, self.expiry, self.partExpiry) = (budget, expiry, partExpiry)
    }
}
