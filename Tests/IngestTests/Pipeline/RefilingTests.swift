import FundCore
import Synchronization
import TestSupport
import Testing

@testable import Ingest

/// Filing of kept mail, with a store and a parser in memory.
@Suite struct RefilingTests {
    /// Undoing another filing may remove bytes that both share, between staging and filing: it is staged anew.
    @Test(arguments: [(0, 1), (1, 2), (2, 3)])
    func stagesAnewWhatBecameStale(failures: Int, stagings: Int) async throws {
        let store = KeptStore(failures: failures)
        let stored = try await Self.assign(in: store)
        #expect(stored.outcome == .filed && store.stagings == stagings)
    }

    /// A store that stays busy is named, and other errors are not worth another attempt.
    @Test(arguments: [(StoreError.Code.stale, 3), (.alreadyResolved, 1), (.notFound, 1)])
    func givesUpInTheEnd(code: StoreError.Code, stagings: Int) async throws {
        let store = KeptStore(failures: 10, code: code)
        let failure = await #expect(throws: StoreError.self) { _ = try await Self.assign(in: store) }
        #expect(failure?.code == code && store.stagings == stagings)
    }

    /// The sender hears of mail that an administrator files into a fund of theirs, and of no other.
    @Test(
        arguments: [
            (1, .administrator("root"), true), (2, .administrator("root"), false),
            (1, .sender(1, email: "ann@example.com"), false),
        ] as [(User.ID, FilingRight, Bool)])
    func theSenderHearsOfTheirOwnFundAlone(owner: User.ID, right: FilingRight, hears: Bool) async throws {
        let stored = try await Self.assign(in: KeptStore(failures: 0), owner: owner, by: right)
        #expect(stored.message.receipt?.recipient.description == (hears ? "ann@example.com" : nil))
        #expect(try await Self.assign(in: KeptStore(failures: 0), receipts: nil).message.receipt == nil)
    }

    private static let ann = User(id: 1, email: "ann@example.com")
    private static let ben = User(id: 2, email: "ben@example.com")

    private static func assign(
        in store: KeptStore, owner: User.ID = 1, by right: FilingRight = .administrator("root"),
        receipts: ReceiptPolicy? = ReceiptPolicy(ownAddresses: [])
    ) async throws -> StoredMessage {
        var header = RouterTests.header()
        header.trace = [.authenticationResults("mx.corp.example; dmarc=pass header.from=example.com")]
        let refiling = RefilingService(
            mail: store, parser: EmptyParser(concurrency: 1, header: header), limits: { ParseLimits() },
            policy: { _, trust in
                var policy = RoutingPolicy(trust: trust)
                policy.receipts = .all
                return policy
            }, receipts: { receipts })
        let user = owner == ann.id ? ann : ben
        return try await refiling.assign(
            1, to: Fund(id: 1, owner: owner, name: "Fund1"), of: user, in: 1, by: right)
    }
}

/// One kept message, whose filing fails some times.
private final class KeptStore: IngestStore, KeptMailStore {
    let spool = SpoolDirectory(path: "/tmp")
    private let code: StoreError.Code
    private let state: Mutex<(failures: Int, stagings: Int)>

    init(failures: Int, code: StoreError.Code = .stale) {
        self.code = code
        state = Mutex((failures, 0))
    }

    var stagings: Int { state.withLock { $0.stagings } }

    func attempt(ofReturnPath address: String) -> OutboxAttempt? { nil }

    func directory() -> RoutingDirectory { RouterTests.directory }

    func stage(
        _ message: RoutedMessage, readAttachment: (Int, (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) -> StagedMessage {
        state.withLock { $0.stagings += 1 }
        return StagedMessage(message: message, stagedBytes: 1)
    }

    func commit(_ batch: [StagedMessage]) -> [StoredMessage] { [] }

    func abandon(_ batch: [StagedMessage]) {}

    func kept(_ misrouteID: MisrouteRecord.ID) throws -> KeptMessage {
        let message = spool.makeWriter().finish()
        return KeptMessage(
            misrouteID: misrouteID, reference: SourceReference(mailbox: "funds", place: "a"), digest: message.digest,
            size: 0, trust: .dmarc(authservID: .named("mx.corp.example"), ownReceivedFields: 0))
    }

    func spool(_ kept: KeptMessage) -> SpooledMessage { spool.makeWriter().finish() }

    func resolve(
        _ misrouteID: MisrouteRecord.ID, staged: StagedMessage, sender: User.ID?, in act: DeskAct.ID,
        by right: FilingRight
    ) throws -> StoredMessage {
        let fails = state.withLock { state in
            defer { state.failures -= 1 }
            return state.failures > 0
        }
        if fails { throw StoreError(code, "file misrouted \(misrouteID)", "its bytes were removed meanwhile") }
        return StoredMessage(
            message: staged.message, outcome: .filed, reason: nil, emailID: 1, misrouteID: misrouteID)
    }

    func updateRouting(_ misrouteID: MisrouteRecord.ID, decision: RoutingDecision) {}
}
