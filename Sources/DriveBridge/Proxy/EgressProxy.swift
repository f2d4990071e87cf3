internal import ChildProcesses
internal import FundCore
internal import Glibc
internal import Synchronization

/// The only way out of the network of one child: a proxy for tunnels. It resolves a name once, checks every address,
/// and connects to one that it has checked.
final class EgressProxy: Sendable {
    /// Tunnels at a time; rclone opens a handful. Others wait in the queue of the socket.
    static let maxTunnels = 32
    private static let headSeconds = 10.0
    private static let connectSeconds = 15.0

    private struct State {
        var tunnels = 0
        var failure: DriveError?
    }

    private let listening: Int32
    private let policy: EgressPolicy
    private let stop: StopMark
    /// Readable when a tunnel has ended.
    private let freed: OutputPipe
    private let refused: @Sendable () -> Void
    private let state = Mutex(State())
    /// Bytes that were carried so far.
    private let carried = Atomic<Int>(0)

    /// - Parameters:
    ///   - listening: a socket in the network of the child; closed with this proxy.
    ///   - refused: called for each tunnel that is refused for what it leads to.
    init(
        takingOwnershipOf listening: Int32, _ policy: EgressPolicy, refused: @escaping @Sendable () -> Void
    ) throws(ProcessError) {
        let (stop, freed): (StopMark, OutputPipe)
        do throws(ProcessError) {
            stop = try StopMark()
            freed = try OutputPipe(blocksWriter: false)
        } catch {
            close(listening)
            throw error
        }
        self.freed = freed
        (self.listening, self.policy, self.stop, self.refused) = (listening, policy, stop, refused)
    }

    deinit {
        close(listening)
        freed.close()
    }

    /// Bytes that were carried so far, both ways together.
    var byteCount: Int { carried.load(ordering: .relaxed) }

    /// The reason for which a tunnel did not come about; one that was refused before one that failed. Nil when none was
    /// asked for that did not.
    var failure: DriveError? { state.withLock { $0.failure } }

    /// Serves the child on threads of its own until `end`.
    func start() {
        guard OwnThread.start({ self.accept() }) else {
            return note(DriveError(.broken, "there is no room for another thread"), isRefusal: false)
        }
    }

    /// Ends all tunnels. Does not wait for their threads.
    func end() { stop.set() }

