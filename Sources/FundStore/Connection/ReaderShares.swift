internal import Dispatch
import FundCore
internal import Synchronization

/// Shares the reading threads among users. One user's reads never take all of them, so that other users are answered at
/// any time. Each thread is a serial queue, which gets a thread of its own; a concurrent queue would have as many as
/// there are processors, and two long searches would hold up all users.
final class ReaderShares: Sendable {
    enum Work: Sendable {
        /// Takes milliseconds.
        case look
        /// May take as long as the time limit of searches.
        case search
    }

    private static let count = 4
    /// Limit of jobs of one user at a time.
    private static let maxOfUser = 2
    private static let maxSearchesOfUser = 1
    /// Limit of searches of all users together: the other threads are left for short work.
    private static let maxSearches = 2
    /// Limit of searches of one user that wait. More are refused: each may wait for all before it.
    private static let maxWaitingSearches = 16

    private struct Job {
        var work: Work
        var start: @Sendable (_ thread: Int) -> Void
    }

    private struct Share {
        var running = 0
        var searching = 0
        var waiting: [Job] = []

        var isUnused: Bool { running == 0 && waiting.isEmpty }
    }

    private struct State {
        var idle: [Int]
        var searching = 0
        var shares: [User.ID: Share] = [:]
        /// Users with waiting work, in the order of their turns.
        var queue: [User.ID] = []
    }

    private let queues: [DispatchQueue]
    private let state: Mutex<State>

    init() {
        queues = (0..<Self.count).map { DispatchQueue(label: "fundmail.store.read.\($0)") }
        state = Mutex(State(idle: Array(queues.indices)))
    }

    /// Count of jobs that wait for their turn.
    var waiting: Int { state.withLock { $0.shares.values.reduce(0) { $0 + $1.waiting.count } } }

    /// Runs `body`, which blocks, when it is the user's turn. Throws `held` when too many searches of the user wait.
    func run<Value: Sendable>(
        _ work: Work, for user: User.ID, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let job = Job(work: work) { [self] thread in
                queues[thread].async { [self] in
                    let result = Result(catching: body)
                    end(work, of: user, on: thread)
                    continuation.resume(with: result)
                }
            }
            let isTaken = state.withLock { state in
                if work == .search {
                    let waiting = state.shares[user]?.waiting.count { $0.work == .search } ?? 0
                    guard waiting < Self.maxWaitingSearches else { return false }
                }
                if state.shares[user]?.waiting.isEmpty ?? true { state.queue.append(user) }
                state.shares[user, default: Share()].waiting.append(job)
                return true
            }
            guard isTaken else {
                let error = StoreError(.held, "search", "\(Self.maxWaitingSearches) searches of this user wait already")
                return continuation.resume(throwing: error)
            }
            startWaiting()
        }
    }

    private func end(_ work: Work, of user: User.ID, on thread: Int) {
        state.withLock { state in
            state.idle.append(thread)
            if work == .search { state.searching -= 1 }
            guard var share = state.shares.removeValue(forKey: user) else { return }
            share.running -= 1
            if work == .search { share.searching -= 1 }
            if !share.isUnused { state.shares[user] = share }
        }
        startWaiting()
    }

    private func startWaiting() {
        let starts = state.withLock { state -> [(job: Job, thread: Int)] in
            var starts: [(Job, Int)] = []
            while let thread = state.idle.last, let job = Self.next(&state) {
                state.idle.removeLast()
                starts.append((job, thread))
            }
            return starts
        }
        for start in starts { start.job.start(start.thread) }
    }

    /// The next job of the first user in turn below the limits; the user goes to the end of the order.
    private static func next(_ state: inout State) -> Job? {
        for (place, user) in state.queue.enumerated() {
            guard var share = state.shares[user], share.running < maxOfUser else { continue }
            let maySearch = state.searching < maxSearches && share.searching < maxSearchesOfUser
            guard let index = share.waiting.firstIndex(where: { $0.work == .look || maySearch }) else { continue }
            let job = share.waiting.remove(at: index)
            share.running += 1
            if job.work == .search {
                share.searching += 1
                state.searching += 1
            }
            state.queue.remove(at: place)
            if !share.waiting.isEmpty { state.queue.append(user) }
            state.shares[user] = share
            return job
        }
        return nil
    }
}
