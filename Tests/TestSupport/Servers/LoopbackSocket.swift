internal import Glibc

/// Blocking TCP on 127.0.0.1, for servers and proxies of the tests: one thread a connection keeps them simple.
package enum LoopbackSocket {
    /// A listening socket on a port of the system's choice.
    package static func listen() throws -> (socket: Int32, port: Int) {
        let (descriptor, port) = try bound()
        guard Glibc.listen(descriptor, 128) == 0 else {
            close(descriptor)
            throw ServerFailure("listen: \(errno)")
        }
        return (descriptor, port)
    }

    /// A socket on a port of the system's choice, which does not listen yet.
    /// - Parameter isShared: a server may listen on the same port.
    static func bound(isShared: Bool = false) throws -> (socket: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw ServerFailure("socket: \(errno)") }
        var on: Int32 = isShared ? 1 : 0
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 ? getsockname(descriptor, pointer, &length) : -1
            }
        }
        guard code == 0 else {
            close(descriptor)
            throw ServerFailure("bind: \(errno)")
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// A connection; nil when nothing listens on the port.
    /// - Parameter host: last part of the client's own address, 127.0.0.x.
    package static func connect(port: Int, from host: UInt8 = 1) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var source = loopback(port: 0)
        source.sin_addr.s_addr = (0x7F00_0000 | UInt32(host)).bigEndian
        var address = loopback(port: UInt16(port))
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: &source) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { host == 1 || bind(descriptor, $0, size) == 0 }
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            close(descriptor)
            return nil
        }
        sendAtOnce(descriptor)
        return descriptor
    }

    /// The next connection; nil once the listening socket was shut down.
    package static func accept(_ listener: Int32) -> Int32? {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                sendAtOnce(descriptor)
                return descriptor
            }
            guard errno == EINTR || errno == ECONNABORTED || errno == EMFILE else { return nil }
        }
    }

    /// Sends everything; false when the other side is gone.
    package static func send(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
        let bytes = Array(bytes)
        return bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let pointer = UnsafeRawBufferPointer(rebasing: rest).baseAddress
                let count = Glibc.send(descriptor, pointer, rest.count, Int32(MSG_NOSIGNAL))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// The bytes that have come, waiting for at least one byte; empty at the end or when the connection broke.
    /// - Parameter isPeek: they come again with the next call.
    package static func receive(_ descriptor: Int32, atMost count: Int = 65536, isPeek: Bool = false) -> [UInt8] {
        let flags = isPeek ? Int32(MSG_PEEK) : 0
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            var received: Int
            repeat {
                received = recv(descriptor, buffer.baseAddress, count, flags)
            } while received < 0 && errno == EINTR
            length = max(received, 0)
        }
    }

    /// Ends both directions; threads that wait on the socket wake up. The descriptor stays valid.
    package static func shutDown(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Makes the later close send RST: the peer loses what it has not read yet.
    package static func resetWhenClosed(_ descriptor: Int32) {
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    private static func sendAtOnce(_ descriptor: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}
