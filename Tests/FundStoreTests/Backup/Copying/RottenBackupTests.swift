import TestSupport
internal import Foundation
internal import Glibc
import FundCore
import Testing

@testable import FundStore

/// The disk of a backup changes what stands there.
@Suite struct RottenBackupTests {
    private static let pageBytes = 4096

    /// A store with forty messages of more than a page each, and its backup.
    private func harness() async throws -> BackupHarness {
        let harness = try await BackupHarness()
        for number in 0..<40 {
            let text = (0..<500).map { "\($0 * (number + 7))" }.joined(separator: " ")
            try await harness.base.file("a: \(number)\n\n\(text)", place: "\(number).eml")
        }
        try await harness.backUp(keeping: 0)
        return harness
    }

    private func segment(_ harness: BackupHarness) -> String { harness.location.log + "/000001.seg" }

    private func overwrite(_ path: String, _ range: Range<Int>, with byte: UInt8 = 0) throws {
        var bytes = try TestFile.read(path)
        let range = range.clamped(to: 0..<bytes.count)
        bytes.replaceSubrange(range, with: repeatElement(byte, count: range.count))
        try TestFile.write(bytes, to: path)
    }

    private func check(_ harness: BackupHarness) async throws -> BackupReport {
        try await harness.store.maintenance.backUp(to: harness.target, BackupOptions(isChecked: true))
    }

