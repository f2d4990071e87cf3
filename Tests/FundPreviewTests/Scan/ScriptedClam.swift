import Foundation
import FundCore
import Glibc
import Synchronization

/// A socket that answers as clamd(8) does when it is ill; the real one has to be brought there first.
final class ScriptedClam: Sendable {
    let socket: String
    private let listener: Int32
    private let connections = Mutex<[Int32]>([])
    private let script: @Sendable (_ command: String) -> String?

    /// - Parameter script: the bytes of an answer to `zFILDES`, `zINSTREAM` or `zVERSION`; nil: it hangs, and reads no
    ///   more.
    init(_ script: @escaping @Sendable (_ command: String) -> String?) throws {
        self.script = script
        let path = "/tmp/\(DiskDirectory.uniqueName(prefix: "clam"))"
        socket = path
        let listener = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) }
        }
        guard code == 0, listen(listener, 16) == 0 else { throw DiskError("listen at", path) }
        self.listener = listener
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                guard let self else {
                    close(connection)
                    return
                }
                connections.withLock { $0.append(connection) }
                serve(connection)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        for connection in connections.withLock({ $0 }) { close(connection) }
        unlink(socket)
    }

    private func serve(_ connection: Int32) {
        var command: [UInt8] = []
        while command.last != 0 {
            var byte: UInt8 = 0
            guard recv(connection, &byte, 1, 0) == 1 else { return }
            command.append(byte)
        }
        guard let answer = script(String(decoding: command.dropLast(), as: UTF8.self)) else { return }
        Array(answer.utf8).withUnsafeBytes { _ = send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        shutdown(connection, Int32(SHUT_WR))
    }
}
