import TestSupport
internal import Foundation
internal import Glibc
import Dispatch
import FundCore
import Synchronization
import Testing

@testable import FundStore

@Suite struct LogWriterTests {
    @Test(arguments: [0, 1, 7, 8, 4096, 65_535, 65_536, 65_537, 200_000, 262_144, 300_000, 1_000_003])
    func givesBackWhatItTook(count: Int) throws {
        let log = try LogHarness()
        let writer = log.writer()
        var random = SeededGenerator(seed: UInt64(count))
        let content = randomBytes(count, using: &random)
        let before = try log.append([1, 2, 3], to: writer)
        let location = try log.append(content, origin: "季度报告.pdf", to: writer)
        let after = try log.append([4, 5, 6], to: writer)
        try writer.sync()
        let record = try log.reader.record(at: location, of: .of(content))
        #expect(record.header.label == LogHarness.label(content, origin: "季度报告.pdf"))
        #expect(try record.body() == content)
        for _ in 0..<20 where count > 0 {
            let start = Int.random(in: 0..<count, using: &random)
            let range = start..<Int.random(in: start...count, using: &random)
            var bytes: [UInt8] = []
            try record.read(Int64(range.lowerBound)..<Int64(range.upperBound)) { bytes += $0 }
            #expect(bytes == Array(content[range]))
        }
        #expect(try log.content(at: before, of: .of([1, 2, 3])) == [1, 2, 3])
        #expect(try log.content(at: after, of: .of([4, 5, 6])) == [4, 5, 6])
        #expect(location.offset == before.end && after.offset == location.end)
        #expect(try log.scan().records.count == 3)
    }

    @Test
    func cutsALongOriginBetweenSigns() throws {
        let log = try LogHarness()
        let location = try log.append([1], origin: String(repeating: "基", count: 3000), to: log.writer())
        let origin = try log.reader.record(at: location, of: .of([1])).header.label.origin
        #expect(origin == String(repeating: "基", count: LogFormat.maxOriginBytes / 3))
    }

    @Test
    func beginsANewSegmentWhenOneIsFull() throws {
        let log = try LogHarness()
        let writer = log.writer(segmentBytes: 1000)
        let locations = try (0..<10).map { try log.append(Array(repeating: UInt8($0), count: 400), to: writer) }
        try writer.sync()
        #expect(Set(locations.map(\.segment)).count == 5)
        for (number, location) in locations.enumerated() {
            let content = Array(repeating: UInt8(number), count: 400)
            #expect(try log.content(at: location, of: .of(content)) == content)
        }
    }

