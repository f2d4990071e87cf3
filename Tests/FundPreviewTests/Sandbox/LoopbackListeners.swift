import Foundation

/// Sockets of this machine to which no converter may get: TCP and UDP of one port, and local ones of a path and of the
/// same abstract name (unix(7)).
final class LoopbackListeners: Sendable {
    let port: UInt16
    /// Path of a local socket.
    let path: String
    private let listening: [Int32]
    private let datagrams: Int32

    init(in folder: SampleFolder) {
        let stream = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
        let (tcp, udp) = (
            socket(AF_INET, stream, 0), socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        )
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = bind(tcp, generic, size)
                _ = getsockname(tcp, generic, &size)
                _ = bind(udp, generic, size)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        path = "\(folder.path)/s"
        let (named, abstract) = (socket(AF_UNIX, stream, 0), socket(AF_UNIX, stream, 0))
        Self.name(named, to: Array(path.utf8) + [0])
        Self.name(abstract, to: [0] + Array(path.utf8))
        (listening, datagrams) = ([tcp, named, abstract], udp)
        for socket in listening { listen(socket, 8) }
        chmod(folder.path, 0o777)
        chmod(path, 0o777)
    }

    deinit { (listening + [datagrams]).forEach { close($0) } }

    private static func name(_ socket: Int32, to name: [UInt8]) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let size = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + name.count } ?? 0
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(socket, $0, socklen_t(size)) }
        }
    }

    /// How many of the sockets something came to since the last call.
    var reachedCount: Int {
        var byte: UInt8 = 0
        return listening.count { accept($0, nil, nil) >= 0 } + (recv(datagrams, &byte, 1, 0) >= 0 ? 1 : 0)
    }

    /// Whether something came.
    var isReached: Bool { reachedCount > 0 }
}
