internal import FundCore
internal import Synchronization

/// Counts events by key within an interval that begins with the first of them. It forgets everything when too many keys
/// come: then those who are slowed down have one interval more.
final class CountWindow<Key: Hashable & Sendable>: Sendable {
    private struct Count {
        var events = 0
        var since: ContinuousClock.Instant
    }

    private let most: Int
    private let interval: Duration
    private let counts: Mutex<BoundedTable<Key, Count>>

    /// - Parameters:
    ///   - most: events of one key within the interval.
    ///   - maxKeys: keys that are counted at a time.
    init(most: Int, within interval: Duration, maxKeys: Int) {
        (self.most, self.interval) = (most, interval)
        counts = Mutex(BoundedTable(maxEntries: maxKeys))
    }

    /// Counts an event.
    func note(_ key: Key, at now: ContinuousClock.Instant = .now) {
        counts.withLock { $0[key] = counting($0[key], at: now) }
    }

    /// Counts an event unless it is one too many. Returns whether it was counted.
    func take(_ key: Key, at now: ContinuousClock.Instant = .now) -> Bool {
        counts.withLock { counts in
            let count = counting(counts[key], at: now)
            guard count.events <= most else { return false }
            counts[key] = count
            return true
        }
    }

    /// Whether one event more is too many.
    func isFull(_ key: Key, at now: ContinuousClock.Instant = .now) -> Bool {
        counts.withLock { counting($0[key], at: now).events > most }
    }

    private func counting(_ known: Count?, at now: ContinuousClock.Instant) -> Count {
        var count = known.flatMap { now - $0.since < interval ? $0 : nil } ?? Count(since: now)
        count.events += 1
        return count
    }
}