    private func accept() {
        while true {
            let isFull = state.withLock { $0.tunnels >= Self.maxTunnels }
            var polled = [
                pollfd(fd: isFull ? -1 : listening, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: freed.reading, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&polled, 3, -1) > 0 || errno == EINTR, polled[1].revents == 0 else { return }
            if polled[2].revents != 0 {
                var marks = [UInt8](repeating: 0, count: Self.maxTunnels)
                _ = read(freed.reading, &marks, marks.count)
            }
            guard polled[0].revents != 0 else { continue }
            let client = SystemCall.retrying { Int(Glibc.accept(listening, nil, nil)) }
            guard client >= 0 else {
                if errno == ECONNABORTED || errno == EAGAIN { continue }
                return note(DriveError(.broken, "accept: \(SystemText.of(errno))"), isRefusal: false)
            }
            _ = fcntl(Int32(client), F_SETFL, O_NONBLOCK)
            state.withLock { $0.tunnels += 1 }
            let isServed = OwnThread.start {
                self.serve(Int32(client))
                self.endTunnel(Int32(client))
            }
            if !isServed {
                note(DriveError(.busy, "there is no room for another thread"), isRefusal: false)
                endTunnel(Int32(client))
            }
        }
    }

    private func endTunnel(_ client: Int32) {
        close(client)
        state.withLock { $0.tunnels -= 1 }
        _ = write(freed.writing, [1], 1)
    }

    private func serve(_ client: Int32) {
        guard let head = head(from: client) else { return }
        guard let request = ConnectRequest(head) else {
            // Anything but a tunnel would not be encrypted: a redirect to http://, for example.
            note(DriveError(.forbidden, "a request without TLS"), isRefusal: true)
            return answer("403 Forbidden", to: client)
        }
        do throws(DriveError) {
            let server = try connect(to: request)
            defer { close(server) }
            do throws(ProcessError) {
                var relay = try Relay(client, server)
                answer("200 OK", to: client)
                relay.run(until: stop) { carried.add($0, ordering: .relaxed) }
            } catch { throw DriveError(.busy, "\(error)") }
        } catch {
            let isRefusal = error.problem == .forbidden || error.problem == .privateAddress
            note(error, isRefusal: isRefusal)
            answer(isRefusal ? "403 Forbidden" : "502 Bad Gateway", to: client)
        }
    }

    private func note(_ error: DriveError, isRefusal: Bool) {
        state.withLock { state in
            if state.failure == nil || isRefusal { state.failure = error }
        }
        if isRefusal { refused() }
    }

    /// Nil when none comes in time, or one that is too long.
    private func head(from client: Int32) -> [UInt8]? {
        let deadline = ContinuousClock.now + .seconds(Self.headSeconds)
        var head: [UInt8] = []
        var byte = [UInt8](repeating: 0, count: ConnectRequest.maxHeadBytes)
        while !ConnectRequest.isWhole(head) {
            guard head.count < ConnectRequest.maxHeadBytes, isReady(client, Int16(POLLIN), until: deadline) else {
                return nil
            }
            let came = SystemCall.retrying {
                recv(client, &byte, ConnectRequest.maxHeadBytes - head.count, Int32(MSG_DONTWAIT))
            }
            guard came > 0 else { return nil }
            head += byte[..<came]
        }
        return head
    }

    private func answer(_ status: String, to client: Int32) {
        let bytes = Array("HTTP/1.1 \(status)\r\n\r\n".utf8)
        _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    private func connect(to request: ConnectRequest) throws(DriveError) -> Int32 {
        let deadline = ContinuousClock.now + .seconds(Self.connectSeconds)
        var code = ETIMEDOUT
        for endpoint in try policy.endpoints(of: request.host, request.port) {
            let server = socket(
                endpoint.address.bytes.count == 4 ? AF_INET : AF_INET6,
                Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
            guard server >= 0 else { throw DriveError(.broken, "socket: \(SystemText.of(errno))") }
            code = endpoint.connect(server)
            if code == EINPROGRESS {
                var length = socklen_t(MemoryLayout<Int32>.size)
                code = ETIMEDOUT
                if isReady(server, Int16(POLLOUT), until: deadline) {
                    getsockopt(server, SOL_SOCKET, SO_ERROR, &code, &length)
                }
            }
            if code == 0 {
                var isOn: Int32 = 1
                setsockopt(server, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
                return server
            }
            close(server)
        }
        throw DriveError(.unreachable, "\(request.host): \(SystemText.of(code))")
    }

    /// Waits until a connection is ready. False after the deadline, and when this proxy ends.
    private func isReady(_ connection: Int32, _ events: Int16, until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            var polled = [
                pollfd(fd: connection, events: events, revents: 0),
                pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let left = max(ContinuousClock.now.duration(to: deadline).seconds, 0)
            let count = poll(&polled, 2, Int32((left * 1000).rounded(.up)))
            if count < 0, errno == EINTR { continue }
            return count > 0 && polled[1].revents == 0
        }
    }
}

extension Endpoint {
    /// connect(2) of a socket of its family. Returns 0, or an error of errno(3).
    fileprivate func connect(_ socket: Int32) -> Int32 {
        if address.bytes.count == 4 {
            var target = sockaddr_in()
            target.sin_family = sa_family_t(AF_INET)
            target.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &target.sin_addr) { $0.copyBytes(from: address.bytes) }
            return Self.connect(socket, &target)
        }
        var target = sockaddr_in6()
        target.sin6_family = sa_family_t(AF_INET6)
        target.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &target.sin6_addr) { $0.copyBytes(from: address.bytes) }
        return Self.connect(socket, &target)
    }

    private static func connect<Address>(_ socket: Int32, _ target: inout Address) -> Int32 {
        let code = withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        return code == 0 ? 0 : errno
    }
}
