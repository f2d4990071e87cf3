import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import FundClient

/// Proxies that take only small bodies, and connections that die without a word.
@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(3))) struct ProxyLimitTests {
    /// Refuses larger bodies, as nginx does with `client_max_body_size`: they do not reach the server.
    private final class Limited: HTTPTransport {
        let base: AsyncHTTPTransport
        let limit: Int64
        let sizes = Mutex<[Int64]>([])

        init(_ limit: Int64) throws { (base, self.limit) = (try AsyncHTTPTransport(), limit) }

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            let size: Int64 =
                switch request.body {
                case .none: 0
                case .bytes(let bytes): Int64(bytes.count)
                case .stream(let length, _): length
                }
            sizes.withLock { $0.append(size) }
            guard size > limit else { return try await base.send(request) }
            let left = Countdown(1)
            return TransportResponse(
                HTTPResponse(status: .contentTooLarge, headerFields: [.contentType: "text/html"]),
                body: ResponseBody { { left.next() ? Array("<html>413 Request Entity Too Large</html>".utf8) : nil } })
        }

        func shutdown() async { await base.shutdown() }
    }

    private func options(_ fund: FundID) -> FolderSync.Options {
        var options = FolderSync.Options()
        (options.settleTime, options.patience, options.fund) = (.zero, .zero, fund)
        return options
    }

    /// The files of a folder, and those of the queue.
    @Test func smallerPiecesAreSent() async throws {
        let server = try await FundmailServer()
        let good = try await SignedIn(server)
        let fund = try await good.session.makeFund(named: "Fund")
        let transport = try Limited(1 << 20)
        let session = Session(account: good.session.account, credentials: good.store, transport: transport)
        let folder = try ModelFolder()
        try folder.write(patternBytes(2_500_000), to: "synced")
        try folder.write(patternBytes(1000), to: "small")
        let sync = try FolderSync(
            folder.root, of: session, catalogue: folder.catalogue(), options: options(fund.id))
        #expect(try await sync.run().isInStep)
        sync.close()
        try folder.write(patternBytes(5_000_001), to: "put")
        let size: Int64 = 5_000_001
        let upload = try await session.beginUpload(
            to: .new(name: "put", fund: fund.id, folder: nil, ifTaken: .refuse), contentType: "text/plain", size: size)
        let (source, _) = try await UploadSource.open(folder.path("put"))
        _ = try await session.finishUpload(upload, from: 0, size: size) { source.pieces() }
        for case .file(let file) in try await good.session.items(of: .fund(fund.id)) {
            let expected = FileManager.default.contents(atPath: folder.path(file.name)).map(Array.init) ?? []
            #expect(file.digest == ModelServer.digest(expected), "\(file.name)")
        }
        #expect(try await good.session.items(of: .fund(fund.id)).count == 3)
        // A limit that is known is not tried again.
        #expect(transport.sizes.withLock { $0.filter { $0 > 1 << 20 }.count } == 1)
        await transport.shutdown()
        await good.transport.shutdown()
        try await server.kill()
    }

    @Test func aLimitThatIsTooSmallIsTheProxys() async throws {
        let server = try await FundmailServer()
        let good = try await SignedIn(server)
        let fund = try await good.session.makeFund(named: "Fund")
        let transport = try Limited(1000)
        let session = Session(account: good.session.account, credentials: good.store, transport: transport)
        let folder = try ModelFolder()
        try folder.write(patternBytes(300_000), to: "a")
        try folder.write("b", to: "b")
        let sync = try FolderSync(
            folder.root, of: session, catalogue: folder.catalogue(), options: options(fund.id))
        let summary = try await sync.run()
        sync.close()
        #expect(!summary.isInStep || summary.problems["a"] != nil)
        #expect(summary.problems["a"]?.contains("proxy") ?? false, "\(summary.problems)")
        #expect(try await good.session.items(of: .fund(fund.id)).count == 1)
        await transport.shutdown()
        await good.transport.shutdown()
        try await server.kill()
    }

    /// A connection that takes all bytes and passes none on, as after a suspend: it is noticed, and another goes on.
    @Test func aDeadConnectionIsNoticed() async throws {
        let server = try await FundmailServer()
        let proxy = try MeddlingProxy(to: server.port)
        defer { proxy.stop() }
        let good = try await SignedIn(server, url: "http://localhost:\(proxy.port)")
        let fund = try await good.session.makeFund(named: "Fund")
        let transport = try AsyncHTTPTransport(.init(maxIdleTimeout: .milliseconds(1500)))
        let session = Session(account: good.session.account, credentials: good.store, transport: transport)
        let folder = try ModelFolder()
        try folder.write(patternBytes(9_000_000), to: "large")
        var rules = MeddlingProxy.Rules()
        rules.stallAfterClientBytes = 1_000_000
        proxy.setRules(rules)
        let sync = try FolderSync(
            folder.root, of: session, catalogue: folder.catalogue(), options: options(fund.id))
        async let summary = sync.run()
        let isDead = try await becomesTrue { proxy.traffic.contains(where: \.isCut) }
        #expect(isDead)
        proxy.setRules(MeddlingProxy.Rules())
        #expect(try await summary.isInStep)
        sync.close()
        #expect(try await good.session.items(of: .fund(fund.id)).count == 1)
        await transport.shutdown()
        await good.transport.shutdown()
        try await server.kill()
    }

    /// No request for the bytes of a file waits longer for its answer than the server needs for few of them.
    @Test func bytesWaitForAMinute() async throws {
        let transport = Recording()
        let account = Account(server: try address("http://a.example"), email: "ann@example.com", user: UserID(1))
        let store = MemoryStore()
        try await store.save(Credentials(web: .init("token", expiresAt: nil), mobile: nil), of: account)
        let session = Session(account: account, credentials: store, transport: transport, retries: .never)
        _ = try? await session.upload(.bytes([1]), named: "a", to: .fund(FundID(1)))
        _ = try? await session.replaceContent(of: FileID(1), with: .bytes([1]), ifMatch: nil)
        _ = try? await session.finishUpload("/api/v1/uploads/a", from: 0, size: 1 << 40) {
            AsyncThrowingStream { nil }
        }
        #expect(transport.timeouts.withLock { $0 } == [.seconds(60), .seconds(60), .seconds(60)])
    }

    private final class Recording: HTTPTransport {
        let timeouts = Mutex<[Duration]>([])

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            timeouts.withLock { $0.append(request.idleTimeout) }
            throw TransportError(.interrupted, "recorded")
        }

        func shutdown() async {}
    }

    /// The time of a file goes with it, whichever way it is sent, and comes back.
    @Test func timesOfFilesTravel() async throws {
        let server = try await FundmailServer()
        let good = try await SignedIn(server)
        let fund = try await good.session.makeFund(named: "Fund")
        let folder = try ModelFolder()
        let times: [(name: String, size: Int, seconds: Int)] = [
            ("small", 10, 1_562_241_600), ("large", 8 << 20, 1_000_000_000), ("early", 3, -86_400),
        ]
        for (name, size, seconds) in times {
            try folder.write(patternBytes(size), to: name)
            let stamps = [timespec](repeating: .init(tv_sec: seconds, tv_nsec: 999_999_999), count: 2)
            utimensat(AT_FDCWD, folder.path(name), stamps, 0)
        }
        let other = try ModelFolder()
        for folder in [folder, other] {
            let sync = try FolderSync(
                folder.root, of: good.session, catalogue: folder.catalogue(), options: options(fund.id))
            #expect(try await sync.run().isInStep)
            sync.close()
        }
        for (name, _, seconds) in times {
            var status = stat()
            #expect(lstat(other.path(name), &status) == 0 && status.st_mtim.tv_sec == seconds, "\(name)")
        }
        await good.transport.shutdown()
        try await server.kill()
    }
}
