import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import FundClient

/// Retries of two layers do not multiply: requests to a server that is busy.
@Suite struct RequestCountTests {
    private final class Busy: HTTPTransport {
        let count = Mutex(0)

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            count.withLock { $0 += 1 }
            return TransportResponse(HTTPResponse(status: .serviceUnavailable), body: ResponseBody { { nil } })
        }

        func shutdown() async {}
    }

    private let server = Busy()
    private let catalogue: Catalogue
    private let session: Session

    private static let moment = Duration.milliseconds(1)
    private static let attempts = 3

    init() async throws {
        catalogue = try Catalogue(in: FileManager.default.temporaryDirectory.path + "/fund-busy-\(UUID())")
        let account = Account(server: try address("http://localhost:1"), email: "ann@example.com", user: UserID(1))
        let store = MemoryStore()
        try await store.save(Credentials(web: .init("token", expiresAt: nil), mobile: nil), of: account)
        session = Session(
            account: account, credentials: store, transport: server,
            retries: RetryPolicy(maxAttempts: Self.attempts, firstDelay: Self.moment, maxDelay: Self.moment))
    }

    private var count: Int { server.count.withLock { $0 } }

    @Test func aCallIsRepeatedByTheSession() async throws {
        #expect(await code { _ = try await session.funds() } == .busy)
        #expect(count == Self.attempts)
    }

    @Test func aSyncPassesOnWhatTheSessionRepeated() async throws {
        let folder = try ModelFolder()
        let remote = SessionRemote(session, catalogue, fund: nil)
        let sync = try FolderSync(
            folder.root, with: remote, scope: "test", user: "ann", options: .init(),
            backoff: Backoff(first: Self.moment, most: Self.moment))
        #expect(await code { _ = try await sync.run() } == .busy)
        #expect(count == Self.attempts)
    }

    @Test func aTransferIsRepeatedByTheQueueAlone() async throws {
        let queue = TransferQueue(of: catalogue)
        let batch = TransferBatch()
        try await queue.add([.download(Download(.file(FileID(1)), name: "a"))], batch: batch)
        let runner = TransferRunner(queue, cache: ContentCache(of: catalogue), server: session)
        try await runner.run(batch, patience: 1) { transfer in #expect(transfer.failure?.code == .busy) }
        #expect(count == 1)
    }
}
