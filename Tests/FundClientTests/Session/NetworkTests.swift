import FundClient
import Foundation
import TestSupport
import Testing

/// Failures of the network.
@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(3))) struct NetworkTests {
    @Test(arguments: [TestAuthority.Certificate.expired, .wrongHost, .otherAuthority, .selfSigned])
    func certificatesAreChecked(_ certificate: TestAuthority.Certificate) async throws {
        let server = try await FundmailServer(certificate)
        let authority = try TestAuthority.shared.get().caFile
        #expect(await code { _ = try await SignedIn(server, authorityFile: authority) } == .certificate)
        try await server.kill()
    }

    @Test func anAuthorityOfOnesOwnMustBeNamed() async throws {
        let server = try await FundmailServer(.valid)
        #expect(await code { _ = try await SignedIn(server) } == .certificate)
        let file = FileManager.default.temporaryDirectory.path + "/no-authority-\(UUID())"
        #expect(throws: TransportError.self) {
            try AsyncHTTPTransport(AsyncHTTPTransport.Configuration(authorityFile: file))
        }
        try await server.kill()
    }

    @Test func closedPortsAndUnknownHostsAreUnreachable() async throws {
        let server = try await FundmailServer()
        let session = try await SignedIn(server, retries: .never).session
        try await server.kill()
        #expect(await code { _ = try await session.funds() } == .unreachable)
        let nowhere = await code { _ = try await SignedIn(server, url: "https://no-such-host.invalid") }
        #expect(nowhere == .unreachable)
    }

    @Test func triesAgainWhenTheServerComesBack() async throws {
        let server = try await FundmailServer()
        let retries = RetryPolicy(maxAttempts: 200, firstDelay: .milliseconds(100), maxDelay: .milliseconds(200))
        let session = try await SignedIn(server, retries: retries).session
        try await server.kill()
        async let fund = session.makeFund(named: "After the restart")
        try await server.start()
        #expect(try await fund.name == "After the restart")
        try await server.kill()
    }

    /// Whatever is cut off, nothing that came is taken for the whole.
    @Test(arguments: [true, false]) func goesOnWhereTheConnectionWasCut(_ resets: Bool) async throws {
        let server = try await FundmailServer()
        let proxy = try MeddlingProxy(to: server.port)
        defer { proxy.stop() }
        let signedIn = try await SignedIn(server, url: "http://localhost:\(proxy.port)")
        let session = signedIn.session
        let fund = try await session.makeFund(named: "Cut")
        let bytes = patternBytes(400_000)
        let file = try await session.upload(.bytes(bytes), named: "a", to: .fund(fund.id))
        // Open connections keep their rules: the next call makes one.
        let other = Session(
            account: session.account, credentials: signedIn.store, transport: try AsyncHTTPTransport())
        var rules = MeddlingProxy.Rules()
        rules.cutAfterServerBytes = 150_000
        rules.resets = resets
        proxy.setRules(rules)
        var got: [UInt8] = []
        var attempts = 0
        while Int64(got.count) < file.size, attempts < 20 {
            attempts += 1
            let failure = await code {
                let content = try await other.content(of: file.id, from: Int64(got.count), ifRange: file.digest)
                #expect(content.offset == Int64(got.count))
                for try await piece in content.body { got += piece }
            }
            #expect(failure == nil || failure == .interrupted, "\(String(describing: failure))")
        }
        #expect(got == bytes && attempts > 1)
        try await server.kill()
    }

    @Test func cancelledTasksDoNotEndBodiesEarly() async throws {
        try await withSession { session in
            let fund = try await session.makeFund(named: "Cancelled")
            let piece = [UInt8](repeating: 7, count: 65_536)
            let file = try await session.upload(.pieces(piece, count: 500), named: "a", to: .fund(fund.id))
            let task = Task {
                var count = 0
                for try await piece in try await session.content(of: file.id).body {
                    count += piece.count
                    withUnsafeCurrentTask { $0?.cancel() }
                }
                return count
            }
            let result = await task.result
            #expect(throws: ClientError.self) { try result.get() }
        }
    }

    /// Bytes that are not asked for wait on the network.
    @Test func bodiesThatAreNotReadStayOutOfMemory() async throws {
        let server = try await FundmailServer()
        let proxy = try MeddlingProxy(to: server.port)
        defer { proxy.stop() }
        let session = try await SignedIn(server, url: "http://localhost:\(proxy.port)").session
        let fund = try await session.makeFund(named: "Large")
        let piece = [UInt8](repeating: 7, count: 1 << 20)
        let file = try await session.upload(.pieces(piece, count: 64), named: "a", to: .fund(fund.id))
        let content = try await session.content(of: file.id)
        var pieces = content.body.makeAsyncIterator()
        _ = try await pieces.next()
        // Answers that come meanwhile are read.
        for _ in 0..<20 { _ = try await session.funds() }
        let sent = proxy.traffic.map(\.serverBytes).reduce(0, +)
        #expect(sent < 16 << 20, "\(sent)")
        try await server.kill()
    }
}