    /// A header that has gone is found without a look at what is between headers; also when nothing else is new.
    @Test(arguments: [0..<pageBytes, 0..<800_000, 3 * pageBytes..<4 * pageBytes], [false, true])
    func whatIsDamagedIsCopiedAnew(range: Range<Int>, hasNew: Bool) async throws {
        let harness = try await harness()
        let good = try TestFile.read(segment(harness))
        let header = try #require(
            try harness.base.store.connection.read("") { db in
                try db.value(
                    "SELECT record_offset FROM message WHERE segment = 1 AND record_offset > ?", [range.lowerBound])
                    as Int64?
            })
        let wiped = range.lowerBound == 0 ? range : Int(header)..<Int(header) + Self.pageBytes
        try overwrite(segment(harness), wiped)
        if hasNew { try await harness.base.file("a: new\n\nb", place: "new.eml") }
        let report = try await harness.backUp(keeping: 0)
        #expect(report.damages == [] && report.renewals.count == 1, "\(report)")
        #expect(report.renewals.first?.hasPrefix("000001.seg") == true)
        #expect(try TestFile.read(segment(harness)).starts(with: good))
        #expect(try await harness.restored().isSound)
        #expect(try await harness.backUp(keeping: 0).renewals == [])
    }

    /// A header that was damaged in the store before its first backup hides the record.
    @Test func whatTheStoreHasNotWholeIsSaid() async throws {
        let harness = try await BackupHarness()
        for number in 0..<3 { try await harness.base.file("a: \(number)\n\nb", place: "\(number).eml") }
        let offset: Int64 = try #require(
            try harness.base.store.connection.read("") {
                try $0.value("SELECT record_offset FROM message WHERE id = 2")
            })
        let state = Int(offset) + LogFormat.stateOffset
        try overwrite(harness.base.store.log.directory.path(of: SegmentNumber(1)), state..<state + 8)
        let report = try await check(harness)
        #expect(report.damages.count == 1)
        #expect(report.damages[0].hasPrefix("000001.seg: 1 of 3 records are damaged or missing: the state"))
    }

    /// A byte between two headers is found by reading all, and not by another record's damage in the store.
    @Test func checksumsAreComparedWhenAsked() async throws {
        let harness = try await harness()
        let good = try TestFile.read(segment(harness))
        let offsets: [Int64] = try harness.base.store.connection.read("") { db in
            try db.values("SELECT record_offset FROM message WHERE segment = 1 ORDER BY record_offset")
        }
        let place = Int(offsets[5]) + LogFormat.headerBytes + 60
        try overwrite(segment(harness), place..<place + 8, with: 1)
        // In the store another one is damaged, of which the backup has the good bytes.
        let store = harness.base.store.log.directory.path(of: SegmentNumber(1))
        let other = Int(offsets[9]) + LogFormat.headerBytes + 60
        let file = try #require(FileHandle(forUpdatingAtPath: store))
        try file.seek(toOffset: UInt64(other))
        try file.write(contentsOf: [1, 1, 1, 1])
        try file.close()
        #expect(try await harness.backUp(keeping: 0).renewals == [])
        let report = try await check(harness)
        #expect(report.renewals.count == 1 && report.damages == [], "\(report)")
        #expect(try TestFile.read(segment(harness)) == good)
        #expect(try await check(harness).renewals == [])
        // Damaged in both: it is said, and nothing is made up.
        try overwrite(segment(harness), other..<other + 8, with: 2)
        let both = try await check(harness)
        #expect(both.renewals == [] && both.damages.count == 1, "\(both)")
    }

    /// Files of older states are compared, too: lists of segments, packed databases, and segments.
    @Test(arguments: ["list", "database", "segment"]) func olderStatesAreChecked(damage: String) async throws {
        let harness = try await BackupHarness()
        try await harness.backUpBeforeAndAfterALargeFile()
        let whole = try await check(harness)
        #expect(whole.damages == [] && whole.renewals == [], "\(whole)")
        let folder = "\(harness.target)/states"
        let name = try #require(try harness.states.first?.name)
        switch damage {
        case "list":
            let lines = String(decoding: try TestFile.read("\(folder)/\(name).segments"), as: UTF8.self)
                .split(separator: "\n").dropLast()
            try TestFile.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: "\(folder)/\(name).segments")
        case "database": try overwrite("\(folder)/\(name).sqlite.zst", 200..<260, with: 7)
        default:
            let segment = try #require(try DiskDirectory.names(in: "\(folder)/log").first)
            try overwrite("\(folder)/log/\(segment)", 100_000..<100_008, with: 7)
        }
        let found = try await check(harness)
        #expect(found.damages.count == (damage == "list" ? 0 : 1), "\(found)")
        #expect(found.renewals.count == (damage == "list" ? 1 : 0), "\(found)")
        guard damage == "list" else { return }
        #expect(try await harness.restored(name).isSound)
    }

    /// A restore writes all that there is, and counts what is not.
    @Test func aRestoreSaysWhatIsDamaged() async throws {
        let harness = try await harness()
        let place = try harness.base.store.connection.read("") { db in
            Int(try db.value("SELECT record_offset FROM message WHERE segment = 1 LIMIT 1 OFFSET 20") ?? 0 as Int64)
        }
        let body = place + LogFormat.headerBytes + 60
        try overwrite(segment(harness), body..<body + 8)
        let path = harness.base.folder + "/restored"
        let report = try BackupFolder(path: harness.target).restore(nil, to: path)
        #expect(report.damages.count == 1)
        #expect(report.damages[0].hasPrefix("000001.seg: 1 of 40 records are damaged or missing: block 0"))
        let store = try FundStore.open(at: path, mode: .existing)
        defer { try? store.close() }
        #expect(try await store.maintenance.verify().findings.count == 1)
    }

    /// Whatever became of the backup's own database, the backup becomes whole, and nothing of it is thrown away.
    @Test(arguments: ["empty", "garbage", "page"]) func aDamagedDatabaseIsKeptAside(damage: String) async throws {
        let harness = try await harness()
        let path = harness.location.database
        switch damage {
        case "empty": try TestFile.write([], to: path)
        case "garbage": try overwrite(path, 0..<1 << 20, with: 7)
        default: try overwrite(path, 2 * Self.pageBytes..<40 * Self.pageBytes, with: 7)
        }
        let damaged = try TestFile.read(path)
        let restoring = harness.base.folder + "/restored"
        do {
            _ = try BackupFolder(path: harness.target).restore(nil, to: restoring)
            Issue.record("it was restored")
        } catch let error as StoreError { #expect(error.detail.contains("its own fundmail.sqlite"), "\(error)") }
        // A segment that the store has not.
        let foreign = harness.location.log + "/000099.seg"
        try TestFile.write(try TestFile.read(segment(harness)), to: foreign)
        let report = try await harness.backUp(keeping: 0)
        #expect(report.damages == [] && report.renewals.count == 1, "\(report)")
        #expect(report.renewals.first?.contains("the backup's own fundmail.sqlite") == true)
        let lost = try DiskDirectory.names(in: harness.location.lost).sorted()
        #expect(lost.count == 2 && lost[0].hasPrefix("000099.seg.") && lost[1].hasPrefix("fundmail.sqlite."), "\(lost)")
        #expect(try TestFile.read("\(harness.location.lost)/\(lost[1])") == damaged)
        let restored = try await harness.restored()
        #expect(restored.isSound && restored.subjects == 40)
        #expect(try await harness.backUp(keeping: 0).renewals == [])
    }

    /// No row and no mark says whose they are: of a log that an older version wrote, or of another store.
    @Test func segmentsWithoutRowsAreNamed() async throws {
        let (harness, other) = (try await BackupHarness(), try await BackupHarness())
        try await other.base.file("a: 1\n\nb")
        let log = harness.base.store.log.directory.path
        try TestFile.write(
            try TestFile.read(other.base.store.log.directory.path(of: SegmentNumber(1))), to: log + "/000001.seg")
        let report = try await harness.backUp()
        #expect(report.damages.count == 1 && report.damages[0].hasPrefix("000001.seg, of which"), "\(report.damages)")
        #expect(DiskFile.size(of: segment(harness)) == nil)
    }

    /// The database that was lost knew more than the store does: that stays.
    @Test func whatTheStoreLacksIsKeptAside() async throws {
        let harness = try await BackupHarness()
        try await harness.base.file("a: 1\n\nb")
        let earlier = try harness.copyStore("earlier")
        try await harness.base.file("a: 2\n\nb", place: "2.eml")
        try await harness.backUp()
        let good = try TestFile.read(segment(harness))
        try TestFile.write([], to: harness.location.database)
        let store = try FundStore.open(at: earlier, mode: .existing)
        defer { try? store.close() }
        try await harness.backUp(of: store)
        let lost = try DiskDirectory.names(in: harness.location.lost).filter { $0.contains(".seg") }
        #expect(try lost.map { try TestFile.read("\(harness.location.lost)/\($0)") } == [good])
        #expect(try await harness.restored().subjects == 1)
    }
}
