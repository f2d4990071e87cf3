internal import NIOPosix

/// Threads for calls that wait for the disk, or compute for long: the event loops have no time for either.
package enum BlockingThreads {
    /// Runs `work` on one of the threads, in the order of the calls. Throws what `work` throws.
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await NIOThreadPool.singleton.runIfActive(work)
    }
}
