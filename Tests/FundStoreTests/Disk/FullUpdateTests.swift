import FundCore
import Glibc
import TestSupport
import Testing

@testable import FundStore

/// A store that cannot be opened as usual: on a full disk, of an older version, on two disks.
@Suite(.startsPrograms, .serialized, .enabled(if: SmallDisk.isPossible, "this user may not mount a small disk"))
struct FullUpdateTests {
    /// Makes the store as an earlier version left it.
    private func makeOlder(_ path: String) throws {
        let pool = try ConnectionPool(path: "\(path)/fundmail.sqlite", isReadOnly: false)
        try pool.withWriter { db in
            try db.run(
                script: """
                    DROP TABLE passkey; DROP TABLE code_app; DROP TABLE recovery_code; DROP TABLE factor_notice;
                    DELETE FROM row_check WHERE name = 'passkey';
                    DELETE FROM grdb_migrations WHERE identifier = '10';
                    """)
            db.truncateWAL(waitingUpTo: 0)
        }
        try pool.close()
    }

    private func withStore(_ body: (SmallDisk, _ path: String, User) async throws -> Void) async throws {
        let disk = try SmallDisk(bytes: 24 << 20)
        defer { disk.unmount() }
        let path = disk.path + "/store"
        let store = try FundStore.open(at: path, mode: .create)
        let ann = try await store.administration.addUser(
            email: "ann@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test")
        let fund = try await store.library.addFund("Fund1", of: ann.id)
        let writer = try store.library.makeUpload(named: "a", announcing: nil)
        try [UInt8](repeating: 7, count: 2 << 20).withUnsafeBytes { try writer.append($0) }
        let file = try await store.library.addFile(
            try writer.finish(contentType: "text/plain"),
            at: FileTarget("big", in: LibraryPlace(fund: fund.id), ifTaken: .refuse), of: ann.id)
        try await store.library.delete(.file(file.id), of: ann.id)
        try store.close()
        try await body(disk, path, ann)
    }

    /// SQLite needs room to open a database also without an update.
    @Test(arguments: [false, true]) func theReserveIsGivenUpFirst(_ isOlder: Bool) async throws {
        try await withStore { disk, path, ann in
            if isOlder { try makeOlder(path) }
            try disk.fill()
            let store = try FundStore.open(
                at: path, mode: .existing, update: UpdateOptions(copiesRows: !isOlder))
            #expect(try await store.maintenance.verify().findings == [])
            let report = try await store.maintenance.emptyTrash(of: ann.id, actor: "test")
            #expect(report.items == 1 && report.bytes == 2 << 20)
            #expect(report.freedBytes >= (2 << 20) - 8192)
            try store.close()
            try FundStore.open(at: path, mode: .readOnly).close()
        }
    }

    @Test func withoutAReserveItSaysWhatToDo() async throws {
        try await withStore { disk, path, _ in
            try makeOlder(path)
            for name in ["reserve", "reserve.last"] { unlink("\(path)/\(name)") }
            try disk.fill()
            #expect { try FundStore.open(at: path, mode: .existing) } throws: { error in
                let error = error as? StoreError
                return error?.code == .outOfSpace && error?.detail.contains("delete") == true
            }
            disk.unfill()
            try FundStore.open(at: path, mode: .existing).close()
        }
    }

    /// A reader can give nothing up, and needs nothing.
    @Test func aReaderNeedsNoRoom() async throws {
        try await withStore { disk, path, _ in
            try disk.fill()
            let store = try FundStore.open(at: path, mode: .readOnly)
            #expect(try await store.maintenance.trash().map(\.items) == [1])
            try store.close()
        }
    }

    @Test func aReaderNamesTheCommandThatUpdates() async throws {
        try await withStore { _, path, _ in
            try makeOlder(path)
            #expect { try FundStore.open(at: path, mode: .readOnly) } throws: { error in
                (error as? StoreError)?.detail.contains("`fundmail update`") == true
            }
        }
    }

    @Test func aLogOnAnotherDiskIsRefused() async throws {
        try await withStore { _, path, _ in
            let other = try SmallDisk(bytes: 4 << 20)
            defer { other.unmount() }
            rename("\(path)/log", "\(path).log")
            symlink(other.path, "\(path)/log")
            #expect { try FundStore.open(at: path, mode: .existing) } throws: { error in
                let error = error as? StoreError
                return error?.code == .invalid && error?.detail.contains("another disk") == true
            }
            // A link to a folder on the same disk works.
            unlink("\(path)/log")
            symlink("\(path).log", "\(path)/log")
            let store = try FundStore.open(at: path, mode: .existing)
            #expect(try await store.maintenance.verify().findings == [])
            try store.close()
        }
    }
}
