import FundCore
import TestSupport
import Testing

@testable import FundStore

/// After rows of what was scanned were lost, nothing is given of which it is not known any more what a scanner said.
@Suite struct StaleScanTests {
    private static let now = Timestamp(1_000_000)
    private static let names = ["clean", "found", "released", "worse", "cleared", "seen", "unknown"]
    private static let parts = names.map { StoreHarness.Part(name: $0, bytes: Array("content \($0)".utf8)) }

    private let damaged: DamagedStore
    private var store: FundStore { damaged.harness.store }

    /// A backup, after which malware was found in one file, another was released, a third found to be worse than when
    /// it was released, and a fourth cleared. Of one the cache alone knows, and of the last nothing.
    init() async throws {
        damaged = try await DamagedStore()
        try await damaged.harness.file("Subject: x\n\nbody", parts: Self.parts)
        let quarantine = store.quarantine
        for name in ["released", "worse", "cleared"] {
            try await quarantine.quarantine(Self.digest(name), malware: "Old", at: Self.now)
        }
        try await quarantine.release(Self.digest("worse"), actor: "root")
        _ = try await store.maintenance.backUp(to: damaged.backup)
        try await quarantine.quarantine(Self.digest("found"), malware: "New", at: Self.now)
        try await quarantine.release(Self.digest("released"), actor: "root")
        try await quarantine.quarantine(Self.digest("worse"), malware: "New", at: Self.now)
        try await quarantine.noteClean(Self.digest("cleared"))
        try await scan("seen", .infected(name: "Seen"))
        try await scan("clean", .clean)
    }

    private static func digest(_ name: String) -> ContentDigest { .of("content \(name)".utf8) }

    private func scan(_ name: String, _ verdict: Verdict) async throws {
        try await store.scan(Self.digest(name), verdict, at: Self.now)
    }

    /// Contents that are given, and those that are held for their malware; the others wait for a scan.
    private func state() async throws -> (given: Set<String>, malware: Set<String>) {
        var (given, malware): (Set<String>, Set<String>) = ([], [])
        for name in Self.names {
            switch try await store.quarantine.refusal(of: Self.digest(name)) {
            case nil: given.insert(name)
            case .malware: malware.insert(name)
            case .unscanned: break
            }
        }
        return (given, malware)
    }

    private func repair(without tables: [String], withBackup: Bool = true) async throws -> VerifyReport {
        for table in tables { try damaged.zeroPage(of: table) }
        return try await store.maintenance.verify(
            repairing: KnownParts(Self.parts), from: withBackup ? damaged.backup : nil)
    }

    /// The audit trail proves what was found and released, with and without a backup.
    @Test(arguments: [true, false]) func whatWasFoundSinceStaysHeld(withBackup: Bool) async throws {
        let report = try await repair(without: ["quarantine"], withBackup: withBackup)
        #expect(report.findings.contains { $0.detail.contains("count as not scanned") }, "\(report.findings)")
        #expect(!report.isSound, "somebody has to look")
        #expect(try await state().malware == ["found", "worse", "seen"])
        store.holdUnscanned()
        #expect(try await state().given == ["released"])
        #expect(try await store.maintenance.verify().findings == [])
    }

    /// A release of the backup may be of before other malware was found, where the audit trail is lost, too.
    @Test func withoutTheAuditTrailNothingIsReleased() async throws {
        _ = try await repair(without: ["quarantine", "audit"])
        #expect(try await state().malware == ["released", "worse", "cleared", "seen"])
        store.holdUnscanned()
        #expect(try await state().given == [])
    }

    /// Remembered scans do not count any more, nor does a verdict of before: all is scanned again.
    @Test func allIsScannedAgain() async throws {
        store.holdUnscanned()
        #expect(try await state().given == ["clean", "released", "seen"])
        try store.connection.write("lose scans") { try ScanLoss.begin($0) }
        #expect(try await state().given == ["released"])
        #expect(try await store.previews.verdict(of: Self.digest("clean")) == .clean)
        _ = try await store.previews.enqueueScans(.new, limit: 10, at: Self.now)
        #expect(try await store.previews.verdict(of: Self.digest("clean")) == nil)
        #expect(try await store.previews.enqueueScans(.old, limit: 10, at: Self.now) == Self.names.count)
        var filter = PreviewJobFilter(leastUrgent: .rescan)
        filter.isForScans = true
        var result = PreviewResult(recipe: 1)
        result.verdict = (.clean, 1)
        while let job = try await store.previews.take(filter, at: Self.now) {
            try await store.previews.finish(job, with: result, then: [], at: Self.now)
        }
        #expect(try await state().given == ["clean", "released", "cleared", "seen", "unknown"])
    }

    /// A raw message is held by the contents that it repeats, also where the rows that say so are made anew.
    @Test func messagesStayLinkedToWhatTheyRepeat() async throws {
        func links() throws -> [Int64] {
            try store.connection.read("look") { try $0.values("SELECT blob_id FROM message_blob ORDER BY blob_id") }
        }
        var random = SeededGenerator(seed: 1)
        let large = StoreHarness.Part(name: "0", bytes: randomBytes(100_000, using: &random))
        let raw = mail(with: [large.bytes], .init(length: 76, end: .lf))
        try await damaged.harness.file(String(decoding: raw, as: UTF8.self), parts: [large])
        let before = try links()
        #expect(before.count == 1)
        let report = try await repair(without: ["message_blob"], withBackup: false)
        #expect(try links() == before)
        #expect(report.isSound, "\(report.findings)")
    }

    /// Each table says what a lost or an older row of it would open.
    @Test func eachTableIsThoughtOf() throws {
        let tables: [String] = try store.connection.read("look") { db in
            try db.values(
                """
                SELECT name FROM pragma_table_list
                WHERE schema = 'main' AND type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name
                """)
        }
        #expect(RecoveredTable.all.map(\.key).sorted() == tables)
    }
}
