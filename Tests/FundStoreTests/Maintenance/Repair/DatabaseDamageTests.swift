import FundCore
import Foundation
import TestSupport
import Testing

@testable import FundStore

/// Pages of a real database are overwritten: what goes on all the same, and what `verify --repair` makes good.
@Suite struct DatabaseDamageTests {
    private static let parts = [
        StoreHarness.Part(name: "one.pdf", bytes: [UInt8](repeating: 1, count: 1000)),
        StoreHarness.Part(name: "two.pdf", bytes: [UInt8](repeating: 2, count: 1000)),
    ]
    private static let mails = 300

    /// A store with rows on many pages, and a backup of it. All cases begin with copies of one.
    private static func filled() async throws -> DamagedStore { try DamagedStore(await template.value) }

    private static let template = Task {
        let damaged = try await DamagedStore()
        let harness = damaged.harness
        let staged = try (0..<mails).map { number in
            let parts = [StoreHarness.Part(name: "\(number).txt", bytes: Array("\(number)".utf8))] + Self.parts
            let reason: Reason? = number % 10 == 9 ? .noTag : nil
            return try harness.stage(
                try harness.message("a: \(number)\n\nc", parts: parts, reason: reason, place: "\(number)"), parts)
        }
        _ = try await harness.store.mail.commit(staged)
        _ = try await harness.store.maintenance.backUp(to: damaged.backup)
        return try StoreTemplate(harness)
    }

    /// Leaves and roots of tables and indexes, with ids and without.
    @Test(arguments: [
        "message", "email", "blob", "attachment", "change", "email_fund", "counter",
        "sqlite_autoindex_message_1", "sqlite_autoindex_blob_1", "file_name",
    ])
    func nothingStops(_ name: String) async throws {
        let damaged = try await Self.filled()
        let harness = damaged.harness
        let content = Self.parts[0].digest
        // Damage of the log, too: it is found whatever the database says.
        try harness.damage(content)
        try damaged.zeroPage(of: name)
        let seen = try await harness.store.maintenance.verify()
        #expect(seen.findings.contains { $0.kind == .database }, "\(seen.findings)")
        #expect(
            seen.findings.contains { $0.kind == .damagedBlob && $0.digest == content || $0.kind == .damagedSegment },
            "\(seen.findings)")
        #expect(!seen.isSound)

        // The backup keeps its good database, and gets what came since.
        let before = try Data(contentsOf: URL(fileURLWithPath: damaged.backup + "/fundmail.sqlite"))
        let report = try await harness.store.maintenance.backUp(to: damaged.backup)
        // The copy makes the index of a unique column anew from the rows, which are whole.
        if !name.hasPrefix("sqlite_autoindex") {
            #expect(report.damages.contains { $0.contains("database") }, "\(report.damages)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: damaged.backup + "/fundmail.sqlite")) == before)
        }
        let kept = try FundStore.open(at: damaged.backup, mode: .readOnly)
        #expect(try await kept.maintenance.verify().findings == [])
        try kept.close()

