import TestSupport
internal import Foundation
internal import Glibc
import FundCore
import Testing

@testable import FundStore

/// Rows come into a damaged store only from a backup that is whole, and of a state that the store goes on from.
@Suite struct NamedBackupTests {
    private static let pageBytes = 4096

    private let damaged: DamagedStore
    private var harness: StoreHarness { damaged.harness }

    init() async throws {
        damaged = try await DamagedStore()
        for number in 0..<3 { try await harness.file("a: \(number)\n\nb", place: "\(number)") }
        _ = try await harness.store.maintenance.backUp(to: damaged.backup)
    }

    private func copyStore(_ name: String) throws -> String {
        try harness.store.close()
        let path = "\(harness.folder)/\(name)"
        try FileManager.default.copyItem(atPath: harness.folder + "/store", toPath: path)
        try harness.reopen()
        return path
    }

    private func file(_ texts: [String], into path: String, backup: String? = nil) async throws {
        let store = try FundStore.open(at: path, mode: .existing)
        defer { try? store.close() }
        for text in texts {
            let staged = try store.mail.stage(try harness.message("a: \(text)\n\nb", place: text)) { _, _ in }
            #expect(try await store.mail.commit([staged])[0].outcome == .filed)
        }
        if let backup { _ = try await store.maintenance.backUp(to: backup) }
    }

    private func repair(from path: String) async throws -> VerifyReport {
        try await harness.store.maintenance.verify(repairing: KnownParts([]), from: path)
    }

    /// Why a backup is not taken; nil when it is. Then nothing of the store has changed.
    private func refusal(of path: String) async throws -> StoreError? {
        let before = try damaged.bytes
        do {
            _ = try await repair(from: path)
            return nil
        } catch let error as StoreError {
            #expect(try damaged.bytes == before)
            #expect(try DiskDirectory.names(in: harness.store.connection.location.lost) == [])
            return error
        }
    }

    /// A wrong backup.
    enum Wrong: CaseIterable {
        case otherWay, later, used, copied

        var words: String {
            switch self {
            case .otherWay: "went another way"
            case .later: "later state"
            case .used, .copied: "used as a store"
            }
        }
    }

    private func make(_ wrong: Wrong) async throws -> String {
        let path = "\(harness.folder)/wrong"
        switch wrong {
        case .otherWay:
            let twin = try copyStore("twin")
            try await file(["twin"], into: twin, backup: path)
            try await harness.file("a: own\n\nb", place: "own")
        case .later: try await file(["later", "later still"], into: try copyStore("twin"), backup: path)
        case .used:
            try FileManager.default.copyItem(atPath: damaged.backup, toPath: path)
            let store = try FundStore.open(at: path, mode: .existing)
            defer { try? store.close() }
            _ = try await store.administration.addFund(
                name: "Other", owner: harness.ann.id, aliases: [], actor: "test")
        case .copied: return try copyStore("wrong")
        }
        return path
    }

    /// The log and the audit trail tell it where the pages are lost that tell it best.
    @Test(arguments: Wrong.allCases, [["email"], ["email", "backup_state"], ["email", "counter", "backup_state"]])
    func anotherStateIsRefused(_ wrong: Wrong, lost: [String]) async throws {
        let path = try await make(wrong)
        _ = try await harness.store.maintenance.backUp(to: damaged.backup)
        for table in lost { try damaged.zeroPage(of: table) }
        let error = try #require(try await refusal(of: path))
        #expect(error.code == .conflict && error.detail.contains(wrong.words), "\(error)")
        #expect(error.detail.contains("Nothing was changed") && error.description.contains(path), "\(error)")
        // The right one is taken, whatever is lost with the rows.
        let report = try await repair(from: damaged.backup)
        #expect(report.findings.contains { $0.action == .restored && $0.detail.hasPrefix("email") }, "\(report)")
        #expect(try await harness.store.maintenance.verify().findings == [])
    }

