import FundCore
import TestSupport
import Testing

@testable import FundStore

/// How many files a kept message brings.
@Suite struct KeptFilesTests {
    private static let parts = [
        StoreHarness.Part(name: "a.pdf", bytes: [1]), StoreHarness.Part(name: "b.pdf", bytes: [2]),
        StoreHarness.Part(name: "logo.png", bytes: [3], isInline: true),
    ]

    /// A store of the version before the count: nothing is known of its mail until that is opened, and nothing is lost.
    @Test func anOlderStoreCountsWhenMailIsOpened() async throws {
        let harness = try await StoreHarness()
        let kept = try await harness.file("Subject: 1\n\n1", parts: Self.parts, reason: .noTag)
        let id = try #require(kept.misrouteID)
        #expect(try await harness.store.administration.misroute(id).fileCount == 2)
        let before = try await harness.store.administration.misroute(id)
        try harness.store.close()
        try DatabaseFile.change(StoreLocation(root: harness.folder + "/store").database) { db in
            try db.execute("ALTER TABLE misroute DROP COLUMN file_count")
            try db.execute("DELETE FROM grdb_migrations WHERE identifier = '12'")
        }
        harness.store = try FundStore.open(at: harness.folder + "/store", mode: .existing)
        let desk = harness.store.administration
        var record = try await desk.misroute(id)
        #expect(record.fileCount == nil)
        record.fileCount = 2
        #expect(record == before)
        try await desk.noteOpened(id, fileCount: nil, actor: "test")
        #expect(try await desk.misroute(id).fileCount == nil)
        try await desk.noteOpened(id, fileCount: 2, actor: "test")
        #expect(try await desk.misroute(id).fileCount == 2)
        // A count that stands there is not replaced.
        try await desk.noteOpened(id, fileCount: 7, actor: "test")
        #expect(try await desk.misroute(id).fileCount == 2)
        #expect(try await harness.store.maintenance.verify().findings == [])
    }

    /// An act that was refused leaves no row, and one that did something stays.
    @Test func aRefusedActLeavesNothing() async throws {
        let harness = try await StoreHarness()
        let root = try await harness.store.administration.addUser(
            email: "root@example.com", name: nil, isAdministrator: true, addresses: [], actor: "test"
        ).email
        let kept = try await harness.file("Subject: 1\n\n1", reason: .noTag)
        let desk = harness.store.administration
        let refused = try await desk.begin(.assign, about: .init(fund: harness.fund.id), actor: root)
        try await desk.discard(refused)
        #expect(try harness.count("desk_act") == 0)
        let act = try await desk.begin(.reject, about: .init(), actor: root)
        try await desk.reject(try #require(kept.misrouteID), note: "", in: act, actor: root)
        try await desk.discard(act)
        #expect(try harness.count("desk_act") == 1)
    }
}
