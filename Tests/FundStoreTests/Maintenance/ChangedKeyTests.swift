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
        // Somebody who has looked at it has the last word.
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
}
