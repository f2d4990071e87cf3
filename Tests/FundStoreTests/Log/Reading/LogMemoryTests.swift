internal import Foundation
import FundCore
internal import Glibc
import TestSupport
import Testing

@testable import FundStore

/// Bytes that were checked once are read and sent without a check, as long as that is safe.
@Suite struct LogMemoryTests {
    /// A record of three blocks, and another behind it in the same segment.
    private struct Filled {
        let log: LogHarness
        let content: [UInt8]
        let location: RecordLocation
        let neighbour: RecordLocation

        init() throws {
            log = try LogHarness()
            let writer = log.writer()
            var random = SeededGenerator(seed: 7)
            content = randomBytes(150_000, using: &random)
            location = try log.append(content, to: writer)
            neighbour = try log.append([1, 2, 3], to: writer)
            try writer.sync()
        }

        /// A part of it is checked when this returns, nil for nothing.
        func record(checking range: Range<Int64>? = nil) throws -> LogRecord {
            let record = try log.reader.record(at: location, of: .of(content))
            if let range { try record.read(range) { _ in } }
            return record
        }

        var file: SegmentFile { get throws { try SegmentFile.write(location.segment, in: log.directory) } }

        /// Whether its bytes stay because a reader has them.
        func giveUp() throws -> Bool { try file.giveUp([(location, .of(content))]) == [location] }

        /// The whole body as it stands in the file.
        func standing() throws -> [UInt8] {
            let start = Int(location.end - 3 * LogFormat.checkBytes - LogFormat.padded(Int64(content.count)))
            return Array(try TestFile.read(log.directory.path(of: location.segment))[start...].prefix(content.count))
        }

        var hasDisk: Bool { get throws { try !file.hasNoDisk } }
    }

