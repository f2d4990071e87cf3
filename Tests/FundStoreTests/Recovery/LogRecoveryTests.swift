import Foundation
import FundCore
import TestSupport
import Testing

@testable import FundStore

@Suite struct LogRecoveryTests {
    private let parts = [StoreHarness.Part(name: "one", bytes: [UInt8](repeating: 1, count: 1000))]
    private let received = Timestamp(1_600_000_000)

    private func sizes(_ layout: StoreLayout) throws -> [String: Int64?] {
        try DiskDirectory.names(in: layout.log).reduce(into: [:]) {
            $0[$1] = StoreLayout.size(of: "\(layout.log)/\($1)")
        }
    }

    /// Mail of a log without rows, as the pipeline would store it.
    private func file(_ recovery: LogRecovery, like message: RoutedMessage, into store: FundStore) async throws {
        let source = try recovery.mail { origin in
            (SourceReference(mailbox: "funds", place: String(origin.dropFirst(6))), RoutingPolicy(trust: .vouched))
        }
        let pending = try #require(try await source.next(atMost: 10).first)
        #expect(pending.reference == SourceReference(mailbox: "funds", place: "7/12"))
        #expect(pending.receivedAt == received)
        var routed = RoutedMessage(
            reference: pending.reference, spooled: try pending.spool(store.mail.spool), parsed: message.parsed,
            decision: RoutingDecision(outcome: .misrouted, reason: .noTag), policy: message.policy)
        routed.receivedAt = pending.receivedAt
        let staged = try store.mail.stage(routed) { _, consume in try parts[0].bytes.withUnsafeBytes(consume) }
        try await source.acknowledge(try await store.mail.commit([staged]))
        #expect(try await source.next(atMost: 10).isEmpty)
    }

    /// Rows come to stand where the records do: nothing is written, and times and origins are those of the records.
    @Test func givesRecordsRowsWhereTheyStand() async throws {
        let harness = try await StoreHarness()
        let layout = harness.store.connection.layout
        var message = try harness.message("a: b\n\nc", parts: parts, mailbox: "funds", place: "7/12")
        message.receivedAt = received
        _ = try await harness.store.mail.commit([try harness.stage(message, parts)])
        try harness.store.close()
        let before = try sizes(layout)
        for suffix in ["", "-wal", "-shm"] { unlink(layout.database + suffix) }

        let rebuild = try DatabaseRebuild.begin(at: layout.root, also: [], isForced: false)
        // Others wait, and a second rebuild does, too.
        #expect { try DatabaseRebuild.begin(at: layout.root, also: [], isForced: true) } throws: {
            ($0 as? StoreError)?.code == .held
        }
        let recovery = try await rebuild.store.recoverLog(also: [])
        try await file(recovery, like: message, into: rebuild.store)
        // The attachment belongs to the mail, whatever became of that.
        #expect(try await recovery.fileUploads(actor: "test") == RecoveredUploads())
        try await rebuild.store.finish(recovery)
        #expect(try rebuild.finish() == nil)
        #expect(try recovery.keepDamaged() == [])
        #expect(recovery.damages == [])
        #expect(try sizes(layout) == before)

        harness.store = try FundStore.open(at: layout.root, mode: .existing)
        let row = try #require(
            try harness.store.connection.read("look") {
                try $0.row("SELECT received_at, mailbox, place FROM message")
            })
        #expect(row[0] as Timestamp == received && row[1] as String == "funds" && row[2] as String == "7/12")
        #expect(try harness.content(message.spooled.digest) != nil)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// Of a message that was too large only the header stands in the log. It is no mail without a body.
    @Test(arguments: [
        ("A: b\nContent-Type:\n Multipart/mixed; boundary=x\n\n", true),
        ("A: b\r\nContent-Type: multipart/mixed\r\n", true),
        ("A: b\nContent-Type: multipart/mixed; boundary=x\n\n--x--", false),
        ("A: b\nContent-Type: text/plain\n\n", false),
        ("A: b\n\nContent-Type: multipart/mixed", false),
    ])
    func aHeaderAloneIsNoMail(raw: String, isHeaderOnly: Bool) async throws {
        let harness = try await StoreHarness()
        try await harness.file(raw)
        let layout = harness.store.connection.layout
        try harness.store.close()
        for suffix in ["", "-wal", "-shm"] { unlink(layout.database + suffix) }
        let rebuild = try DatabaseRebuild.begin(at: layout.root, also: [], isForced: false)
        let recovery = try await rebuild.store.recoverLog(also: [])
        let source = try recovery.mail { (SourceReference(place: $0), RoutingPolicy(trust: .vouched)) }
        #expect(try await source.next(atMost: 1).map { $0.refusal?.reason } == [isHeaderOnly ? .tooLarge : nil])
        rebuild.abandon()
    }

    /// Without an administrator there is nobody whose fund contents could come into; nothing is lost by that.
    @Test func uploadsNeedAnAdministrator() async throws {
        let harness = try await LibraryHarness()
        try await harness.put("plan", "what came by no mail")
        let layout = harness.store.connection.layout
        try harness.store.close()
        for suffix in ["", "-wal", "-shm"] { unlink(layout.database + suffix) }
        let rebuild = try DatabaseRebuild.begin(at: layout.root, also: [], isForced: false)
        let recovery = try await rebuild.store.recoverLog(also: [])
        await #expect { try await recovery.fileUploads(actor: "test") } throws: {
            ($0 as? StoreError)?.code == .notFound
        }
        try await rebuild.store.administration.addUser(
            email: "office@example.com", name: nil, isAdministrator: true, addresses: [], actor: "test")
        for count in [1, 0] {
            #expect(try await recovery.fileUploads(actor: "test").files == count)
        }
        rebuild.abandon()
        #expect(try DiskDirectory.names(in: layout.root).filter { $0.hasPrefix("fundmail.sqlite") } == [])
    }
}
