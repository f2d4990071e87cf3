import CLinux
internal import Glibc
import FundCore

/// Sockets with a path (unix(7)).
enum LocalSocket {
    /// A socket that is connected to the one at `path`. Blocks, for `timeout` at most where there is one.
    ///
    /// - Parameters:
    ///   - type: SOCK_STREAM or SOCK_SEQPACKET.
    ///   - timeout: of each step from now on; `setTimeout` changes it.
    static func connect(
        to path: String, type: __socket_type, timeout: Duration? = nil
    ) throws(LocalSocketError) -> Int32 {
        let socket = socket(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw LocalSocketError(code: errno) }
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
            let error = LocalSocketError(code: isShort ? errno : ENAMETOOLONG)
            close(socket)
            throw error
        }
        return socket
    }

    /// After this time, whole seconds of it, a step fails with EAGAIN (socket(7)); nil: never.
    static func setTimeout(_ timeout: Duration?, of socket: Int32) {
        var time = timeval(tv_sec: Int(timeout?.components.seconds ?? 0), tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }
}

/// Why there is no connection.
struct LocalSocketError: Error {
    /// `errno`.
    var code: Int32
}
