internal import Synchronization

/// Values that are computed when asked for, once for all callers at the same time, and given again for a short time.
package final class FreshValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let lifetime: Duration
    private let kept: Mutex<BoundedTable<Key, (value: Value, at: ContinuousClock.Instant)>>
    private let flights = SingleFlight<Key, Value>()

    /// - Parameter lifetime: age up to which a value is given again.
    package init(lifetime: Duration, maxEntries: Int = 1) {
        self.lifetime = lifetime
        kept = Mutex(BoundedTable(maxEntries: maxEntries))
    }

    /// The value of this key, computed by `make` unless it is fresh. Throws what `make` throws.
    package func value(of key: Key, _ make: @escaping @Sendable () async throws -> Value) async throws -> Value {
        if let known = kept.withLock({ $0[key] }), ContinuousClock.now - known.at < lifetime { return known.value }
        return try await flights.run(key) { [self] in
            let value = try await make()
            kept.withLock { $0[key] = (value, .now) }
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