    private func bytes(of region: StoredRegion) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: region.count) { buffer, count in
            count = pread(region.descriptor, buffer.baseAddress, region.count, off_t(region.offset))
            guard count == region.count else { throw ServerFailure("\(count) bytes of \(region.count)") }
        }
    }

    @Test(arguments: [0..<150_000, 0..<1, 65_535..<65_537, 149_999..<150_000, 70_000..<140_000] as [Range<Int64>])
    func givesWhatWasChecked(_ range: Range<Int64>) throws {
        let filled = try Filled()
        let wanted = Array(filled.content[Int(range.lowerBound)..<Int(range.upperBound)])
        var buffer = [UInt8](repeating: 0, count: range.count)
        let unchecked = try filled.record()
        #expect(!buffer.withUnsafeMutableBytes { unchecked.readChecked(at: range.lowerBound, into: $0) })
        #expect(unchecked.region(range) == nil)
        let record = try filled.record(checking: range)
        #expect(buffer.withUnsafeMutableBytes { record.readChecked(at: range.lowerBound, into: $0) })
        #expect(buffer == wanted)
        guard try filled.hasDisk else { return }
        let region = try #require(record.region(range))
        #expect(try bytes(of: region) == wanted)
        #expect(try region.split(by: 1000).flatMap(bytes) == wanted)
        // Another block of it was not looked at, unless all were.
        #expect((record.region(0..<150_000) == nil) == (range.count < 70_000 || range.lowerBound > 0))
    }

    @Test func givesNothingThatIsOutOfRange() throws {
        let filled = try Filled()
        let record = try filled.record(checking: 0..<150_000)
        for range in [0..<0, 0..<150_001, 150_000..<150_001, -1..<1] as [Range<Int64>] {
            #expect(record.region(range) == nil, "\(range)")
        }
    }

    /// Bytes that have left memory are checked when they come from the disk again, all of them.
    @Test func checksAgainWhatTheDiskGives() throws {
        let filled = try Filled()
        guard try filled.hasDisk else { return }
        let record = try filled.record(checking: 0..<150_000)
        #expect(record.region(0..<150_000) != nil)
        let (file, body) = (try filled.file, record.header.bodyOffset)
        let first = try file.bytes(1, at: body)[0]
        try file.write([first ^ 1], at: body)
        try file.sync()
        #expect(LinuxFile.leaveMemory(file.descriptor, at: body, count: 150_000))
        var buffer: [UInt8] = [0]
        #expect(!buffer.withUnsafeMutableBytes { record.readChecked(at: 0, into: $0) })
        // The second block is in memory again and was found whole before the first one changed.
        try filled.record().read(65_536..<65_537) { _ in }
        #expect(record.region(65_536..<65_537) == nil)
        let damage = LogDamage(.block(0), filled.location.segment, filled.location.offset)
        #expect(throws: damage) { try filled.record().read(0..<1) { _ in } }
    }

    @Test func givesNothingOfADeadRecord() throws {
        let filled = try Filled()
        let record = try filled.record(checking: 0..<150_000)
        try filled.file.write(
            RecordHeader.State.dead.bytes, at: filled.location.offset + Int64(LogFormat.stateOffset))
        var buffer: [UInt8] = [0]
        #expect(!buffer.withUnsafeMutableBytes { record.readChecked(at: 0, into: $0) })
        #expect(record.region(0..<1) == nil)
    }

    @Test func forgetsWhatNobodyAskedFor() {
        let (kept, forgotten) = (CheckedBlocks(), CheckedBlocks(maxIdle: .zero))
        for blocks in [kept, forgotten] {
            blocks.insert(3)
            blocks.insert(200)
        }
        #expect(kept.contain(3..<4) && kept.contain(200..<201) && !kept.contain(3..<5) && !kept.contain(201..<202))
        #expect(!forgotten.contain(3..<4) && !forgotten.contain(200..<201))
    }

    // MARK: Giving up

    /// Another process may have a segment open, in which only the hole of its record gives the bytes back.
    @Test func aSegmentStaysWhileARegionOfItIsHeld() async throws {
        let harness = try await LibraryHarness()
        let text = String(repeating: "7", count: Int(LogFormat.largeBytes) + 1)
        let file = try await harness.put("a", text)
        let content = try harness.store.library.content(of: file.digest, size: Int64(text.utf8.count))
        try content.read(0..<Int64(text.utf8.count)) { _ in }
        var region = content.region(0..<100_000)
        guard let descriptor = region.map({ dup($0.descriptor) }) else { return }  // a file system in memory
        defer { close(descriptor) }
        try await harness.delete("a")
        _ = try await harness.store.maintenance.purgeDeleted(before: .now + .seconds(10))
        #expect(try harness.base.count("dead_record") == 1)
        region = nil
        _ = try await harness.store.maintenance.sweep()
        #expect(try harness.base.count("dead_record") == 0)
        var status = stat()
        #expect(fstat(descriptor, &status) == 0 && status.st_blocks * 512 < 100_000, "\(status.st_blocks) blocks")
    }

    /// Many records share a page, and two larger ones may.
    @Test(arguments: [10, 65_536, 70_001]) func neighboursAreGivenUpTogether(_ bytes: Int) throws {
        let log = try LogHarness()
        let writer = log.writer()
        let contents = (0..<40).map { [UInt8](repeating: UInt8($0 + 1), count: bytes) }
        let records = try contents.map { (location: try log.append($0, to: writer), digest: ContentDigest.of($0)) }
        try writer.sync()
        for record in records.prefix(3) {
            try log.reader.record(at: record.location, of: record.digest).read(0..<Int64(bytes)) { _ in }
        }
        let file = try SegmentFile.write(records[0].location.segment, in: log.directory)
        #expect(try file.giveUp(Array(records.dropFirst())).isEmpty)
        #expect(try log.content(at: records[0].location, of: records[0].digest) == contents[0])
        let standing = Data(try TestFile.read(log.directory.path(of: records[0].location.segment)))
        for content in contents.dropFirst() { #expect(standing.range(of: Data(content.prefix(10))) == nil) }
    }

    @Test func bytesStayWhileARegionIsHeld() throws {
        let filled = try Filled()
        guard try filled.hasDisk else { return }
        let record = try filled.record(checking: 0..<150_000)
        var first = record.region(0..<150_000)
        var second = record.region(65_536..<65_537)?.split(by: 1)
        #expect(first != nil && second?.count == 1)
        #expect(try filled.giveUp())
        // It is marked: no other region is given.
        #expect(record.region(0..<1) == nil)
        first = nil
        #expect(try filled.giveUp())
        #expect(try filled.standing() == filled.content)
        second = nil
        #expect(try !filled.giveUp())
        #expect(try filled.standing() == [UInt8](repeating: 0, count: filled.content.count))
        #expect(try filled.log.content(at: filled.neighbour, of: .of([1, 2, 3])) == [1, 2, 3])
        // Once more, as after a crash.
        #expect(try !filled.giveUp())
    }

    /// Returns how many bytes the sockets took at once.
    private func send(_ region: StoredRegion, to socket: Int32) throws -> Int {
        var position = off_t(region.offset)
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        let count = sendfile(socket, region.descriptor, &position, region.count)
        guard count > 0 else { throw ServerFailure("sendfile: \(errno)") }
        return count
    }

    /// A socket has pages of the file until its client has read them, whatever became of the region and its process.
    @Test func bytesStayWhileASocketHasThem() async throws {
        let filled = try Filled()
        guard try filled.hasDisk else { return }
        let (listener, port) = try LoopbackSocket.listen()
        let client = try #require(LoopbackSocket.connect(port: port))
        let server = try #require(LoopbackSocket.accept(listener))
        defer { for descriptor in [listener, client] { close(descriptor) } }
        let record = try filled.record(checking: 0..<150_000)
        let count = try send(try #require(record.region(0..<150_000)), to: server)
        close(server)
        #expect(try filled.giveUp())
        var received: [UInt8] = []
        while received.count < count {
            let bytes = LoopbackSocket.receive(client)
            guard !bytes.isEmpty else { break }
            received += bytes
        }
        #expect(received == Array(filled.content[..<count]))
        // The kernel lets go of them when it has the client's word that they came, which takes a moment.
        #expect(try await becomesTrue { try !filled.giveUp() })
    }
}
