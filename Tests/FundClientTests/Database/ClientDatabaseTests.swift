import GRDB
import TestSupport
import Testing

@testable import FundClient

@Suite struct ClientDatabaseTests {
    /// On a disk with blocks of less than a page, what SQLite shares between processes may have no room: that is an
    /// error in words, not a signal (SIGBUS).
    @Test(.startsPrograms, .enabled(if: SmallDisk.isExt4Possible, "this user may not mount a file system"))
    func aNearlyFullDiskIsSaid() async throws {
        let disk = try SmallDisk(ext4Bytes: 8 << 20)
        defer { disk.unmount() }
        let folder = disk.path + "/client"
        try ClientDatabase(in: folder).close()
        var failures = 0
        for kilobytes in [4, 8, 12, 20, 28, 40, 200] {
            try disk.fill(leaving: kilobytes << 10)
            do throws(ClientError) {
                let database = try ClientDatabase(in: folder)
                try await database.write { try $0.execute(sql: "INSERT OR IGNORE INTO pin VALUES (x'01')") }
                try database.close()
            } catch {
                failures += 1
                #expect(error.code == .noSpaceHere, "\(kilobytes) KiB: \(error)")
            }
            disk.unfill()
        }
        #expect((1..<7).contains(failures))
        let database = try ClientDatabase(in: folder)
        let pins = try await database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM pin") }
        #expect(pins == 1)
        try database.close()
    }
}
