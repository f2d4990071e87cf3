package import Dispatch

/// Runs an actor on a serial queue of its own, so that its blocking calls never hold a thread of Swift's pool
/// (the case that the documentation of `SerialExecutor` names).
package final class QueueExecutor: SerialExecutor {
    package let queue: DispatchQueue

    package init(label: String) { queue = DispatchQueue(label: label) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }
}
