package import Dispatch

/// Runs an actor on a serial queue of its own, so that its blocking calls never hold a thread of Swift's pool
/// (the case that the documentation of `SerialExecutor` names).
package final class QueueExecutor: SerialExecutor {
    package let queue: DispatchQueue

    package init(label: String) { queue = DispatchQueue(label: label) }

    /// Runs `job` after those that were enqueued before it.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }
}

extension DispatchQueue {
    /// Runs `body`, which may block, on this queue, while the calling task is suspended. Throws what `body` throws.
    package func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
            async { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }

    /// Runs `body`, which may wait for long, on a thread of its own (`OwnThread`), while the calling task is suspended.
    /// Throws what `body` throws.
    package static func runAlone<Value: Sendable, Failure: Error>(
        _ label: String, _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
            let work = { @Sendable in continuation.resume(returning: Result(catching: body)) }
            // Where the system gives no further thread, a queue still may have one.
            if !OwnThread.start(work) { DispatchQueue(label: label).async(execute: work) }
        }
        return try result.get()
    }
}
