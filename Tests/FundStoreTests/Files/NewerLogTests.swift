import TestSupport
import FundCore
import Glibc
import Synchronization
import Testing

@testable import FundStore

/// A database that was brought back from an earlier moment, beside its log as that is now.
@Suite struct NewerLogTests {
    private static let large = [UInt8](repeating: 7, count: Int(LogFormat.largeBytes))
    private static let part = StoreHarness.Part(name: "a", bytes: large)

    /// A store whose database is older than its log, closed. What is missing is a mail with one large file.
    ///
    /// - Parameter point: the step of that mail at which the database was copied: its segments are known then, or not.
    private func older(copiedAt point: FaultPoint) async throws -> StoreHarness {
        let older = Mutex<String?>(nil)
        let path = Mutex<String?>(nil)
        let faults = FaultInjection { reached in
            guard reached == point, let database = path.withLock({ $0.take() }) else { return }
            try? DatabaseFile.copy(database, to: database + ".older")
            older.withLock { $0 = database + ".older" }
        }
        let harness = try await StoreHarness(faults: faults)
        let location = harness.store.connection.location
        try await harness.file("first: b\n\nc")
        path.withLock { $0 = location.database }
        try await harness.file("second: b\n\nc", parts: [Self.part])
        try harness.store.close()
        for suffix in ["-wal", "-shm"] { unlink(location.database + suffix) }
        let copied = try #require(older.withLock { $0 })
        try #require(rename(copied, location.database) == 0)
        return harness
    }

    private func append(_ text: String, to store: FundStore) throws {
        let bytes = Array(text.utf8)
        let label = RecordHeader.Label(kind: .blob, digest: .of(bytes), contentBytes: Int64(bytes.count), time: .now)
        _ = try bytes.withUnsafeBytes { try store.log.append(label, [$0]) }
        try store.log.sync(appendedIn: [store.log.generation])
    }

    /// It says so once, leaves what is there, and goes on behind it.
    @Test(arguments: [FaultPoint.beforeAppend, .afterBarrier])
    func isLeftAsItIs(copiedAt point: FaultPoint) async throws {
        let harness = try await older(copiedAt: point)
        let path = harness.folder + "/store"
        let names = try DiskDirectory.names(in: path + "/log").sorted()
        let before = try names.map { try TestFile.read("\(path)/log/\($0)") }
        var store = try FundStore.open(at: path, mode: .existing)
        #expect(store.notice?.contains("ahead of the database") == true, "\(store.notice ?? "")")
        try store.close()
        for round in 0..<3 {
            store = try FundStore.open(at: path, mode: .existing)
            #expect(store.notice == nil)
            try append("new \(round)", to: store)
            try append(String(repeating: "\(round)", count: 2 << 20), to: store)
            try store.log.reclaim()
            try store.close()
        }
        #expect(try names.map { try TestFile.read("\(path)/log/\($0)") } == before)
        harness.store = try FundStore.open(at: path, mode: .existing)
        let report = try await harness.store.maintenance.verify()
        #expect(report.findings.allSatisfy { $0.kind == .newerSegment } && report.findings.count == 2, "\(report)")
        let audited: Int? = try harness.store.connection.read("") {
            try $0.value("SELECT count(*) FROM audit WHERE action = 'log.ahead'")
        }
        #expect(audited == 1)
        // It has fewer segments than its numbers: they were not given twice.
        #expect(try await harness.file("third: b\n\nc").outcome == .filed)
    }

    /// Where opening cannot look, that is said, and a server that goes on looks again before it tells clients anything.
    @Test func whatOpeningCannotSeeIsLookedAtAgain() async throws {
        let harness = try await older(copiedAt: .beforeAppend)
        let path = harness.folder + "/store"
        let trigger = "CREATE TRIGGER refusal BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'refused'); END"
        try DatabaseFile.change(path + "/fundmail.sqlite") { try $0.run(script: trigger) }
        harness.store = try FundStore.open(at: path, mode: .existing)
        let notice = harness.store.notice ?? ""
        #expect(notice.contains("could not be seen") && notice.contains("refused"), "\(notice)")
        let history = try harness.store.connection.read("read") { try StoreHistory.current($0) }
        await #expect(throws: StoreError.self) { try await harness.store.library.beginChangeEpoch() }
        try harness.store.connection.write("allow it") { try $0.run(script: "DROP TRIGGER refusal") }
        try await harness.store.library.beginChangeEpoch()
        #expect(try harness.count("segment WHERE is_ahead") > 0)
        #expect(try harness.store.connection.read("read") { try StoreHistory.current($0) } != history)
    }

    /// The records that are to get rows again, and no other; when that is done the segments are like others.
    @Test(arguments: [FaultPoint.beforeAppend, .afterBarrier])
    func isFoundAgain(copiedAt point: FaultPoint) async throws {
        let harness = try await older(copiedAt: point)
        let store = try FundStore.open(at: harness.folder + "/store", mode: .existing)
        harness.store = store
        let (recovery, segments) = try #require(try await store.recoverNewerRecords())
        #expect(segments.count == 2)
        #expect(recovery.left.records.map(\.kind).sorted { $0.rawValue < $1.rawValue } == [.message, .blob])
        #expect(recovery.left.records.contains { $0.digest == Self.part.digest })
        // The mail comes again.
        #expect(try await harness.file("second: b\n\nc", parts: [Self.part]).outcome == .filed)
        try await store.finish(recovery)
        let isAhead = try await store.recoverNewerRecords() != nil
        #expect(!isAhead)
        #expect(try harness.count("segment WHERE is_ahead = 1") == 0)
        try store.log.reclaim()
        #expect(try await store.maintenance.verify().isSound)
    }

