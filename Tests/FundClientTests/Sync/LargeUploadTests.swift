import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import FundClient

/// Large files of a folder on their way to a real server: an interruption costs what was under way, and never mixes two
/// versions.
@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(3))) struct LargeUploadTests {
    /// Above the size from which uploads can be resumed.
    private static let byteCount = 9_000_000
    private static let moment = Backoff(first: .milliseconds(1), most: .milliseconds(1))

    /// Answers the first pieces of uploads with 500.
    private final class FailingPieces: HTTPTransport {
        private let left: Mutex<Int>
        private let transport: any HTTPTransport

        init(_ count: Int, before transport: any HTTPTransport) {
            left = Mutex(count)
            self.transport = transport
        }

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            let fails =
                request.head.method == .patch
                && left.withLock { left in
                    defer { left = max(0, left - 1) }
                    return left > 0
                }
            guard !fails else {
                return TransportResponse(HTTPResponse(status: .internalServerError), body: ResponseBody { { nil } })
            }
            return try await transport.send(request)
        }

        func shutdown() async { await transport.shutdown() }
    }

    /// A server, a proxy before it, and a folder with one large file.
    private struct Scene {
        let harness: TransferHarness
        let proxy: MeddlingProxy
        let folder: ModelFolder
        let catalogue: Catalogue
        let account: Account
        let bytes: [UInt8]

        init(_ rules: MeddlingProxy.Rules) async throws {
            harness = try await TransferHarness()
            proxy = try MeddlingProxy(to: harness.port)
            folder = try ModelFolder()
            catalogue = try folder.catalogue()
            account = try await harness.session(at: proxy.port).account
            bytes = harness.bytes(LargeUploadTests.byteCount, seed: 41)
            try folder.write(bytes, to: "large")
            proxy.setRules(rules)
        }

        func end() {
            proxy.stop()
            harness.remove()
        }

        /// Runs the body with a sync over new connections.
        func withSync<T: Sendable>(
            failingPieces count: Int = 0, retries: RetryPolicy = .never, _ body: (FolderSync) async throws -> T
        ) async throws -> T {
            let transport = FailingPieces(count, before: try AsyncHTTPTransport())
            let session = Session(
                account: account, credentials: harness.credentials, transport: transport, retries: retries)
            var options = FolderSync.Options()
            (options.settleTime, options.patience, options.fund) = (.zero, .zero, harness.fund)
            let sync = try FolderSync(
                folder.root, with: SessionRemote(session, catalogue, fund: harness.fund), scope: "test", user: "ann",
                options: options, backoff: LargeUploadTests.moment)
            let result: Result<T, any Error>
            do { result = .success(try await body(sync)) } catch { result = .failure(error) }
            sync.close()
            await transport.shutdown()
            return try result.get()
        }

        func expectOnTheServer(_ bytes: [UInt8]) async throws {
            let items = try await harness.session.items(of: .fund(harness.fund))
            let files = items.compactMap { if case .file(let file) = $0 { file } else { nil } }
            #expect(files.map(\.name) == ["large"])
            #expect(files.map(\.digest) == [ModelServer.digest(bytes)])
        }
    }

    /// More cuts than failures in a row end a run: each leaves more on the server.
    @Test func goesOnAfterEachCut() async throws {
        var rules = MeddlingProxy.Rules()
        rules.cutAfterClientBytes = 1_200_000
        let scene = try await Scene(rules)
        defer { scene.end() }
        let before = scene.proxy.traffic.count
        let summary = try await scene.withSync { try await $0.run() }
        #expect(summary.isInStep, "\(summary.problems)")
        try await scene.expectOnTheServer(scene.bytes)
        let sent = scene.proxy.traffic.dropFirst(before).reduce(0) { $0 + $1.clientBytes }
        #expect(sent < 2 * Self.byteCount, "\(sent) bytes")
    }

    /// A server that fails at a piece is asked again before the run calls it a problem.
    @Test(arguments: [(2, true), (3, false)]) func goesOnAfterFaults(_ count: Int, _ isMended: Bool) async throws {
        let scene = try await Scene(MeddlingProxy.Rules())
        defer { scene.end() }
        let policy = RetryPolicy(maxAttempts: 3, firstDelay: .milliseconds(1), maxDelay: .milliseconds(1))
        let summary = try await scene.withSync(failingPieces: count, retries: policy) { try await $0.run() }
        #expect(summary.isInStep == isMended, "\(summary.problems)")
        if isMended { try await scene.expectOnTheServer(scene.bytes) }
    }

    private enum Interruption: String, CaseIterable {
        case nothingElse, serverRestarted, fileChanged
    }

    /// The first run ends in the middle of the file.
    @Test(arguments: Interruption.allCases) private func anotherRunGoesOn(_ interruption: Interruption) async throws {
        var rules = MeddlingProxy.Rules()
        rules.stallAfterClientBytes = 6_000_000
        let scene = try await Scene(rules)
        defer { scene.end() }
        try await scene.withSync { sync in
            let run = Task { try await sync.run() }
            let isUnderWay = try await becomesTrue { scene.proxy.traffic.contains { $0.clientBytes >= 6_000_000 } }
            #expect(isUnderWay)
            run.cancel()
            await #expect(throws: ClientError.self) { try await run.value }
        }
        var expected = scene.bytes
        switch interruption {
        case .nothingElse: break
        case .serverRestarted:
            scene.harness.killServer()
            try await scene.harness.startServer()
        case .fileChanged:
            expected = scene.harness.bytes(Self.byteCount + 1, seed: 42)
            try scene.folder.write(expected, to: "large")
        }
        scene.proxy.setRules(MeddlingProxy.Rules())
        let before = scene.proxy.traffic.count
        let summary = try await scene.withSync { try await $0.run() }
        #expect(summary.isInStep, "\(summary.problems)")
        try await scene.expectOnTheServer(expected)
        let sent = scene.proxy.traffic.dropFirst(before).reduce(0) { $0 + $1.clientBytes }
        #expect((sent < Self.byteCount) == (interruption != .fileChanged), "\(sent) bytes")
    }
}
