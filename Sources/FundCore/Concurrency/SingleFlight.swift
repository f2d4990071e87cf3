internal import Synchronization

/// Runs work once for all tasks that ask for it at the same time.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let running = Mutex<[Key: Task<Value, any Error>]>([:])

    package init() {}

    /// The result of `work`, or of the work that is under way for this key. The work runs in a task of its own: a
    /// caller that is cancelled does not end it for the others.
    package func run(
        _ key: Key, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = running.withLock { running in
            if let task = running[key] { return task }
            let task = Task { [self] in
                // Waits for the lock, so it comes after the entry below.
                defer { self.running.withLock { $0[key] = nil } }
                return try await work()
            }
            running[key] = task
            return task
        }
        return try await task.value
    }
}
