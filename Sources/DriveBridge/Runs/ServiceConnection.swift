internal import ChildProcesses
internal import FundCore
internal import Glibc
internal import Synchronization

/// A connection to the HTTP server of a child, by a socket of the child's network. One request at a time.
final class ServiceConnection: Sendable {
    /// An answer without its body.
    struct Answer: Sendable {
        var status: Int
        /// Bytes of the body; nil where the child does not know them.
        var length: Int64?
        /// Bytes of the whole file, where a part of it was asked for.
        var total: Int64?
    }

    private static let maxHeadBytes = 16 << 10
    private static let pieceBytes = 1 << 18
    /// Time in which the server of a new child listens, and between two attempts.
    private static let startSeconds = 20.0
    private static let pauseMilliseconds: Int32 = 5

    private let socket: Int32
    private let isConnected = Atomic<Bool>(false)

    /// - Parameter silentSeconds: the longest time without a byte.
    init(takingOwnershipOf socket: Int32, silentSeconds: Double) {
        self.socket = socket
        LocalSocket.setTimeout(.seconds(silentSeconds), of: socket)
    }

    deinit { close(socket) }

    /// Ends the request that runs, from any thread.
    func end() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Asks for something. Blocks. Nil when the connection broke, also in the middle of the body. Throws `tooSlow` when
    /// nothing comes, or less than the pace asks for.
    /// - Parameters:
    ///   - pace: the least pace of the body. The time that `take` needs is none of the store.
    ///   - take: gets the pieces of the body, after `begin` has seen the answer.
    func ask(
        _ head: String, until stop: StopMark, _ pace: DrivePace, begin: (Answer) throws -> Void,
        take: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Answer? {
        guard connect(until: stop), send(head) else { return nil }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 16)
        defer { room.deallocate() }
        var count = 0
        let end = Array("\r\n\r\n".utf8)
        var bodyStart: Int?
        while bodyStart == nil {
            guard count < Self.maxHeadBytes else { return nil }
            let came = try receive(UnsafeMutableRawBufferPointer(rebasing: room[count...]))
            guard came > 0 else { return nil }
            count += came
            bodyStart = ASCII.firstIndex(of: end, in: Array(room[..<count])).map { $0 + end.count }
        }
        guard let start = bodyStart, let answer = Answer(Array(room[..<start])) else { return nil }
        try begin(answer)
        // Without a length the connection cannot be used again.
        guard var left = answer.length else { return nil }
        if head.hasPrefix("HEAD") { left = 0 }
        let first = min(Int64(count - start), left)
        if first > 0 { try take(UnsafeRawBufferPointer(rebasing: room[start..<(start + Int(first))])) }
        left -= first
        let size = left
        var (pace, time) = (pace, ContinuousClock.now)
        _ = pace.isEnough(0, at: time)
        while left > 0 {
            let begun = ContinuousClock.now
            let came = try receive(UnsafeMutableRawBufferPointer(rebasing: room[..<Int(min(left, Int64(room.count)))]))
            guard came > 0 else { return nil }
            time += begun.duration(to: .now)
            guard pace.isEnough(Int(size - left) + came, at: time) else { throw DriveError(.tooSlow) }
            try take(UnsafeRawBufferPointer(rebasing: room[..<came]))
            left -= Int64(came)
        }
        return answer
    }

    /// The number of bytes that came; none at the end. Throws `tooSlow` when none come in time.
    private func receive(_ room: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = SystemCall.retrying { recv(socket, room.baseAddress, room.count, 0) }
        if count < 0, errno == EAGAIN { throw DriveError(.tooSlow) }
        return count
    }

    private func send(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { bytes in
            SystemCall.writeAll(bytes) { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        }
    }

    /// Waits until the child listens.
    private func connect(until stop: StopMark) -> Bool {
        if isConnected.load(ordering: .relaxed) { return true }
        let deadline = ContinuousClock.now + .seconds(Self.startSeconds)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = RcloneService.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        while .now < deadline {
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if code == 0 {
                isConnected.store(true, ordering: .relaxed)
                return true
            }
            guard errno == ECONNREFUSED || errno == EINTR || errno == ECONNABORTED else { return false }
            var polled = pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, Self.pauseMilliseconds) == 0 else { return false }
        }
        return false
    }
}

extension ServiceConnection.Answer {
    /// Reads the head of an answer (RFC 9112 §4, §5). Nil for another one.
    fileprivate init?(_ head: [UInt8]) {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        guard let words = lines.first?.split(separator: " "), words.count > 1, words[0].hasPrefix("HTTP/1."),
            let status = Int(words[1])
        else { return nil }
        self.status = status
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = String(line[line.index(after: colon)...]).trimmed
            switch line[..<colon].lowercased() {
            case "content-length": length = Int64(value).flatMap { $0 >= 0 ? $0 : nil }
            case "content-range": total = value.split(separator: "/").last.flatMap { Int64($0) }
            default: break
            }
        }
    }
}
