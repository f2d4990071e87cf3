import FundCore
import PostgreSQLRoom
internal import Synchronization

/// A lease in a row, which a thread of its own renews until `end()`, deinit, or its loss.
final class RowLease: MailboxLease {
    let task: String
    /// Higher than that of every holder before.
    let token: Int64
    /// Signal that is raised when the lease is lost.
    let losses = Signal()
    private let renewal: Renewal
    private static let endWait = Duration.seconds(1)

    /// - Parameter start: the moment before the database was asked for the lease.
    init(
        _ task: String, token: Int64, in rows: PostgreSQLRows, _ timing: LeaseTiming,
        from start: ContinuousClock.Instant
    ) {
        (self.task, self.token) = (task, token)
        renewal = Renewal(task: task, token: token, rows: rows, timing: timing, from: start)
        let (renewal, losses) = (renewal, losses)
        // Without a thread it is held for its first time, and lost then.
        _ = OwnThread.start { if renewal.run() == .lost { losses.raise() } }
    }

    deinit { end() }

    /// Whether this holder may go on, by its own clock. Costs no question.
    var isHeld: Bool { renewal.isHeld }

    /// Throws `held` when the lease is lost: what was begun under it must not go on.
    func check() throws { if !isHeld { throw lost } }

    /// Holds the lease for the rest of a transaction: another holder gets it behind the commit or not at all. Throws
    /// `held` when another one has it already, or its time is over. The last question before the commit.
    func confirm(_ db: PostgreSQLConnection) throws {
        try check()
        let sql = "SELECT 1 FROM lease WHERE task = ? AND token = ? AND ends_at > clock_timestamp() FOR SHARE"
        guard try db.exists(sql, [task, token]) else {
            renewal.lose()
            throw lost
        }
    }

    private var lost: StoreError {
        StoreError(.held, "go on with \(task)", "the lease is lost: another process may have it")
    }

    /// Lets the next holder have it, and waits for that a second at most: the process may end right behind. Where the
    /// database cannot be reached the lease ends by itself. Harmless when repeated.
    func end() {
        guard renewal.stop() else { return }
        let (task, token, rows, isOver) = (task, token, renewal.rows, Interruption())
        let isStarted = OwnThread.start {
            _ = try? rows.write("end a lease", .readCommitted) { db in
                let sql = "UPDATE lease SET ends_at = clock_timestamp() WHERE task = ? AND token = ?"
                try db.execute(sql, [task, token])
            }
            isOver.request()
        }
        if isStarted { isOver.wait(atMost: Self.endWait) }
    }
}

/// The renewals of one lease. It knows nothing of the lease object, which ends with its last reference.
private final class Renewal: Sendable {
    let task: String
    let token: Int64
    let rows: PostgreSQLRows
    let stopping = Interruption()
    private let timing: LeaseTiming

    private struct State {
        /// The moment after which this holder has to stand still.
        var end: ContinuousClock.Instant
        var isLost = false
        var isStopped = false
    }
    private let state: Mutex<State>

    init(task: String, token: Int64, rows: PostgreSQLRows, timing: LeaseTiming, from start: ContinuousClock.Instant) {
        (self.task, self.token, self.rows, self.timing) = (task, token, rows, timing)
        state = Mutex(State(end: start + timing.length - timing.margin))
    }

    var isHeld: Bool { state.withLock { !$0.isLost && !$0.isStopped && .now < $0.end } }

    @discardableResult
    func lose() -> Outcome {
        state.withLock { $0.isLost = true }
        stopping.request()
        return .lost
    }

    /// True for the caller that stopped it.
    func stop() -> Bool {
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            return !state.isStopped
        }
        stopping.request()
        return isFirst
    }

    enum Outcome {
        case stopped, lost
    }

    /// Renews until the lease is stopped or lost. Blocks.
    func run() -> Outcome {
        var pause = timing.renewal
        while true {
            let rest = state.withLock { $0.end } - .now
            stopping.wait(atMost: max(.zero, min(pause, rest)))
            if state.withLock(\.isStopped) { return .stopped }
            guard isHeld else { return lose() }
            let start = ContinuousClock.now
            do {
                guard try renew() else { return lose() }
                state.withLock { $0.end = start + timing.length - timing.margin }
                pause = timing.renewal
            } catch {
                pause = timing.retry
            }
        }
    }

    /// Returns false when the row has another token, or its time is over.
    private func renew() throws -> Bool {
        try rows.write("renew a lease", .readCommitted) { db in
            try db.execute(
                """
                UPDATE lease SET ends_at = clock_timestamp() + ? * interval '1 millisecond'
                WHERE task = ? AND token = ? AND ends_at > clock_timestamp()
                """, [timing.length.milliseconds, task, token]) == 1
        }
    }
}
