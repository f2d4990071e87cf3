internal import Synchronization

/// Values that are computed when asked for, once for all callers at the same time, and given again for a short time.
package final class FreshValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let lifetime: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let kept: Mutex<BoundedTable<Key, (value: Value, at: ContinuousClock.Instant)>>
    private let flights = SingleFlight<Key, Value>()

    /// - Parameters:
    ///   - lifetime: age up to which a value is given again.
    ///   - now: the clock of ages; another only in tests.
    package init(
        lifetime: Duration, maxEntries: Int = 1, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.lifetime = lifetime
        self.now = now
        kept = Mutex(BoundedTable(maxEntries: maxEntries))
    }

    /// The value of this key, computed by `make` unless it is fresh. Throws what `make` throws.
    package func value(of key: Key, _ make: @escaping @Sendable () async throws -> Value) async throws -> Value {
        if let known = kept.withLock({ $0[key] }), now() - known.at < lifetime { return known.value }
        return try await flights.run(key) { [self] in
            let value = try await make()
            kept.withLock { $0[key] = (value, now()) }
            return value
        }
    }
}

/// The key of the only value.
package struct Unkeyed: Hashable, Sendable {
    package init() {}
}

extension FreshValues where Key == Unkeyed {
    package func value(_ make: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await value(of: Unkeyed(), make)
    }
}
