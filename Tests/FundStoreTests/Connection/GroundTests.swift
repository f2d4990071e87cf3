import Foundation
import FundCore
import TestSupport
import Testing

@testable import FundStore

/// A log whose database is gone is no new store.
@Suite struct GroundTests {
    enum Ground: String, CaseIterable {
        case missing, empty, withoutTables, justMade, noDatabase
    }

    /// A store of which the log alone is left.
    private func lose(_ ground: Ground, of harness: StoreHarness) async throws -> StoreLocation {
        let location = harness.store.connection.location
        try harness.store.close()
        StoreLocation.removeDatabase(location.database)
        switch ground {
        case .missing: break
        case .empty: try TestFile.write([], to: location.database)
        case .withoutTables:
            let pool = try ConnectionPool(path: location.database, isReadOnly: false)
            try pool.withWriter { try $0.run(script: "CREATE TABLE t (x); DROP TABLE t") }
            try pool.close()
        case .justMade:
            let other = StoreLocation(root: harness.folder + "/other")
            try FundStore.open(at: other.root, mode: .create).close()
            try #require(rename(other.database, location.database) == 0)
            for suffix in ["-wal", "-shm"] { _ = rename(other.database + suffix, location.database + suffix) }
        case .noDatabase: try TestFile.write([UInt8](repeating: 7, count: 8192), to: location.database)
        }
        return location
    }

    @Test(arguments: Ground.allCases, [OpenMode.create, .existing, .readOnly])
    func aLogWithoutRowsIsRefused(ground: Ground, mode: OpenMode) async throws {
        let harness = try await StoreHarness()
        defer { withExtendedLifetime(harness) {} }  // the folder goes with it
        try await harness.file("a: b\n\nc")
        let location = try await lose(ground, of: harness)
        let segment = "\(location.log)/000001.seg"
        let before = (try? TestFile.read(location.database), try TestFile.read(segment))
        #expect {
            try FundStore.open(at: location.root, mode: mode)
        } throws: { error in
            let error = error as? StoreError
            return error?.code == .rowsLost && error?.condition == .storage
                && ["backup", "fundmail rebuild", "fundmail salvage"].allSatisfy { error?.detail.contains($0) == true }
        }
        // SQLite may move the write-ahead log of a database that it has opened.
        if ![.withoutTables, .justMade].contains(ground) {
            #expect((try? TestFile.read(location.database)) == before.0)
        }
        #expect(try TestFile.read(segment) == before.1)
    }

    /// Only `init` makes a store, and in an empty place alone.
    @Test(arguments: [Ground.missing, .empty, .withoutTables])
    func anEmptyPlaceBecomesAStoreByInitAlone(ground: Ground) async throws {
        let harness = try await StoreHarness()
        defer { withExtendedLifetime(harness) {} }
        let location = try await lose(ground, of: harness)
        for mode in [OpenMode.existing, .readOnly] {
            #expect { try FundStore.open(at: location.root, mode: mode) } throws: {
                ($0 as? StoreError)?.code == .notAStore
            }
        }
        let store = try FundStore.open(at: location.root, mode: .create)
        #expect(try await store.administration.users() == [])
        try store.close()
    }

    /// SQLite would delete the write-ahead log of an empty database, and a log that was moved away is a log.
    @Test(arguments: ["fundmail.sqlite-wal", "lost/log-000001.seg"])
    func aPlaceWithRemainsIsNotEmpty(name: String) async throws {
        let harness = try await StoreHarness()
        defer { withExtendedLifetime(harness) {} }
        let location = try await lose(.empty, of: harness)
        let path = "\(location.root)/\(name)"
        try TestFile.write([UInt8](repeating: 1, count: 100), to: path)
        #expect { try FundStore.open(at: location.root, mode: .create) } throws: {
            ($0 as? StoreError)?.code == .rowsLost
        }
        #expect(try TestFile.read(path).count == 100)
    }

    enum LostLog: String, CaseIterable {
        case emptyFolder, noFolder, danglingLink
    }

    /// The disk of the log is not mounted: nothing is written beside it, and with the disk all is as it was.
    @Test(arguments: LostLog.allCases) func aLogThatIsNotMountedIsRefused(lost: LostLog) async throws {
        let harness = try await StoreHarness()
        defer { withExtendedLifetime(harness) {} }
        try await harness.file("a: b\n\nc")
        let location = harness.store.connection.location
        try harness.store.close()
        let away = harness.folder + "/disk"
        try #require(rename(location.log, away) == 0)
        switch lost {
        case .emptyFolder: try DiskDirectory.make(location.log, isPrivate: true)
        case .noFolder: break
        case .danglingLink: try #require(symlink(harness.folder + "/unmounted", location.log) == 0)
        }
        for mode in [OpenMode.existing, .create] {
            #expect {
                try FundStore.open(at: location.root, mode: mode)
            } throws: { error in
                let error = error as? StoreError
                return error?.code == .logLost && error?.condition == .storage
                    && error?.detail.contains("is a disk not mounted?") == true
            }
            #expect((try? DiskDirectory.names(in: location.log)) ?? [] == [])
        }
        // A store that is opened for reading goes on, and says it.
        let reading = try FundStore.open(at: location.root, mode: .readOnly)
        #expect(try await reading.administration.users().count == 1)
        let findings = try await reading.maintenance.verify().findings
        #expect(findings.contains { $0.detail.contains("is a disk not mounted?") }, "\(findings)")
        try reading.close()
        unlink(location.log)
        rmdir(location.log)
        try #require(rename(away, location.log) == 0)
        harness.store = try FundStore.open(at: location.root, mode: .existing)
        #expect(try await harness.file("a: b\n\nc", place: "again.eml").outcome == .duplicate)
        #expect(try await harness.store.maintenance.verify().findings == [])
    }

    /// Where one of several segments is there, the store goes on, and `verify` names the other. What `--repair` of an
    /// older version moved to `lost/` is no disk that is not mounted.
    @Test(arguments: [1, 2], [false, true]) func aLogInPartsGoesOn(number: Int, isInLost: Bool) async throws {
        let harness = try await StoreHarness()
        let part = StoreHarness.Part(name: "a", bytes: [UInt8](repeating: 7, count: Int(LogFormat.largeBytes)))
        try await harness.file("a: b\n\nc", parts: [part])
        let location = harness.store.connection.location
        let names = try DiskDirectory.names(in: location.log)
        try #require(names.count == 2)
        for name in isInLost ? names : [names[number - 1]] {
            try #require(rename("\(location.log)/\(name)", "\(location.lost)/log-\(name)") == 0)
            if !isInLost { unlink("\(location.lost)/log-\(name)") }
        }
        try harness.reopen()
        let findings = try await harness.store.maintenance.verify().findings
        #expect(findings.contains { $0.path == "log/\(names[number - 1])" }, "\(findings)")
        #expect(try await harness.file("another: b\n\nc").outcome == .filed)
    }

    /// Nothing is wrong with one that has people, and no mail yet, or none any more.
    @Test func aStoreWithoutMailIsOne() async throws {
        let harness = try await StoreHarness()
        try harness.reopen()
        #expect(try harness.count("user") == 1)
    }
}
