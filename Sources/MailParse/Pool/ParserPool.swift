package import Glibc
package import FundCore
internal import Synchronization

/// A pool of child processes that take messages apart. A child that crashes, hangs, takes too much memory or breaks the
/// protocol costs the message that it had; the next message gets a new child.
package final class ParserPool: MessageParser, Sendable {
    private struct Waiter {
        var id: UInt64
        var continuation: CheckedContinuation<PooledWorker, any Error>
    }

    private struct State {
        var idle: [PooledWorker]
        /// In the order in which they came.
        var waiters: [Waiter] = []
        var nextWaiter: UInt64 = 0
        var isClosed = false
    }

    package let concurrency: Int
    private let state: Mutex<State>
    private let restarts: RestartCounter

    /// Starts nothing yet: each child starts with the first message that needs it.
    /// - Parameters:
    ///   - executable: the program that answers to `parse-worker`: `/proc/self/exe`, or its path for tests.
    ///   - stagingDirectory: where decoded attachments wait for the store, in files without a name.
    ///   - concurrency: one child for each core unless told otherwise.
    ///   - honoursPoison: for tests, and only in debug builds: see `Poison`.
    package convenience init(
        executable: String, stagingDirectory: String, concurrency: Int = ParserPool.defaultConcurrency,
        honoursPoison: Bool = false
    ) {
        var recipe = ChildRecipe(executable: executable, stagingDirectory: stagingDirectory)
        if honoursPoison { recipe.debug = ParseRequest.DebugMarks.poison.rawValue }
        self.init(recipe, concurrency: concurrency)
    }

    init(_ recipe: ChildRecipe, concurrency: Int) {
        let restarts = RestartCounter()
        self.restarts = restarts
        self.concurrency = max(concurrency, 1)
        state = Mutex(
            State(idle: (1...max(concurrency, 1)).map { PooledWorker(recipe, number: $0, restarts: restarts) }))
    }

    /// One child for each core that is online.
    package static var defaultConcurrency: Int { max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) }

    /// Children that had to be replaced, since the start.
    package var restartCount: Int { restarts.count }

    package func withWorker<Result: Sendable>(
        _ body: @escaping @Sendable (any ParseWorker) throws -> Result
    ) async throws -> Result {
        let worker = try await acquire()
        defer { release(worker) }
        return try await worker.run(body)
    }

    /// Ends the children. Calls that wait for one throw; calls that run end first.
    package func shutdown() async {
        let (waiters, idle) = state.withLock { state in
            state.isClosed = true
            defer { (state.waiters, state.idle) = ([], []) }
            return (state.waiters, state.idle)
        }
        for waiter in waiters { waiter.continuation.resume(throwing: ParserError(.closed, "the parser is closed")) }
        for worker in idle { await worker.close() }
    }

    /// The children that are alive and idle.
    package func childIdentifiers() async -> [pid_t] {
        var identifiers: [pid_t] = []
        for worker in state.withLock({ $0.idle }) {
            if let pid = await worker.childIdentifier() { identifiers.append(pid) }
        }
        return identifiers
    }

    private func acquire() async throws -> PooledWorker {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Swift.Result<PooledWorker, any Error>? = state.withLock { state in
                    if state.isClosed { return .failure(ParserError(.closed, "the parser is closed")) }
                    // Looked at under the lock: a cancellation before this sees no waiter, one after it does.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let worker = state.idle.popLast() { return .success(worker) }
                    state.waiters.append(Waiter(id: id, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private func release(_ worker: PooledWorker) {
        let (waiter, isClosed): (Waiter?, Bool) = state.withLock { state in
            if state.isClosed { return (nil, true) }
            if !state.waiters.isEmpty { return (state.waiters.removeFirst(), false) }
            state.idle.append(worker)
            return (nil, false)
        }
        waiter?.continuation.resume(returning: worker)
        // Not awaited: the child ends when its socket closes.
        if isClosed { Task { await worker.close() } }
    }
}

/// How often a child had to be replaced.
final class RestartCounter: Sendable {
    private let value = Atomic<Int>(0)
    var count: Int { value.load(ordering: .relaxed) }
    func increment() { value.add(1, ordering: .relaxed) }
}
