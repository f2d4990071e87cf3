internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// Runs the tasks of a connection on the event loop of its socket. On Swift's own threads each request would wake a
/// thread when it comes, and the event loop when it is answered, which on few cores takes longer than most responses.
/// Nothing in these tasks blocks: the store and files have threads of their own.
struct LoopBoundConnection<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        base.setup(channel: channel, logger: logger)
    }

    func handle(value: Base.Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor(loop: value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}

/// Runs Swift tasks on an event loop, in the order in which they become ready.
private final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
