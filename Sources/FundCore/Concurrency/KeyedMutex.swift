internal import Synchronization

/// Lets one task at a time work for each key, in the order in which the tasks ask. Tasks with different keys do not
/// wait for each other. It is not recursive.
package final class KeyedMutex<Key: Hashable & Sendable>: Sendable {
    /// The tasks that wait; a key for which no task works has no entry.
    private let waiting = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

    package init() {}

    /// Runs `work` as soon as no other task works for `key`.
    package func withLock<Result>(
        for key: Key, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> sending Result
    ) async rethrows -> sending Result {
        await lock(key)
        defer { unlock(key) }
        return try await work()
    }

    /// Runs `work` as soon as no other task works for any of the keys. They are locked in ascending order: of tasks
    /// that want several, none waits for another that waits for it.
    package func withLocks<Result>(
        for keys: Set<Key>, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> sending Result
    ) async rethrows -> sending Result where Key: Comparable {
        let ordered = keys.sorted()
        for key in ordered { await lock(key) }
        defer { for key in ordered.reversed() { unlock(key) } }
        return try await work()
    }

    /// How many tasks wait until they may work for `key`.
    package func waitingCount(for key: Key) -> Int { waiting.withLock { $0[key]?.count ?? 0 } }

    private func lock(_ key: Key, isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                if waiting[key] == nil {
                    waiting[key] = []
                    return true
                }
                waiting[key]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func unlock(_ key: Key) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard let first = waiting[key]?.first else {
                waiting[key] = nil
                return nil
            }
            waiting[key]?.removeFirst()
            return first
        }
        next?.resume()
    }
}
