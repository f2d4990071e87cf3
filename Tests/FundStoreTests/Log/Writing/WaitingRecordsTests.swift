import TestSupport
internal import Foundation
internal import Glibc
import FundCore
import Testing

@testable import FundStore

/// Records that `LogWriter` keeps in memory until many can be written at once.
@Suite struct WaitingRecordsTests {
    private static func content(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(number), count: 9000 + 37 * number)
    }

    private static func append(_ content: [UInt8], to writer: LogWriter) throws -> AppendedRecord {
        try content.withUnsafeBytes { try writer.append(LogHarness.label(content), [$0]) }
    }

    private func expectAll(_ records: [AppendedRecord], in log: LogHarness) throws {
        for (number, record) in records.enumerated() {
            let content = Self.content(number)
            #expect(try log.content(at: record.location, of: .of(content)) == content)
        }
        let scan = try log.scan()
        #expect(scan.records.count == records.count && scan.damages.isEmpty)
    }

    @Test(.enabled(if: RoomAhead.isPossible))
    func areWrittenInPiecesOfWholeRecords() throws {
        let log = try LogHarness()
        let writer = log.writer()
        var (records, sizes): ([AppendedRecord], Set<Int64>) = ([], [])
        for number in 0..<200 {
            let record = try Self.append(Self.content(number), to: writer)
            records.append(record)
            sizes.insert(DiskFile.size(of: log.directory.path(of: record.location.segment)) ?? 0)
        }
        let ends = records.map(\.location.end)
        #expect((5...12).contains(sizes.count))
        #expect(sizes.subtracting([Int64(LogFormat.openingBytes)]).isSubset(of: ends))
        #expect(try #require(sizes.max()) < #require(ends.last))
        // This is the log that a kill leaves.
        #expect(try log.scan().damages.isEmpty)
        try writer.sync()
        try expectAll(records, in: log)
    }

    @Test(.enabled(if: RoomAhead.isPossible))
    func giveRoomBackThatWasTakenForMore() throws {
        let log = try LogHarness()
        let writer = log.writer()
        let record = try Self.append(Self.content(0), to: writer)
        let path = log.directory.path(of: record.location.segment)
        func allocated() -> Int64 {
            var status = stat()
            return stat(path, &status) == 0 ? Int64(status.st_blocks) * 512 : -1
        }
        try writer.sync()
        #expect(DiskFile.size(of: path) == record.location.end)
        #expect(allocated() > 4 << 20)
        writer.settle()
        #expect((1...65_536).contains(allocated()))
        let next = try Self.append(Self.content(1), to: writer)
        try writer.sync()
        try expectAll([record, next], in: log)
    }

    @Test
    func areWrittenBeforeTheNextSegmentBegins() throws {
        let log = try LogHarness()
        let writer = log.writer(segmentBytes: 100_000)
        let records = try (0..<60).map { try Self.append(Self.content($0), to: writer) }
        #expect(Set(records.map(\.location.segment)).count > 3)
        try writer.sync()
        try expectAll(records, in: log)
    }

    /// No message may get a row whose bytes were lost on the way to the disk, though its caller was told that all was
    /// well; and what comes later is not lost with it.
    @Test(.startsPrograms, .enabled(if: Immutable.isPossible && RoomAhead.isPossible))
    func areAppendedAnewWhenTheyCannotBeWritten() async throws {
        let harness = try await StoreHarness()
        let log = harness.store.log
        func append(_ number: Int) throws -> (location: RecordLocation, generation: Int) {
            let (content, generation) = (Self.content(number), log.generation)
            let record = try content.withUnsafeBytes { try log.append(LogHarness.label(content), [$0]) }
            return (record.location, generation)
        }
        let first = try append(0)
        try log.sync(appendedIn: [first.generation])
        let path = log.directory.path(of: first.location.segment)
        let waiting = try append(1)
        try Immutable.set(path, true)
        defer { try? Immutable.set(path, false) }
        // Enough for a piece: one of them is told.
        #expect(throws: DiskError.self) { for number in 2..<100 { _ = try append(number) } }
        #expect(throws: StoreError.self) { try log.sync(appendedIn: [waiting.generation]) }
        let later = try append(3)
        #expect(later.location.segment != first.location.segment)
        try log.sync(appendedIn: [later.generation])
        for (number, location) in [(0, first.location), (3, later.location)] {
            let content = Self.content(number)
            #expect(try log.reader.record(at: location, of: .of(content)).body() == content)
        }
    }

    /// Records of many threads, barriers and notes of commits at the same time, with pieces and segments that fill up.
    @Test
    func areTakenFromManyThreads() async throws {
        let log = try LogHarness()
        let writer = log.writer(segmentBytes: 1 << 20)
        let records = try await withThrowingTaskGroup(of: (Int, AppendedRecord).self) { group in
            for number in 0..<250 {
                group.addTask {
                    let record = try Self.append(Self.content(number), to: writer)
                    if number % 40 == 0 { try writer.sync() }
                    if number % 30 == 0 {
                        let step = LogStep(start: Int64(number), end: Int64(number) + 1)
                        record.noteUse(at: step.end)
                        record.noteCommit(step)
                        try writer.noteCommits([record])
                    }
                    if number % 70 == 0 { writer.settle() }
                    return (number, record)
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        try writer.sync()
        for (number, record) in records {
            let content = Self.content(number)
            #expect(try log.content(at: record.location, of: .of(content)) == content)
        }
        let scan = try log.scan()
        #expect(scan.damages.isEmpty)
        #expect(scan.records.values.filter { $0.label.kind == .blob }.count == records.count)
    }

    /// A large record comes after the failure of a small one: it is not refused for that.
    @Test(.startsPrograms, .enabled(if: Immutable.isPossible && RoomAhead.isPossible))
    func doNotTakeLargeOnesAlongWhenTheyAreLost() async throws {
        let harness = try await StoreHarness()
        let log = harness.store.log
        let content = Self.content(1)
        let first = try content.withUnsafeBytes { try log.append(LogHarness.label(content), [$0]) }
        try log.sync(appendedIn: [log.generation])
        let path = log.directory.path(of: first.location.segment)
        try Immutable.set(path, true)
        defer { try? Immutable.set(path, false) }
        first.noteUse(at: 1)
        first.noteCommit(LogStep(start: 0, end: 1))
        log.noteCommits([first])
        let large = [UInt8](repeating: 7, count: Int(LogFormat.largeBytes))
        let record = try log.makeLarge(.blob, origin: "large")
        try large.withUnsafeBytes { try record.append($0) }
        try record.finishBody()
        let appended = try log.append(record, of: .of(large))
        try log.sync(appendedIn: [log.generation])
        #expect(try log.reader.record(at: appended.location, of: .of(large)).body() == large)
    }

    /// A record that cannot be written where the barrier is the first to write.
    @Test(.startsPrograms, .enabled(if: Immutable.isPossible && RoomAhead.isPossible))
    func failTheBarrierThatCannotWriteThem() throws {
        let log = try LogHarness()
        let writer = log.writer()
        let record = try Self.append(Self.content(0), to: writer)
        let path = log.directory.path(of: record.location.segment)
        try Immutable.set(path, true)
        defer { try? Immutable.set(path, false) }
        for _ in 0..<2 {
            #expect(throws: DiskError.self) { try writer.sync() }
            #expect(throws: DiskError.self) { try Self.append(Self.content(1), to: writer) }
        }
        #expect(writer.hasFailed)
    }
}

/// The folder for temporary files is on a disk that gives room for what is not written yet.
private enum RoomAhead {
    static let isPossible: Bool = {
        guard let log = try? LogHarness(), let file = try? SegmentFile.make(SegmentNumber(1), in: log.directory) else {
            return false
        }
        return file.takeRoom(from: 0, upTo: 1 << 20)
    }()
}

/// A file that cannot be written to, not even through a descriptor that is open (chattr(1)).
private enum Immutable {
    static let isPossible: Bool = {
        guard getuid() == 0, let folder = try? TestFile.makeFolder("immutable") else { return false }
        let path = folder + "/file"
        guard FileManager.default.createFile(atPath: path, contents: nil) else { return false }
        return (try? set(path, true)) != nil && (try? set(path, false)) != nil
    }()

    static func set(_ path: String, _ isImmutable: Bool) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/chattr")
        process.arguments = [isImmutable ? "+i" : "-i", path]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw POSIXError(.EPERM) }
    }
}
