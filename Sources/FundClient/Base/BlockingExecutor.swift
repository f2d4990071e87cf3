internal import Dispatch

/// Runs an actor on a queue of its own, so that calls that wait for a disk never hold the threads that all tasks share.
final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// - Parameter label: as debuggers show it.
    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
