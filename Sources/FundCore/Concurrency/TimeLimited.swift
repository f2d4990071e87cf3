/// Work that has to end within a time.
package enum TimeLimited {
    /// Does `work`, and cancels it after `limit`. Throws `late` then, and what `work` throws.
    package static func run<Value: Sendable>(
        atMost limit: Duration, orThrow late: any Error, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: limit)
                throw late
            }
            guard let value = try await group.next() else { throw late }
            return value
        }
    }
}
