import FundCore
import Glibc
import TestSupport
import Testing

@testable import DriveBridge

struct EgressProxyTests {
    private static let (host, port) = ("store.example", 443)

    /// More tunnels than there may be wait until others end.
    @Test func tunnelsWait() async throws {
        let (store, storePort) = try LoopbackSocket.listen()
        defer { close(store) }
        let (listening, proxyPort) = try LoopbackSocket.listen()
        var rules = DriveRules()
        rules.privateHosts = [AllowedHost(Self.host)].compactMap { $0 }
        var policy = EgressPolicy(rules: rules)
        policy.resolver = NameResolver { _, _ in
            IPAddress(host: "127.0.0.1").map { [Endpoint(address: $0, port: UInt16(storePort))] } ?? []
        }
        let proxy = try EgressProxy(takingOwnershipOf: listening, policy) {}
        proxy.start()
        defer { proxy.end() }
        let count = EgressProxy.maxTunnels + 8
        let answered = try await offPool {
            var clients: [Int32] = []
            defer { clients.forEach { close($0) } }
            for _ in 0..<count {
                let client = try #require(LoopbackSocket.connect(port: proxyPort))
                clients.append(client)
                let request = Array("CONNECT \(Self.host):\(Self.port) HTTP/1.1\r\n\r\n".utf8)
                guard send(client, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return 0 }
            }
            var (answered, byte) = (0, UInt8(0))
            for client in clients {
                // The answer, and the end of the tunnel that makes room for another.
                if recv(client, &byte, 1, 0) == 1 { answered += 1 }
                shutdown(client, Int32(SHUT_RDWR))
            }
            return answered
        }
        #expect(answered == count && proxy.failure == nil)
    }
}