    /// A store that was restored from an older state does not take rows of the states after that.
    @Test func aStoreThatWasRestoredTakesTheBackupThatItGoesOnFrom() async throws {
        try await harness.file("a: later\n\nb", place: "later")
        _ = try await harness.store.maintenance.backUp(to: damaged.backup)
        let folder = BackupFolder(path: damaged.backup)
        let older = try #require(try folder.all().last?.name)
        try harness.store.close()
        try FileManager.default.removeItem(atPath: harness.folder + "/store")
        _ = try folder.restore(older, to: harness.folder + "/store")
        try harness.reopen()
        try damaged.zeroPage(of: "email")
        let error = try #require(try await refusal(of: damaged.backup))
        #expect(error.detail.contains("later state") && error.detail.contains("--state \(older)"), "\(error)")
        let named = harness.folder + "/named"
        _ = try folder.restore(older, to: named)
        #expect(try await repair(from: named).isSound)
    }

    /// The error says that the backup is damaged, or is none.
    @Test(arguments: ["page", "cut", "text", "empty"], [false, true])
    func whatIsNoWholeBackupIsRefused(_ kind: String, isFile: Bool) async throws {
        let database = damaged.backup + "/fundmail.sqlite"
        var bytes = try TestFile.read(database)
        switch kind {
        case "page":
            for start in stride(from: 2 * Self.pageBytes, to: bytes.count, by: Self.pageBytes) {
                bytes.replaceSubrange(start..<start + Self.pageBytes, with: repeatElement(7, count: Self.pageBytes))
            }
        case "cut": bytes.removeLast(bytes.count / 2 / Self.pageBytes * Self.pageBytes)
        case "text": bytes = Array(String(repeating: "hello\n", count: Self.pageBytes).utf8)
        default: bytes = []
        }
        try TestFile.write(bytes, to: database)
        try damaged.zeroPage(of: "email")
        let error = try #require(try await refusal(of: isFile ? database : damaged.backup))
        #expect(error.code == .invalid && error.detail.contains("is the backup's fundmail.sqlite"), "\(error)")
    }

    @Test func theStoreItselfAndAnotherOneAreNoBackup() async throws {
        try damaged.zeroPage(of: "email")
        let own = harness.folder + "/store"
        let link = harness.folder + "/link"
        symlink(own, link)
        let other = try await StoreHarness()
        _ = try await other.store.maintenance.backUp(to: other.folder + "/backup")
        for (path, words) in [
            (own, "store itself"), (own + "/fundmail.sqlite", "store itself"), (link, "store itself"),
            (other.folder + "/backup", "none of this store"),
        ] {
            let error = try #require(try await refusal(of: path))
            #expect(error.code == .invalid && error.detail.contains(words), "\(error)")
        }
        #expect(try await refusal(of: other.folder + "/nothing")?.code == .notFound)
    }

    /// A store that is made of a store begins a history, as one that is made of a backup does.
    @Test func whatIsMadeOfAStoreBeginsAHistory() throws {
        let path = harness.folder + "/again"
        let own = try harness.store.connection.read("") { try StoreHistory.current($0) }
        _ = try BackupFolder(path: harness.folder + "/store").restore(nil, to: path)
        let store = try FundStore.open(at: path, mode: .existing)
        defer { try? store.close() }
        #expect(try store.connection.read("") { try StoreHistory.current($0) } != own)
    }

    /// A row of a backup is left out whose record the log never had.
    @Test func rowsOfOtherLogsAreLeftOut() throws {
        struct Undone: Error {}
        let log = harness.store.log
        #expect(throws: Undone.self) {
            try log.connection.write("write other rows", .free, leaveOut)
        }
        func leaveOut(_ db: Database) throws {
            try db.execute("PRAGMA defer_foreign_keys = ON")
            let locations = RowLocations(log: log, db: db)
            let all = [LostRows(first: 1, last: nil)]
            #expect(try locations.dropOthers(.message, all) == 0)
            try db.execute("UPDATE message SET digest = ? WHERE id = 2", [ContentDigest.of([1])])
            #expect(try locations.dropOthers(.message, all) == 1)
            #expect(try db.values("SELECT id FROM message") == [1, 3] as [Int64])
            throw Undone()
        }
    }
}
