internal import CLinux
internal import FundCore
internal import Glibc
internal import Synchronization

/// The wish of another thread that a wait for the server ends. It wakes poll(2) by a descriptor of eventfd(2).
package final class Interruption: Sendable {
    private let isRaised = Atomic(false)
    /// Readable once it was requested; -1 where the system gave none: then the wait sees it at its next look.
    let descriptor: Int32

    /// Whether the line is given up with the wait, without a word to the server: it does not answer any more.
    let endsLine: Bool

    package convenience init() { self.init(endsLine: false) }

    init(endsLine: Bool) {
        self.endsLine = endsLine
        descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    package var isRequested: Bool { isRaised.load(ordering: .sequentiallyConsistent) }

    /// Harmless when repeated.
    package func request() {
        isRaised.store(true, ordering: .sequentiallyConsistent)
        var one: UInt64 = 1
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Waits until it is requested, or `other` is, or for `limit`.
    package func wait(atMost limit: Duration, or other: Interruption? = nil) {
        // poll(2) takes no notice of a negative descriptor.
        var looks = [descriptor, other?.descriptor ?? -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&looks, nfds_t(looks.count), limit.pollMilliseconds)
    }
}
