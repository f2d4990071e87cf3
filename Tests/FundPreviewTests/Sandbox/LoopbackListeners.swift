import Foundation

/// Sockets of this machine to which no converter may get.
final class LoopbackListeners: Sendable {
    let port: UInt16
    /// Of a local socket.
    let path: String
    private let sockets: [Int32]

    init(in folder: SampleFolder) {
        let tcp = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = bind(tcp, generic, size)
                _ = getsockname(tcp, generic, &size)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        let path = "\(folder.path)/s"
        self.path = path
        let local = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        _ = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(local, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        sockets = [tcp, local]
        for socket in sockets { listen(socket, 8) }
        chmod(folder.path, 0o777)
        chmod(path, 0o777)
    }

    deinit { sockets.forEach { close($0) } }

    /// Whether a connection came.
    var isReached: Bool { sockets.contains { accept($0, nil, nil) >= 0 } }
}
