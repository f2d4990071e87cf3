internal import ChildProcesses
internal import FundCore
internal import Glibc

/// Carries bytes between two connections, both ways, until the first one has ended.
struct Relay: ~Copyable {
    /// Bytes of one way that wait at most.
    private static let roomBytes = 1 << 17

    private var ways: [Way]

    /// One way of a connection.
    private struct Way {
        let source: Int32
        let target: Int32
        let room: UnsafeMutableRawBufferPointer
        var waiting = 0..<0
        var isOpen = true
    }

    init(_ one: Int32, _ other: Int32) {
        ways = [(one, other), (other, one)].map { source, target in
            Way(source: source, target: target, room: .allocate(byteCount: Self.roomBytes, alignment: 16))
        }
    }

    deinit { ways.forEach { $0.room.deallocate() } }

    /// Blocks until the first end has closed, one of them breaks, or `stop` is set. Whatever the other end still sends
    /// then has no reader.
    /// - Parameter count: gets the number of bytes that came.
    mutating func run(until stop: StopMark, count: (Int) -> Void) {
        while ways[0].isOpen || !ways[0].waiting.isEmpty {
            var polled = (0..<2).map { n -> pollfd in
                let (out, back) = (ways[n], ways[1 - n])
                let reads = out.isOpen && out.waiting.isEmpty ? Int16(POLLIN) : 0
                let events = reads | (back.waiting.isEmpty ? 0 : Int16(POLLOUT))
                return pollfd(fd: events == 0 ? -1 : out.source, events: events, revents: 0)
            }
            polled.append(pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0))
            guard poll(&polled, 3, -1) > 0 || errno == EINTR, polled[2].revents == 0 else { return }
            for n in 0..<2 where ways[n].isOpen && ways[n].waiting.isEmpty && polled[n].revents != 0 {
                guard read(n, count) else { return }
            }
            for n in 0..<2 where !ways[n].waiting.isEmpty {
                guard write(n) else { return }
            }
        }
    }

    private mutating func read(_ n: Int, _ count: (Int) -> Void) -> Bool {
        let way = ways[n]
        let came = SystemCall.retrying { recv(way.source, way.room.baseAddress, way.room.count, Int32(MSG_DONTWAIT)) }
        if came < 0 { return errno == EAGAIN }
        count(came)
        ways[n].waiting = 0..<came
        if came == 0 {
            ways[n].isOpen = false
            shutdown(way.target, Int32(SHUT_WR))
        }
        return true
    }

    private mutating func write(_ n: Int) -> Bool {
        let way = ways[n]
        let rest = UnsafeRawBufferPointer(rebasing: way.room[way.waiting])
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        let sent = SystemCall.retrying { send(way.target, rest.baseAddress, rest.count, flags) }
        if sent < 0 { return errno == EAGAIN }
        ways[n].waiting = way.waiting.dropFirst(sent)
        return true
    }
}
