internal import Synchronization

/// Wakes the tasks that wait for something to happen. What happens while no task waits is counted: a task that gives
/// the count that it knows misses nothing.
package final class Signal: Sendable {
    private struct State {
        var count = 0
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
        var nextNumber = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Number of times that it was raised.
    package var count: Int { state.withLock { $0.count } }

    /// Tasks that wait.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Ends all waits.
    package func raise() {
        let waiting = state.withLock { state in
            state.count += 1
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Waits until `count` is another one than `known`, and gives it. Throws `CancellationError` when the task is
    /// cancelled.
    package func count(after known: Int) async throws -> Int {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    // Under the lock: a cancellation before this finds no continuation, one after it finds this.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.count != known { return .success(()) }
                    state.waiting[number] = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let continuation = state.withLock { $0.waiting.removeValue(forKey: number) }
            continuation?.resume(throwing: CancellationError())
        }
        return count
    }

    /// Is raised after each raise of `other`, until the task is cancelled.
    /// - Parameter pause: the least time between two raises.
    package func follow(_ other: Signal, pausing pause: Duration = .zero) async {
        var known = other.count
        while let count = try? await other.count(after: known) {
            known = count
            raise()
            if pause > .zero { try? await Task.sleep(for: pause) }
        }
    }

    /// Waits until `count` is another one than `known`, for `time` at most; less when the task is cancelled.
    package func wait(after known: Int, atMost time: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await self.count(after: known) }
            group.addTask { try? await Task.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }
}
