internal import Dispatch
internal import Synchronization

/// Computes password hashes on a few threads of their own: each takes a third of a second, which would block Swift's
/// threads, and 128 MiB, so that many at a time would take all memory.
final class HashWorkers: Sendable {
    private struct State {
        /// Threads that are not at work.
        var idle: [Int]
        var waiting: [(origin: String, job: @Sendable (Int) -> Void)] = []
        var ended = 0
    }

    /// Serial queues, because each gets a thread of its own; a concurrent one would share those of everybody else.
    private let queues: [DispatchQueue]
    private let maxWaiting: Int
    private let state: Mutex<State>

    init(count: Int, maxWaiting: Int) {
        queues = (0..<max(1, count)).map { DispatchQueue(label: "fundmail.server.hash.\($0)") }
        self.maxWaiting = maxWaiting
        state = Mutex(State(idle: Array(queues.indices)))
    }

    /// Hashes computed so far.
    var ended: Int { state.withLock { $0.ended } }

    /// Throws `busy` when too many wait already, or half of them are of this origin.
    func run<Value: Sendable>(for origin: String = "", _ body: @escaping @Sendable () throws -> Value) async throws
        -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            let job: @Sendable (Int) -> Void = { [self] index in
                queues[index].async { [self] in
                    let result = Result(catching: body)
                    release(index)
                    continuation.resume(with: result)
                }
            }
            let place = state.withLock { state -> Place in
                if let index = state.idle.popLast() { return .now(index) }
                let ofOrigin = state.waiting.count { $0.origin == origin }
                guard state.waiting.count < maxWaiting, ofOrigin < (maxWaiting + 1) / 2 || origin.isEmpty else {
                    return .full
                }
                state.waiting.append((origin, job))
                return .later
            }
            switch place {
            case .now(let index): job(index)
            case .later: break
            case .full: continuation.resume(throwing: AuthenticationRefusal.busy(retryAfterSeconds: 2))
            }
        }
    }

    private enum Place { case now(Int), later, full }

    private func release(_ index: Int) {
        let next = state.withLock { state -> (@Sendable (Int) -> Void)? in
            state.ended += 1
            guard !state.waiting.isEmpty else {
                state.idle.append(index)
                return nil
            }
            return state.waiting.removeFirst().job
        }
        next?(index)
    }
}
