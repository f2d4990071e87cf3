import Foundation
import FundCore
import Synchronization
import TestSupport
import Testing

@testable import FundStore

@Suite struct LogRecoveryTests {
    private let parts = [StoreHarness.Part(name: "one", bytes: [UInt8](repeating: 1, count: 1000))]
    private let received = Timestamp(1_600_000_000)

    private func sizes(_ location: StoreLocation) throws -> [String: Int64?] {
        try DiskDirectory.names(in: location.log).reduce(into: [:]) {
            $0[$1] = DiskFile.size(of: "\(location.log)/\($1)")
        }
    }

    /// Mail of a log without rows, as the pipeline would store it.
    private func file(_ recovery: LogRecovery, like message: RoutedMessage, into store: FundStore) async throws {
        let source = try recovery.mail { origin, _ in
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
    @Test(arguments: [false, true]) func givesRecordsRowsWhereTheyStand(isLogALink: Bool) async throws {
        let harness = try await StoreHarness()
        let location = harness.store.connection.location
        var message = try harness.message("a: b\n\nc", parts: parts, mailbox: "funds", place: "7/12")
        message.receivedAt = received
        _ = try await harness.store.mail.commit([try harness.stage(message, parts)])
        try harness.store.close()
        let before = try sizes(location)
        StoreLocation.removeDatabase(location.database)
        if isLogALink {
            rename(location.log, "\(harness.folder)/elsewhere")
            symlink("\(harness.folder)/elsewhere", location.log)
        }

        let rebuild = try DatabaseRebuild.begin(at: location.root, also: [], isForced: false)
        // Others wait, and a second rebuild does, too.
        #expect { try DatabaseRebuild.begin(at: location.root, also: [], isForced: true) } throws: {
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
        #expect(try sizes(location) == before)

        harness.store = try FundStore.open(at: location.root, mode: .existing)
        let row = try #require(
            try harness.store.connection.read("look") {
                try $0.row("SELECT received_at, mailbox, place FROM message")
            })
        #expect(row[0] as Timestamp == received && row[1] as String == "funds" && row[2] as String == "7/12")
        #expect(try harness.content(message.spooled.digest) != nil)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// A message that was too large has only its header in the log. It is no mail without a body.
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
        let location = harness.store.connection.location
        try harness.store.close()
        StoreLocation.removeDatabase(location.database)
        // A wrong name of what is to be read further is said before anything begins.
        for place in [location.root + "/none", location.temporary] {
            #expect { try DatabaseRebuild.begin(at: location.root, also: [place], isForced: true) } throws: { error in
                let error = error as? StoreError
                return error?.code == .notFound && error?.detail.contains("--from, \(place): ") == true
            }
        }
        let rebuild = try DatabaseRebuild.begin(at: location.root, also: [], isForced: false)
        let recovery = try await rebuild.store.recoverLog(also: [])
        let source = try recovery.mail { origin, _ in (SourceReference(place: origin), RoutingPolicy(trust: .vouched)) }
        #expect(try await source.next(atMost: 1).map { $0.refusal?.reason } == [isHeaderOnly ? .tooLarge : nil])
        rebuild.abandon()
    }

    /// Without an administrator there is no fund that contents could come into; nothing is lost by that.
    @Test func uploadsNeedAnAdministrator() async throws {
        let harness = try await LibraryHarness()
        try await harness.put("plan", "what came by no mail")
        let location = harness.store.connection.location
        try harness.store.close()
        StoreLocation.removeDatabase(location.database)
        let rebuild = try DatabaseRebuild.begin(at: location.root, also: [], isForced: false)
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
        #expect(try DiskDirectory.names(in: location.root).filter { $0.hasPrefix("fundmail.sqlite") } == [])
    }

    /// Mail of a segment that has lost its beginning and of which nothing tells whether its records came by mail is
    /// filed again without a sender's vouch; a whole segment, and a copy of it, tell.
    @Test(arguments: [true, false]) func whatIsNotCertainIsSaid(hasCopy: Bool) async throws {
        let torn = try await TornLog()
        let location = torn.location
        StoreLocation.removeDatabase(location.database)
        if hasCopy { try TestFile.write(torn.whole, to: "\(location.lost)/copy.seg") }
        let rebuild = try DatabaseRebuild.begin(at: location.root, also: [], isForced: false)
        let recovery = try await rebuild.store.recoverLog(also: hasCopy ? [location.lost] : [])
        let found = Mutex<[Bool]>([])
        let source = try recovery.mail { origin, isProven in
            found.withLock { $0.append(isProven) }
            return (SourceReference(place: origin), RoutingPolicy(trust: .vouched))
        }
        let count = try await source.next(atMost: 10).count
        #expect(count == (hasCopy ? 3 : 2) && recovery.unproven == (hasCopy ? 0 : count))
        #expect(found.withLock { $0 } == [Bool](repeating: hasCopy, count: count))
        rebuild.abandon()
    }

    /// A thing in the database's place that is no file is not moved away after all the work, nor a link replaced.
    @Test(arguments: [true, false]) func onlyAFileIsReplaced(isLink: Bool) async throws {
        let harness = try await StoreHarness()
        try await harness.file("a: b\n\nc")
        let location = harness.store.connection.location
        try harness.store.close()
        #expect(rename(location.database, location.root + "/elsewhere") == 0)
        if isLink { symlink("elsewhere", location.database) } else { mkdir(location.database, 0o700) }
        #expect {
            try DatabaseRebuild.begin(at: location.root, also: [], isForced: true)
        } throws: {
            let error = $0 as? StoreError
            return error?.code == .invalid && error?.detail.contains(isLink ? "a symbolic link" : "a folder") == true
        }
        #expect(DiskFile.kind(of: location.database) == (isLink ? .link : .folder))
    }
}
