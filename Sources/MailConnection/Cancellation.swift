internal import CLinux
internal import Dispatch
internal import FundCore
internal import Glibc
import Synchronization

/// A switch that ends every wait of the sessions that hold it, at once and for good.
package final class Cancellation: Sendable {
    private let flag = Atomic<Bool>(false)
    /// For poll(2): readable once cancelled. -1 when no descriptor was free: then waits end at their next deadline.
    package let descriptor: Int32

    package init() { descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) }

    deinit { if descriptor >= 0 { close(descriptor) } }

    package var isCancelled: Bool { flag.load(ordering: .acquiring) }

    /// May be called from any thread, and from a signal's dispatch source.
    package func cancel() {
        flag.store(true, ordering: .releasing)
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    /// Sleeps on this thread. False when cancelled meanwhile.
    package func sleep(for time: Duration) -> Bool {
        let end = ContinuousClock.now + time
        while !isCancelled {
            let left = end - .now
            if left <= .zero { return true }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, left.pollMilliseconds)
        }
        return false
    }

    /// Sleeps without holding a thread of Swift's pool. False when cancelled meanwhile.
    @discardableResult
    package func pause(for time: Duration) async -> Bool {
        await DispatchQueue.runAlone("fundmail.pause") { self.sleep(for: time) }
    }
}
