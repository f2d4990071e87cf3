/// Limits of the cache.
public struct CacheLimits: Sendable, Hashable {
    /// Limit of all contents together, in bytes. Pinned ones count, and are never removed.
    public var budget: Int64
    /// Age after the last use at which a content is removed; nil for never.
    public var expiry: Duration?
    /// Age at which an unfinished part is removed that grows no more and that no transfer waits for.
    public var partExpiry: Duration

    /// - Parameter budget: in bytes.
    public init(
        budget: Int64 = 4 << 30, expiry: Duration? = .seconds(30 * 86_400), partExpiry: Duration = .seconds(7 * 86_400)
    ) {
        (self.budget, self.expiry, self.partExpiry) = (budget, expiry, partExpiry)
    }
}
