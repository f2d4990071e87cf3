import FundCore
import TestSupport
import Testing

@testable import FundStore

/// A row whose owner or place changed is not believed against its indexes.
@Suite struct ChangedKeyTests {
    private static let parts = ["1", "2"].map { StoreHarness.Part(name: $0, bytes: Array("content \($0)".utf8)) }

    private let damaged: DamagedStore
    private var harness: StoreHarness { damaged.harness }
    private var store: FundStore { damaged.harness.store }

    /// Two emails with a file each in Fund1, another fund, and a backup.
    init() async throws {
        damaged = try await DamagedStore()
        for part in Self.parts {
            try await damaged.harness.file("Subject: \(part.name)\n\n\(part.name)", parts: [part])
        }
        _ = try await store.library.addFund("Beta", of: harness.ann.id)
        _ = try await store.maintenance.backUp(to: damaged.backup, BackupOptions())
    }

    private func value(_ table: String, _ column: String) throws -> Int64? {
        try store.connection.read("look") { try $0.value("SELECT \(column) FROM \(table) WHERE id = 1") }
    }

    private func repair(_ backup: String? = nil) async throws -> VerifyReport {
        try await store.maintenance.verify(repairing: KnownParts(Self.parts), from: backup)
    }

    @Test(arguments: ["file", "email"]) func severalIndexesAreBelieved(_ table: String) async throws {
        let fund = try value(table, "fund_id")
        try damaged.changeRows(of: table, "UPDATE \(table) SET fund_id = 2 WHERE id = 1")
        #expect(try await !store.maintenance.verify().isSound)
        let report = try await repair()
        #expect(report.findings.contains { $0.detail.hasPrefix("\(table) 1: its fund_id is 2, and 1 in an index") })
        #expect(try value(table, "fund_id") == fund)
        #expect(try await store.maintenance.verify().findings == [])
    }

    /// A backup that does not tell which is right is not asked for again.
    @Test(arguments: [false, true]) func aBackupMayNotTell(isNewer: Bool) async throws {
        let part = StoreHarness.Part(name: "3", bytes: Array("content 3".utf8))
        try await damaged.harness.file("Subject: 3\n\n3", parts: [part])
        if isNewer {
            try damaged.changeRows(of: "attachment", "UPDATE attachment SET email_id = 2 WHERE id = 3")
        } else {
            try store.connection.write("move") { try $0.execute("UPDATE attachment SET blob_id = 2 WHERE id = 1") }
            try damaged.changeRows(of: "attachment", "UPDATE attachment SET blob_id = 3 WHERE id = 1")
        }
        let details = try await repair(damaged.backup).findings.map(\.detail)
        let words = isNewer ? "does not have this row" : "says 1, and it changed since"
        #expect(details.contains { $0.contains(words) && !$0.contains("--backup DIR") }, "\(details)")
        // An administrator who has looked at it has the last word.
        _ = try await store.maintenance.repairDatabase(from: nil, acceptsRows: true)
        #expect(try await store.maintenance.verify().findings.filter { $0.kind == .database } == [])
    }

    @Test func oneIndexIsBelievedWithTheBackup() async throws {
        try damaged.changeRows(of: "attachment", "UPDATE attachment SET email_id = 2 WHERE id = 1")
        // Nothing tells which of the two is right: it stays as it is, and red.
        let report = try await repair()
        #expect(report.findings.contains { $0.action == .unrepairable && $0.detail.contains("--backup") })
        #expect(try await !store.maintenance.verify().isSound)
        _ = try await repair(damaged.backup)
        #expect(try value("attachment", "email_id") == 1)
        #expect(try await store.maintenance.verify().findings == [])
    }

    /// Whose something is stands in several places: a letter of one of them is put right by the others.
    @Test(arguments: [
        ("change", "user_id", "kind = 2 AND item_id = 1"), ("change", "user_id", "kind = 3 AND item_id = 1"),
        ("deletion", "owner_id", "kind = 2"), ("fund", "owner_id", "id = 1"), ("email", "user_id", "id = 1"),
        ("fund_key", "owner_id", "key = 'fund1'"),
    ])
    func ownersSaySoAgain(_ table: String, _ column: String, _ row: String) async throws {
        let bob = try await store.administration.addUser(
            email: "bob@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test")
        try await store.library.delete(.file(FileEntry.ID(2)), of: harness.ann.id)
        try damaged.changeRows(of: table, "UPDATE \(table) SET \(column) = \(bob.id) WHERE \(row)")
        #expect(try await !store.maintenance.verify().isSound)
        let report = try await repair()
        #expect(report.isSound, "\(report.findings)")
        let owners: [User.ID] = try store.connection.read("look") {
            try $0.values("SELECT \(column) FROM \(table) WHERE \(row)")
        }
        #expect(owners == [harness.ann.id], "\(report.findings)")
        let funds = try store.mail.directory().funds
        #expect(funds.allSatisfy { $0.owner == harness.ann.id && $0.name != FundRows.recovered })
        #expect(try await store.maintenance.verify().findings == [])
    }

    /// Whether something is deleted, filed or put aside.
    @Test(arguments: [
        ("file", "deleted_at = 5", "id = 1"), ("file", "deleted_at = NULL", "id = 2"),
        ("message", "outcome = 'misrouted'", "id = 1"), ("misroute", "resolution = NULL", "id = 1"),
    ])
    func statesSaySoAgain(_ table: String, _ change: String, _ row: String) async throws {
        let kept = try #require(try await harness.file("Subject: k\n\nk", reason: .unknownSender).misrouteID)
        try await store.administration.reject(kept, note: "no", actor: "test")
        try await store.library.delete(.file(FileEntry.ID(2)), of: harness.ann.id)
        let column = String(change.prefix { $0 != " " })
        func state() throws -> [String?] {
            try store.connection.read("look") { try $0.rows("SELECT \(column) FROM \(table) WHERE \(row)") { $0[0] } }
        }
        let before = try state()
        try damaged.changeRows(of: table, "UPDATE \(table) SET \(change) WHERE \(row)")
        let report = try await repair()
        #expect(report.isSound, "\(report.findings)")
        #expect(try state() == before)
        #expect(try await store.maintenance.verify().findings == [])
    }

    /// Entries of indexes without a row are a row that is lost.
    @Test(arguments: ["audit", "file"]) func rowsThatAreGoneComeBack(_ table: String)
        async throws
    {
        let count = try harness.count(table)
        try damaged.changeRows(of: table, "DELETE FROM \(table) WHERE id = 1")
        let refused = try await repair()
        #expect(refused.findings.contains { $0.detail.contains("\(table) 1") && $0.detail.contains("--backup") })
        #expect(!refused.isSound)
        _ = try await repair(damaged.backup)
        #expect(try harness.count("\(table) WHERE id = 1") == 1)
        #expect(try harness.count(table) >= count)
        #expect(try await store.maintenance.verify().findings.filter { $0.kind == .database } == [])
    }
}
