internal import ChildProcesses
internal import FundCore
internal import Glibc

/// Carries bytes between two connections, both ways, until the first one has ended.
struct Relay: ~Copyable {
    private var out: Way
    private var back: Way

    /// One way of a connection.
    private struct Way: ~Copyable {
        let source: Int32
        let target: Int32
        var pipe: SplicePipe
        var isOpen = true

        init(_ source: Int32, _ target: Int32) throws(ProcessError) {
            (self.source, self.target) = (source, target)
            pipe = try SplicePipe()
        }

        /// Whether it waits for bytes.
        var reads: Bool { isOpen && pipe.isEmpty }

        /// False when its source broke.
        mutating func read(_ count: (Int) -> Void) -> Bool {
            let came = pipe.fill(from: source)
            if came < 0 { return errno == EAGAIN }
            count(came)
            if came == 0 {
                isOpen = false
                shutdown(target, Int32(SHUT_WR))
            }
            return true
        }

        /// False when its target broke.
        mutating func write() -> Bool {
            guard !pipe.isEmpty else { return true }
            return pipe.drain(into: target) >= 0 || errno == EAGAIN
        }
    }

    /// Both connections have to be non-blocking.
    init(_ one: Int32, _ other: Int32) throws(ProcessError) {
        let out = try Way(one, other)
        let back = try Way(other, one)
        self.out = out
        self.back = back
    }

    /// Blocks until the first end has closed, one of them breaks, or `stop` is set. Whatever the other end still sends
    /// then has no reader.
    /// - Parameter count: gets the number of bytes that came.
    mutating func run(until stop: StopMark, count: (Int) -> Void) {
        blockPipeSignal()
        while out.isOpen || !out.pipe.isEmpty {
            var polled = [
                Self.polled(out.source, reads: out.reads, writes: !back.pipe.isEmpty),
                Self.polled(back.source, reads: back.reads, writes: !out.pipe.isEmpty),
                pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&polled, 3, -1) > 0 || errno == EINTR, polled[2].revents == 0 else { return }
            if out.reads, polled[0].revents != 0 { guard out.read(count) else { return } }
            if back.reads, polled[1].revents != 0 { guard back.read(count) else { return } }
            guard out.write(), back.write() else { return }
        }
    }

    private static func polled(_ source: Int32, reads: Bool, writes: Bool) -> pollfd {
        let events = (reads ? Int16(POLLIN) : 0) | (writes ? Int16(POLLOUT) : 0)
        return pollfd(fd: events == 0 ? -1 : source, events: events, revents: 0)
    }

    /// A connection that broke is told by errno(3): the thread is the relay's own.
    private func blockPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
