internal import Foundation
import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The update of a store of before each person had a feed is cut off, by SIGKILL or by a disk without room: what was
/// there stays, and the next update ends as one that nothing disturbed.
@Suite(.startsPrograms, .serialized) struct FeedUpdateTests {
    private static let fileCount = 30_000

    /// A database of before, without a write-ahead log.
    private static let earlier = Task {
        let path = try TestFile.makeFolder("earlier") + "/fundmail.sqlite"
        let harness = try FeedMigrationTests.earlierStore(files: fileCount)
        try harness.pool.withWriter { $0.truncateWAL(waitingUpTo: 0) }
        try FileManager.default.copyItem(atPath: harness.location.database, toPath: path)
        return path
    }

    /// Puts a store of before into a folder, and gives its path.
    private func makeStore(in folder: String) async throws -> String {
        let location = StoreLocation(root: folder + "/store")
        try? FileManager.default.removeItem(atPath: location.root)
        try location.create(hasLog: true)
        try FileManager.default.copyItem(atPath: try await Self.earlier.value, toPath: location.database)
        return location.root
    }

    /// All that the update makes of what was there, a text a row.
    private func made(_ path: String) async throws -> [String] {
        let store = try FundStore.open(at: path, mode: .existing)
        let rows = try store.connection.read("look") { db in
            try db.values(
                """
                SELECT concat FROM (
                    SELECT 'change ' || user_id || ' ' || seq || ' ' || kind || ' ' || item_id AS concat FROM change
                    UNION ALL SELECT 'feed ' || user_id || ' ' || last || ' ' || indexed FROM feed
                    UNION ALL SELECT 'member ' || user_id || ' ' || fund_id || ' ' || role FROM fund_member
                    UNION ALL SELECT 'departure ' || owner_id || ' ' || seq || ' ' || item_id || ' ' || turn
                        FROM departure
                ) ORDER BY concat
                """) as [String]
        }
        #expect(try await store.maintenance.verify().findings.filter { $0.kind == .database } == [])
        try store.close()
        return rows
    }

    private func withFolder(_ body: (_ folder: String) async throws -> Void) async throws {
        let folder = try TestFile.makeFolder("feed-update")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    @Test func killsLeaveNothingHalf() async throws {
        try await withFolder { folder in
            let update = ["update", "--store", folder + "/store"]
            var path = try await makeStore(in: folder)
            let whole = try await BuiltProgram().run(update)
            #expect(whole.isSuccess, "\(whole)")
            let expected = try await made(path)
            #expect(expected.count > Self.fileCount)
            var killed = 0
            for part in 1...8 {
                if part % 2 == 1 { path = try await makeStore(in: folder) }
                let end = try await BuiltProgram().run(update, killAfter: whole.seconds * Double(part) / 9)
                #expect(end.wasKilled || end.isSuccess, "\(end)")
                killed += end.wasKilled ? 1 : 0
                guard part % 2 == 0 else { continue }
                let last = try await BuiltProgram().run(update)
                #expect(last.isSuccess, "\(last)")
                #expect(try await made(path) == expected, "\(part)")
            }
            #expect(killed > 0)
        }
    }

    @Test(
        .enabled(if: SmallDisk.isPossible, "this user may not mount a small disk"),
        arguments: [0, 64 << 10, 1 << 20, 3 << 20, 8 << 20])
    func aFullDiskLeavesNothingHalf(leaving bytes: Int) async throws {
        let disk = try SmallDisk(bytes: 48 << 20)
        defer { disk.unmount() }
        let path = try await makeStore(in: disk.path)
        try disk.fill(leaving: bytes)
        var isFull = false
        do {
            try FundStore.open(at: path, mode: .existing, update: UpdateOptions(copiesRows: false)).close()
        } catch {
            isFull = true
            #expect((error as? StoreError)?.code == .outOfSpace, "\(error)")
        }
        #expect(isFull || bytes > 1 << 20)
        disk.unfill()
        let disturbed = try await made(path)
        try await withFolder { folder in
            let other = try await makeStore(in: folder)
            #expect(try await made(other) == disturbed)
        }
    }
}
