import MailConnection
import Glibc
import MailFetch
import Synchronization
import TestSupport
import Testing

/// Programs that are started while we are connected, such as those that fetch tokens, do not get the connection.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct CloseOnExecTests {
    @Test func connectionsAreNotInherited() async throws {
        let server = try DovecotServer()
        defer { server.stop() }
        for message in TestMail.make(3) { try server.deliver(message, to: "closer") }
        var harness = try MailboxHarness(.imaps, on: server, user: "closer")
        let flags = Mutex<[Int32]>([])
        harness.disturbance = (
            after: 1, { flags.withLock { $0 = Self.flagsOfConnections(to: UInt16(server.ports.imaps)) } }
        )
        #expect(try await harness.poll().error == nil)
        #expect(flags.withLock { $0 } == [FD_CLOEXEC])
    }

    /// `F_GETFD` of each socket of this process that is connected to `port`.
    private static func flagsOfConnections(to port: UInt16) -> [Int32] {
        (Int32(3)..<4096).compactMap { descriptor in
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) == 0 }
            }
            // The port is in the same place in both families (sockaddr_in, sockaddr_in6).
            let peer = withUnsafeBytes(of: &address) { $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self) }
            guard isConnected, [sa_family_t(AF_INET), sa_family_t(AF_INET6)].contains(address.ss_family),
                UInt16(bigEndian: peer) == port
            else { return nil }
            return fcntl(descriptor, F_GETFD)
        }
    }
}
