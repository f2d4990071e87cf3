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

    /// A store with rows on many pages, and a backup of it.
    private static func filled() async throws -> DamagedStore {
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
        return damaged
    }

    /// Leaves and roots of tables and indexes, with ids and without.
    @Test(arguments: [
        "message", "email", "blob", "attachment", "change", "email_fund",
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
        // Of a unique column the copy makes the index anew from the rows, which are whole.
        if !name.hasPrefix("sqlite_autoindex") {
            #expect(report.damages.contains { $0.contains("database") }, "\(report.damages)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: damaged.backup + "/fundmail.sqlite")) == before)
        }
        let kept = try FundStore.open(at: damaged.backup, mode: .readOnly)
        #expect(try await kept.maintenance.verify().findings == [])
        try kept.close()

        // The backup has all rows, and the log the other half.
        let mended = try await harness.store.maintenance.verify(
            repairing: KnownParts(Self.parts), from: damaged.backup)
        #expect(mended.isSound, "\(mended.findings)")
        #expect(try await harness.store.maintenance.verify().findings == [])
        #expect(try harness.count("email") == Self.mails * 9 / 10)
        #expect(try harness.count("file") == Self.mails * 9 / 10 * 3)
        #expect(try harness.content(content) == Self.parts[0].bytes)
        // The damaged one is kept, and nothing is filed twice.
        if !name.hasPrefix("sqlite_") {
            #expect(try DiskDirectory.names(in: harness.store.connection.layout.lost).count == 1)
        }
        #expect(try await harness.file("a: 5\n\nc").outcome == .duplicate)
        #expect(try await harness.file("a: new\n\nc", parts: Self.parts).outcome == .filed)
        try harness.reopen()
        #expect(try await harness.store.maintenance.verify().findings == [])
    }

    /// Indexes, and what the log and other rows tell, need no backup.
    @Test(arguments: ["sqlite_autoindex_message_1", "file_name", "email_fund", "change", "message"])
    func comesBackWithoutABackup(_ name: String) async throws {
        let damaged = try await Self.filled()
        try damaged.zeroPage(of: name)
        let mended = try await damaged.harness.store.maintenance.verify(repairing: KnownParts(Self.parts))
        #expect(mended.isSound, "\(mended.findings)")
        #expect(try await damaged.harness.store.maintenance.verify().findings == [])
        #expect(try damaged.harness.count("message") == Self.mails)
        #expect(try damaged.harness.count("email") == Self.mails * 9 / 10)
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
        #expect(try DiskDirectory.names(in: damaged.harness.store.connection.layout.lost) == [])
        let other = try await StoreHarness()
        _ = try await other.store.maintenance.backUp(to: other.folder + "/backup")
        let wrong = try await damaged.harness.store.maintenance.verify(
            repairing: KnownParts(Self.parts), from: other.folder + "/backup")
        #expect(wrong.findings.contains { $0.detail.contains("none of this store") }, "\(wrong.findings)")
        await #expect {
            try await damaged.harness.store.maintenance.verify(
                repairing: KnownParts(Self.parts), from: other.folder + "/nothing")
        } throws: { ($0 as? StoreError)?.code == .notFound }
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

    /// What came after the backup and is needed cannot be made up.
    @Test func rowsThatCameAfterTheBackupAreNotMadeUp() async throws {
        let damaged = try await Self.filled()
        for number in 0..<60 { try await damaged.harness.file("late: \(number)\n\nc", parts: Self.parts) }
        try damaged.zeroPage(of: "email", isLast: true)
        let report = try await damaged.harness.store.maintenance.verify(
            repairing: KnownParts(Self.parts), from: damaged.backup)
        #expect(report.findings.contains { $0.detail.contains("came after the backup") }, "\(report.findings)")
        #expect(!report.isSound)
        // Nothing was written anew.
        #expect(try DiskDirectory.names(in: damaged.harness.store.connection.layout.lost) == [])
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

/// A store whose database is damaged while it is closed.
private final class DamagedStore {
    let harness: StoreHarness
    var backup: String { harness.folder + "/backup" }
    private var path: String { harness.store.connection.layout.database }

    init() async throws { harness = try await StoreHarness() }

    var bytes: Data { get throws { try Data(contentsOf: URL(fileURLWithPath: path)) } }

    /// Overwrites a page of a table or an index: a leaf in its middle, or the last one, or its only page.
    func zeroPage(of name: String, isLast: Bool = false) throws {
        let pages = try pages(of: name)
        let page = try #require(
            isLast ? pages.last : pages.dropLast().dropFirst(max(0, pages.count / 2 - 1)).first ?? pages.first)
        try change { bytes in
            let start = Int(page - 1) * 4096
            bytes.replaceSubrange(start..<(start + 4096), with: Data(count: 4096))
        }
    }

    /// Changes the first such text on the pages of a table.
    func replace(_ text: String, by other: String, on name: String) throws {
        let pages = try pages(of: name)
        try change { bytes in
            for page in pages {
                let start = Int(page - 1) * 4096
                guard let range = bytes.range(of: Data(text.utf8), in: start..<(start + 4096)) else { continue }
                return bytes.replaceSubrange(range, with: Data(other.utf8))
            }
            Issue.record("\(text) is not on the pages of \(name)")
        }
    }

    /// Its leaves in their order.
    private func pages(of name: String) throws -> [Int64] {
        try harness.store.connection.read("look for pages") { db in
            try db.values("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path", [name])
        }
    }

    private func change(_ body: (inout Data) throws -> Void) throws {
        let store = harness.store
        try store.connection.locked("write all to the file") { db in _ = store.connection.truncateLog(db) }
        try store.close()
        var bytes = try bytes
        try body(&bytes)
        try bytes.write(to: URL(fileURLWithPath: path))
        try harness.reopen()
    }
}
