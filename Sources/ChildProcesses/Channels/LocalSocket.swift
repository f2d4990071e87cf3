internal import CLinux
internal import FundCore
internal import Glibc

/// Sockets between processes of one machine (unix(7)), which are closed at exec.
package enum LocalSocket {
    /// Kind of a socket: a stream of bytes, or messages.
    package enum Kind: Sendable {
        case stream
        /// Messages that arrive whole (SOCK_SEQPACKET).
        case messages

        fileprivate var type: Int32 {
            Int32((self == .stream ? SOCK_STREAM : SOCK_SEQPACKET).rawValue | SOCK_CLOEXEC.rawValue)
        }
    }

    /// A pair of connected sockets.
    package static func pair(_ kind: Kind) throws(ProcessError) -> (own: Int32, other: Int32) {
        var sockets: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, kind.type, 0, &sockets) == 0 else { throw ProcessError("socketpair", code: errno) }
        return (sockets[0], sockets[1])
    }

    /// A socket that is connected to the one at `path`. Blocks, for `timeout` at most where there is one.
    ///
    /// - Parameter timeout: limit of each step from now on; `setTimeout` changes it.
    package static func connect(
        to path: String, _ kind: Kind, timeout: Duration? = nil
    ) throws(ProcessError) -> Int32 {
        let socket = socket(AF_UNIX, kind.type, 0)
        guard socket >= 0 else { throw ProcessError("connect to \(path)", code: errno) }
        if let timeout { setTimeout(timeout, of: socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isShort = withUnsafeMutableBytes(of: &address.sun_path) { room in
            room.copyBytes(from: path.utf8.prefix(room.count - 1))
            return path.utf8.count < room.count
        }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                SystemCall.retrying { Int(Glibc.connect(socket, address, length)) }
            }
        }
        guard isShort, code == 0 else {
            let error = ProcessError("connect to \(path)", code: isShort ? errno : ENAMETOOLONG)
            close(socket)
            throw error
        }
        return socket
    }

    /// After this time, in whole seconds, a step fails with EAGAIN (socket(7)); nil: never.
    package static func setTimeout(_ timeout: Duration?, of socket: Int32) {
        var time = timeval(tv_sec: Int(timeout?.components.seconds ?? 0), tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Sends bytes, with descriptors that the other end gets copies of. False when not all were sent, and errno(3) says
    /// why.
    package static func send(_ bytes: [UInt8], _ descriptors: [Int32] = [], to socket: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            SystemCall.retrying {
                fundmail_send_descriptors(socket, bytes.baseAddress, bytes.count, descriptors, Int32(descriptors.count))
            }
        } == bytes.count
    }

    /// Receives bytes of a stream. Returns their number, 0 at its end, -1 on failure.
    ///
    /// - Parameter descriptor: the one that came with them, which the caller closes; -1 for none.
    package static func receive(
        into bytes: UnsafeMutableRawBufferPointer, _ descriptor: inout Int32, from socket: Int32
    ) -> Int {
        SystemCall.retrying { fundmail_receive_descriptors(socket, bytes.baseAddress, bytes.count, &descriptor, 1) }
    }

    /// The next message with its descriptors, which the caller closes; nil when the other end is closed.
    package static func receive(
        from socket: Int32, maxBytes: Int
    ) -> (bytes: [UInt8], descriptors: [Int32])? {
        var descriptors = [Int32](repeating: -1, count: Int(fundmail_max_descriptors))
        let room = Int32(descriptors.count)
        var bytes = [UInt8](repeating: 0, count: maxBytes)
        let count = bytes.withUnsafeMutableBytes { bytes in
            SystemCall.retrying {
                fundmail_receive_descriptors(socket, bytes.baseAddress, bytes.count, &descriptors, room)
            }
        }
        let came = descriptors.filter { $0 >= 0 }
        guard count > 0 else {
            came.forEach { close($0) }
            return nil
        }
        return (Array(bytes[..<count]), came)
    }

    /// The event of poll(2) for an end that was closed: POLLRDHUP, which glibc shows only under _GNU_SOURCE.
    package static let hungUp = Int16(0x2000)
}
