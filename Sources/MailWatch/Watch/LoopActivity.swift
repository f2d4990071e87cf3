internal import MailConnection
internal import FundCore
internal import Synchronization

/// Whether the loop of a mailbox runs or waits, so that a wait can be ended without breaking off a run.
final class LoopActivity: Sendable {
    /// Ends the loop: waits at once, a run after what it has begun.
    let cancellation: Cancellation
    private let isRunning = Mutex(false)

    init(_ cancellation: Cancellation = Cancellation()) { self.cancellation = cancellation }

    /// Call it before each run. False when the loop is to end.
    func beginRun() -> Bool {
        isRunning.withLock { isRunning in
            isRunning = !cancellation.isCancelled
            return isRunning
        }
    }

    /// Call it after each run, before the wait.
    func endRun() { isRunning.withLock { $0 = false } }

    /// Ends the loop where it waits, so that another takes its place and begins with a run; leaves a run alone.
    func endWait() -> PollStart {
        // Under the lock: a run that begins meanwhile either sees the cancellation or is seen here.
        isRunning.withLock { isRunning in
            guard !isRunning else { return .underWay }
            cancellation.cancel()
            return .begun
        }
    }
}
