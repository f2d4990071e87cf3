internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// Runs a connection's tasks on the event loop that its socket is on. Elsewhere each request would wake a thread of Swift's pool
/// when it comes, and the loop again when it is answered; on few cores that takes longer than most answers. Nothing that blocks
/// runs in these tasks: the store and files have threads of their own.
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

/// Swift tasks on an event loop, in the order in which they become ready.
private final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
