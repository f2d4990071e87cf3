internal import Foundation
internal import Glibc
import Synchronization

/// The socket on which systemd listens to its services, until it is let go.
package final class NoticeSocket: Sendable {
    package let path: String
    private let descriptor: Int32
    private let texts = Mutex<[String]>([])

    package init() throws {
        path = try TestFile.makeFolder("notify") + "/socket"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw ServerFailure("bind \(path): \(errno)") }
    }

    deinit {
        close(descriptor)
        try? FileManager.default.removeItem(atPath: String(path.dropLast("/socket".count)))
    }

    /// The notices received so far.
    package var received: [String] {
        texts.withLock { texts in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                guard count > 0 else { return texts }
                texts.append(String(decoding: buffer[..<count], as: UTF8.self))
            }
        }
    }
}