        // The backup has all rows, and the log the other half. What opening reads of the rows is read again in between.
        let first = try await harness.store.maintenance.repairDatabase(from: damaged.backup, acceptsRows: false)
        #expect(!first.isEmpty && !first.leftDatabaseDamaged, "\(first)")
        try harness.reopen()
        // All of it can be read later, too.
        let noted: [String] = try harness.store.connection.read("read the audit trail") {
            try $0.values("SELECT detail FROM audit WHERE action = 'store.repair'")
        }
        #expect(first.allSatisfy { finding in noted.contains { $0.hasSuffix(": \(finding.detail)") } }, "\(noted)")
        let mended = try await harness.store.maintenance.verify(
            repairing: KnownParts(Self.parts), from: damaged.backup)
        #expect(mended.isSound, "\(mended.findings)")
        #expect(try await harness.store.maintenance.verify().findings == [])
        #expect(try harness.count("email") == Self.mails * 9 / 10)
        // One stands for ids that are passed over where the numbers of the store are lost.
        #expect(try harness.count("file WHERE deleted_at IS NULL") == Self.mails * 9 / 10 * 3)
        #expect(try harness.content(content) == Self.parts[0].bytes)
        // The damaged one is kept, and nothing is filed twice.
        if !name.hasPrefix("sqlite_") {
            #expect(try DiskDirectory.names(in: harness.store.connection.location.lost).count == 1)
        }
        #expect(try await harness.file("a: 5\n\nc").outcome == .duplicate)
        #expect(try await harness.file("a: new\n\nc", parts: Self.parts).outcome == .filed)
        try harness.reopen()
        #expect(try await harness.store.maintenance.verify().findings == [])
    }

    /// Indexes, and what the log and other rows tell, need no backup.
    @Test(arguments: [
        "sqlite_autoindex_message_1", "file_name", "email_fund", "change", "message", "segment", "counter",
    ])
    func comesBackWithoutABackup(_ name: String) async throws {
        let damaged = try await Self.filled()
        // It stands in a segment of its own.
        let large = StoreHarness.Part(name: "large", bytes: [UInt8](repeating: 3, count: Int(LogFormat.largeBytes)))
        try await damaged.harness.file("large: 1\n\nc", parts: [large], reason: .noTag)
        try damaged.zeroPage(of: name)
        let mended = try await damaged.harness.store.maintenance.verify(repairing: KnownParts(Self.parts))
        #expect(mended.isSound, "\(mended.findings)")
        #expect(try await damaged.harness.store.maintenance.verify().findings == [])
        #expect(try damaged.harness.count("message") == Self.mails + 1)
        #expect(try damaged.harness.count("email") == Self.mails * 9 / 10)
        try damaged.harness.reopen()
        #expect(damaged.harness.store.notice == nil)
        #expect(try await damaged.harness.file("a: 5\n\nc").outcome == .duplicate)
        #expect(try await damaged.harness.file("a: new\n\nc", parts: Self.parts).outcome == .filed)
        try damaged.harness.store.log.reclaim()
        #expect(try await damaged.harness.store.maintenance.verify().findings == [])
    }

    /// Nothing is thrown away that only a backup could give.
    @Test(arguments: ["email", "file", "attachment", "blob", "user"])
    func refusesWithoutABackup(_ name: String) async throws {
        let damaged = try await Self.filled()
        try damaged.zeroPage(of: name)
        let report = try await damaged.harness.store.maintenance.verify(repairing: KnownParts(Self.parts))
        #expect(!report.isSound)
        #expect(report.findings.contains { $0.detail.contains("--backup") }, "\(report.findings)")
        // Nothing was written anew.
        #expect(try DiskDirectory.names(in: damaged.harness.store.connection.location.lost) == [])
    }

    /// Mail of which the rows do not fall on the page comes in.
    @Test func mailGoesOnBesideADamagedIndex() async throws {
        let damaged = try await Self.filled()
        try damaged.zeroPage(of: "sqlite_autoindex_message_1")
        let harness = damaged.harness
        var outcomes: [String: Int] = [:]
        for number in 0..<40 {
            do {
                let stored = try await harness.file("b: \(number)\n\nc")
                outcomes[stored.outcome.rawValue, default: 0] += 1
            } catch let error as StoreError { outcomes["\(error.code == .corrupted)", default: 0] += 1 }
        }
        #expect(outcomes["filed"] ?? 0 > 0 && outcomes["false"] == nil, "\(outcomes)")
        #expect(try await harness.store.maintenance.verify(repairing: KnownParts(Self.parts)).isSound)
        #expect(try harness.count("message") == Self.mails + (outcomes["filed"] ?? 0))
    }

    /// Needed rows that came after the backup cannot be made up where indexes are lost, too.
    @Test func rowsThatCameAfterTheBackupAreNotMadeUp() async throws {
        let damaged = try await Self.filled()
        for number in 0..<60 { try await damaged.harness.file("late: \(number)\n\nc", parts: Self.parts) }
        try damaged.zeroPage(of: "email", isLast: true)
        try damaged.zeroPage(of: "sqlite_autoindex_email_1", isLast: true)
        let report = try await damaged.harness.store.maintenance.verify(
            repairing: KnownParts(Self.parts), from: damaged.backup)
        #expect(report.findings.contains { $0.detail.contains("came after the backup") }, "\(report.findings)")
        #expect(!report.isSound)
        // Nothing was written anew.
        #expect(try DiskDirectory.names(in: damaged.harness.store.connection.location.lost) == [])
    }

    /// A letter of a name: SQLite sees nothing, and the store would believe it.
    @Test func aFlippedLetterIsFound() async throws {
        let damaged = try await DamagedStore()
        let harness = damaged.harness
        let administration = harness.store.administration
        let user = try await administration.addUser(
            email: "bob@example.com", name: "Bob Quixotic", isAdministrator: false, addresses: [], actor: "test")
        _ = try await harness.store.maintenance.backUp(to: damaged.backup)
        #expect(try await harness.store.maintenance.verify().findings == [])
        try damaged.replace("Quixotic", by: "Quixotid", on: "user")
        let seen = try await harness.store.maintenance.verify()
        #expect(seen.findings.map(\.kind) == [.changedRow], "\(seen.findings)")
        // Another change of the row does not hide it.
        _ = try await harness.store.administration.setDisabled(true, user: user.id, actor: "test")
        #expect(try await harness.store.maintenance.verify().findings.map(\.kind) == [.changedRow])
        // The backup no longer has what was written last.
        let mended = try await harness.store.maintenance.verify(repairing: KnownParts([]), from: damaged.backup)
        #expect(mended.findings.map(\.action) == [.unrepairable])
        let accepted = try await harness.store.maintenance.verify(repairing: KnownParts([]), acceptsRows: true)
        #expect(accepted.isSound && accepted.findings.map(\.kind) == [.changedRow])
        #expect(try await harness.store.maintenance.verify().findings == [])
    }

    @Test func aFlippedLetterComesBackFromTheBackup() async throws {
        let damaged = try await DamagedStore()
        let harness = damaged.harness
        _ = try await harness.store.maintenance.backUp(to: damaged.backup)
        try damaged.replace("Fund1", by: "Fund2", on: "fund")
        let kinds = try await harness.store.maintenance.verify().findings.map(\.kind)
        #expect(Set(kinds) == [.changedRow, .library], "\(kinds)")
        let mended = try await harness.store.maintenance.verify(repairing: KnownParts([]), from: damaged.backup)
        #expect(mended.isSound, "\(mended.findings)")
        #expect(try await harness.store.maintenance.verify().findings == [])
        #expect(try await harness.store.mail.directory().funds.map(\.name) == ["Fund1"])
    }

    /// Names of files have no checksum, and stand in the rows twice.
    @Test func aFlippedLetterOfAFileIsFound() async throws {
        let damaged = try await Self.filled()
        try damaged.replace("123.txt", by: "124.txt", on: "file")
        #expect(try await !damaged.harness.store.maintenance.verify().isSound)
    }
}