    /// A killed process's rest is no newer log: it is cut off, and a large record's segment goes.
    @Test func theRestOfAKilledProcessIsNone() async throws {
        let harness = try await StoreHarness()
        try await harness.file("first: b\n\nc")
        for text in ["small", String(repeating: "l", count: 2 << 20)] { try append(text, to: harness.store) }
        try harness.reopen()
        #expect(harness.store.notice == nil)
        try harness.store.log.reclaim()
        #expect(try await harness.file("second: b\n\nc").outcome == .filed)
        #expect(try harness.count("segment WHERE is_ahead = 1") == 0)
        #expect(try await harness.store.maintenance.verify().isSound)
        #expect(try harness.store.log.directory.segments().count == 1)
    }

    /// The segment of another store that lies there by mistake is no newer log of this one. It is said each time.
    @Test func theSegmentOfAnotherStoreIsNone() async throws {
        let (harness, other) = (try await StoreHarness(), try await StoreHarness())
        try other.store.connection.write("") { db in
            try db.run(script: "INSERT INTO segment (number, end_offset) VALUES (39, 32); DELETE FROM segment")
        }
        try await other.file("theirs: b\n\nc")
        try other.store.close()
        let path = harness.folder + "/store/log/000040.seg"
        try TestFile.write(try TestFile.read(other.folder + "/store/log/000040.seg"), to: path)
        for _ in 0..<2 {
            try harness.reopen()
            let notice = harness.store.notice ?? ""
            #expect(notice.contains("no row of the database knows 000040.seg"), "\(notice)")
        }
        #expect(try harness.count("segment WHERE is_ahead = 1") == 0)
    }

    /// A database with people and without segments, beside a log whose marks do not name it, as those of older versions
    /// name no store.
    @Test func segmentsWithoutRowsAreNamed() async throws {
        let (harness, newer) = (try await StoreHarness(), try await StoreHarness())
        try await harness.file("first: b\n\nc")
        let location = harness.store.connection.location
        for store in [harness.store, newer.store] { try store.close() }
        for suffix in ["", "-wal", "-shm"] {
            unlink(location.database + suffix)
            _ = rename(newer.store.connection.location.database + suffix, location.database + suffix)
        }
        for _ in 0..<2 {
            let store = try FundStore.open(at: location.root, mode: .existing)
            let notice = store.notice ?? ""
            #expect(notice.contains("000001.seg") && notice.contains("`fundmail verify --repair`"), "\(notice)")
            try store.close()
        }
        harness.store = try FundStore.open(at: location.root, mode: .existing)
        let (recovery, segments) = try #require(try await harness.store.recoverNewerRecords())
        #expect(segments == ["log/000001.seg"])
        try await harness.store.finish(recovery)
        try harness.reopen()
        #expect(harness.store.notice == nil)
    }

    /// A commit's position stands in the database and in the mark.
    @Test func thePositionGrowsWithEachCommit() async throws {
        let harness = try await StoreHarness()
        let log = harness.store.log
        func positions() throws -> (database: Int64, mark: CommitMark?) {
            (
                try SQLSegmentCatalog(rows: harness.store.connection).position(),
                try SegmentFile.read(SegmentNumber(1), in: log.directory).commitMark(behind: 0)
            )
        }
        for number in 1...3 {
            try await harness.file("\(number): b\n\nc")
            let (database, mark) = try positions()
            #expect(database == Int64(number) && mark?.position == database)
            #expect(mark?.store == (try harness.store.connection.read("") { try StoreIdentity.mark($0) }))
        }
        // A duplicate gives no record a row.
        try await harness.file("3: b\n\nc", place: "b.eml")
        #expect(try positions().database == 3)
    }

    /// A store of the version before begins at 0, as its marks say.
    @Test func anOlderStoreIsUpdated() async throws {
        let harness = try await StoreHarness()
        try harness.store.close()
        let path = harness.folder + "/store"
        let pool = try ConnectionPool(path: path + "/fundmail.sqlite", isReadOnly: false)
        try pool.withWriter { db in
            try db.run(
                script: """
                    DROP TABLE backup_state; DELETE FROM counter WHERE name = 'log_position';
                    ALTER TABLE segment DROP COLUMN is_ahead; DELETE FROM grdb_migrations WHERE identifier = '6';
                    INSERT INTO segment (number, end_offset) VALUES (1, 32)
                    """)
        }
        try pool.close()
        // An earlier version left a record that was committed and marked, which the rows know.
        let log = LogDirectory(path: path + "/log", temporary: path + "/tmp")
        try SegmentFile.make(SegmentNumber(1), in: log)?.append(CommitMark(end: 32, position: 0, store: .of([])))
        harness.store = try FundStore.open(at: path, mode: .existing)
        #expect(harness.store.notice == nil)
        #expect(try SQLSegmentCatalog(rows: harness.store.connection).position() == 0)
        try await harness.file("a: b\n\nc")
        #expect(try SQLSegmentCatalog(rows: harness.store.connection).position() == 1)
        #expect(try await harness.store.maintenance.verify().isSound)
    }
}