    /// A killed process leaves records that no row knows.
    @Test
    func cutsWhatWasNotCommitted() throws {
        let log = try LogHarness()
        let (committed, lost): (RecordLocation, RecordLocation)
        do {
            let writer = log.writer()
            committed = try log.append([1, 2, 3], to: writer)
            try writer.sync()
            log.commit([committed])
            lost = try log.append(Array("lost".utf8), to: writer)
            log.letGo()
        }
        let next = try log.append(Array("next".utf8), to: log.writer())
        #expect(next.segment == committed.segment && next.offset == lost.offset)
        #expect(try log.content(at: committed, of: .of([1, 2, 3])) == [1, 2, 3])
        #expect(throws: LogDamage(.otherRecord, lost.segment, lost.offset)) {
            try log.reader.record(at: lost, of: .of(Array("lost".utf8)))
        }
        #expect(try log.scan().records.count == 2)
    }

    /// Between `sync` and the transaction that commits them, records stand in a segment that its writer has left
    /// already.
    @Test
    func leavesAFullSegmentThatIsNotCommittedYet() throws {
        let log = try LogHarness()
        let writer = log.writer(segmentBytes: 1000)
        let content = [UInt8](repeating: 1, count: 1000)
        let location = try log.append(content, to: writer)
        try writer.sync()
        for other in [writer, log.writer(segmentBytes: 1000)] {
            #expect(try log.append([2], to: other).segment != location.segment)
        }
        #expect(try log.content(at: location, of: .of(content)) == content)
        // Nor later: it is full.
        log.commit([location])
        #expect(try log.append([3], to: log.writer(segmentBytes: 1000)).segment != location.segment)
    }

    /// A database that is new, or restored, does not know what stands in the log.
    @Test
    func leavesWhatTheRowsDoNotKnow() throws {
        let log = try LogHarness()
        let location = try log.append([1], to: log.writer())
        log.letGo()
        let writer = LogWriter(directory: log.directory, catalog: MemoryCatalog())
        let other = try [UInt8]([2]).withUnsafeBytes { try writer.append(LogHarness.label([2]), [$0]) }
        #expect(other.location.segment != location.segment)
        #expect(try log.content(at: location, of: .of([1])) == [1])
    }

    /// A killed process has left more in a nearly full segment than belongs into it.
    @Test
    func cutsAnAppendThatWentBeyondTheEnd() throws {
        let log = try LogHarness()
        let content = [UInt8](repeating: 1, count: 300)
        let committed = try log.append(content, to: log.writer(segmentBytes: 1000))
        log.commit([committed])
        _ = try log.append([UInt8](repeating: 2, count: 2000), to: log.writer(segmentBytes: 1000))
        log.letGo()
        let next = try log.append([3], to: log.writer(segmentBytes: 1000))
        #expect(next.segment == committed.segment && next.offset == committed.end)
        #expect(try log.content(at: committed, of: .of(content)) == content)
        #expect(try log.scan().records.count == 2 && log.scan().damages.isEmpty)
    }

    /// Nothing is cut of a segment that another process appends to, and nothing is written there.
    @Test
    func leavesASegmentThatIsHeld() throws {
        let log = try LogHarness()
        let (first, second) = (log.writer(), log.writer())
        let location = try log.append([1], to: first)
        let other = try log.append([2], to: second)
        #expect(location.segment != other.segment)
        #expect(try log.content(at: location, of: .of([1])) == [1])
        let more = try log.append([3], to: first)
        #expect(more.segment == location.segment && more.offset == location.end)
    }

    @Test
    func leavesSealedAndShortenedSegments() throws {
        let log = try LogHarness()
        let sealed = try log.append([1], to: log.writer())
        log.catalog.seal(sealed.segment)
        let cutOff = try log.append([2], to: log.writer())
        log.catalog.note(end: cutOff.end + 8, of: cutOff.segment)
        log.letGo()
        let location = try log.append([3], to: log.writer())
        #expect(![sealed.segment, cutOff.segment].contains(location.segment))
        #expect(try log.content(at: sealed, of: .of([1])) == [1])
        #expect(try log.content(at: cutOff, of: .of([2])) == [2])
    }

    @Test
    func leavesASegmentWithADamagedOpening() throws {
        let log = try LogHarness()
        let location = try log.append([1], to: log.writer())
        log.commit([location])
        try log.flip(4, at: 17, of: location.segment)
        #expect(try log.append([2], to: log.writer()).segment != location.segment)
        #expect(try log.content(at: location, of: .of([1])) == [1])
    }

    /// The kernel forgets pages that it could not write.
    @Test
    func trustsNothingAfterAFailedSync() throws {
        let log = try LogHarness()
        let failure = DiskError("sync", "a segment", code: EIO)
        let writer = log.writer(syncFile: { _ throws(DiskError) in throw failure })
        _ = try log.append([1], to: writer, isWritten: false)
        for _ in 0..<2 {
            #expect(throws: DiskError.self) { try writer.sync() }
            #expect(throws: DiskError.self) { try log.append([2], to: writer, isWritten: false) }
        }
    }

    /// One sync takes long: the next may not return before it, for records that it has taken along.
    @Test
    func waitsForASyncThatIsUnderWay() async throws {
        let log = try LogHarness()
        let slow = SlowSync()
        let writer = log.writer(syncFile: { _ throws(DiskError) in slow.run() })
        _ = try log.append([1], to: writer)
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                try await DispatchQueue.global().run { try writer.sync() }
                return slow.ended.withLock { $0 }
            }
            try await eventually { slow.hasBegun.isRaised }
            group.addTask {
                try await DispatchQueue.global().run {
                    let thread = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
                    slow.second.withLock { $0 = thread }
                    try writer.sync()
                }
                return slow.ended.withLock { $0 }
            }
            try await eventually { try slow.second.withLock { $0 }.map(Self.isWaiting) ?? false }
            slow.mayEnd.open()
            for try await count in group { #expect(count == 1) }
        }
    }

    /// Whether a thread, by its folder in /proc, waits for something.
    private static func isWaiting(_ thread: String) throws -> Bool {
        // The state stands behind the name, which is in parentheses.
        try String(contentsOfFile: "/proc/\(thread)/stat", encoding: .utf8).split(separator: ")").last?
            .hasPrefix(" S") ?? false
    }

    private final class SlowSync: Sendable {
        let hasBegun = Flag()
        let mayEnd = Gate()
        let ended = Mutex(0)
        /// Folder of the thread whose sync comes second.
        let second = Mutex<String?>(nil)

        func run() {
            hasBegun.raise()
            mayEnd.wait()
            ended.withLock { $0 += 1 }
        }
    }

    @Test
    func appendsFromManyThreads() async throws {
        let log = try LogHarness()
        let writer = log.writer(segmentBytes: 20_000)
        let locations = try await withThrowingTaskGroup(of: (Int, RecordLocation).self) { group in
            for number in 0..<200 {
                group.addTask {
                    let location = try log.append(
                        Array(repeating: UInt8(number), count: 300 + number), to: writer, isWritten: false)
                    if number % 20 == 0 { try writer.sync() }
                    return (number, location)
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        try writer.sync()
        for (number, location) in locations {
            let content = Array(repeating: UInt8(number), count: 300 + number)
            #expect(try log.content(at: location, of: .of(content)) == content)
        }
        let scan = try log.scan()
        #expect(scan.records.count == 200 && scan.damages.isEmpty)
    }

    /// A database that was brought back from a backup knows less than the log.
    @Test
    func cutsNothingOfALogThatIsNewerThanItsRows() throws {
        let log = try LogHarness()
        var writer: LogWriter? = log.writer()
        let first = try log.append([1], to: try #require(writer))
        log.commit([first])
        let second = try log.append([2], to: try #require(writer))
        try log.mark([second], at: 7, by: try #require(writer))
        log.letGo()
        writer = nil
        let size = try #require(DiskFile.size(of: log.directory.path(of: second.segment)))
        // Its rows end behind the first.
        let third = try log.append([3], to: log.writer())
        #expect(third.segment != second.segment)
        #expect(DiskFile.size(of: log.directory.path(of: second.segment)) == size)
        #expect(try log.content(at: second, of: .of([2])) == [2])
        let mark = CommitMark(end: second.end, position: 7, store: .of([]))
        #expect(log.catalog.left == [second.segment: mark])
        let segment = try SegmentFile.read(second.segment, in: log.directory)
        #expect(try segment.commitMark(behind: first.end) == mark && segment.commitMark(behind: size) == nil)
    }

    /// Commits are marked in each segment that has their records: in a large one, in one that is full, and in the one
    /// that came after it.
    @Test
    func marksEachSegmentOfACommit() throws {
        let log = try LogHarness()
        let writer = log.writer(segmentBytes: 5000)
        let contents = [
            [UInt8](repeating: 1, count: 6000), [2], [UInt8](repeating: 3, count: Int(LogFormat.largeBytes)),
        ]
        let locations = try contents.map { try log.append($0, to: writer) }
        #expect(Set(locations.map(\.segment)).count == 3)
        // A record that got no row is not marked.
        let unused = try log.append([UInt8](repeating: 4, count: Int(LogFormat.largeBytes)), to: writer)
        try log.mark(locations, at: 9, by: writer)
        for location in locations {
            let mark = try SegmentFile.read(location.segment, in: log.directory).commitMark(behind: location.end)
            #expect(mark == CommitMark(end: location.end, position: 9, store: .of([])), "\(location)")
        }
        #expect(DiskFile.size(of: log.directory.path(of: unused.segment)) == unused.end)
        #expect(try log.scan().damages.isEmpty)
        for (content, location) in zip(contents, locations) {
            #expect(try log.content(at: location, of: .of(content)) == content)
        }
    }

    /// A transaction that fails takes its position back: a mark that named it would tell of a later database.
    @Test
    func marksNoPositionOfATransactionThatFailed() throws {
        let log = try LogHarness()
        let writer = log.writer()
        let records = try [[1], [2]].map { (content: [UInt8]) in
            try content.withUnsafeBytes { try writer.append(LogHarness.label(content), [$0]) }
        }
        records[0].noteUse(at: 1)
        // Before the first is marked another begins with the second, and fails.
        records[1].noteUse(at: 2)
        records[0].noteCommit(LogStep(start: 0, end: 1))
        try writer.noteCommits([records[0]])
        let (location, end) = (records[0].location, records[1].location.end)
        let mark = try SegmentFile.read(location.segment, in: log.directory).commitMark(behind: end)
        #expect(mark == CommitMark(end: location.end, position: 1, store: .of([])))
    }

    /// The rows know that a segment was begun, and nothing of what came into it; or they have come less far than a mark
    /// says, be its records known.
    @Test(arguments: [true, false])
    func cutsNoLargeRecordOfANewerLog(isLarge: Bool) throws {
        let log = try LogHarness()
        let content = [UInt8](repeating: 5, count: isLarge ? Int(LogFormat.largeBytes) : 10)
        var writer: LogWriter? = log.writer()
        let location = try log.append(content, to: try #require(writer))
        try log.mark([location], at: 3, by: try #require(writer))
        if !isLarge { log.commit([location]) }
        log.letGo()
        writer = nil
        let other = try log.append([1], to: log.writer())
        #expect(other.segment != location.segment && log.catalog.left.keys.contains(location.segment))
        #expect(try log.content(at: location, of: .of(content)) == content)
    }

    @Test(.startsPrograms, .enabled(if: SmallDisk.isPossible))
    func saysThatTheDiskIsFull() throws {
        let disk = try SmallDisk(bytes: 180_000)
        defer { disk.unmount() }
        let log = LogDirectory(path: disk.path, temporary: disk.path)
        let writer = LogWriter(directory: log, catalog: MemoryCatalog())
        let content = [UInt8](repeating: 7, count: 50_000)
        func append() throws -> RecordLocation {
            try content.withUnsafeBytes { try writer.append(LogHarness.label(content), [$0]) }.location
        }
        var locations: [RecordLocation] = []
        let error = #expect(throws: DiskError.self) { while true { locations.append(try append()) } }
        #expect(error?.isOutOfSpace == true)
        #expect(locations.count == 3)
        // The next record stands where the failed one began, of which nothing is left.
        #expect(DiskFile.size(of: log.path(of: locations[0].segment)) == locations.last?.end)
        try disk.resize(bytes: 400_000)
        let location = try append()
        #expect(location.offset == locations[2].end)
        let reader = LogReader(log)
        for location in locations + [location] {
            #expect(try reader.record(at: location, of: .of(content)).body() == content)
        }
    }
}
