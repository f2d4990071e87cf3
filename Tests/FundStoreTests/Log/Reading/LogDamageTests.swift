import TestSupport
internal import Foundation
internal import Glibc
import FundCore
import Testing

@testable import FundStore

@Suite struct LogDamageTests {
    /// A log of several segments, with what was put into it.
    private struct Filled {
        let log: LogHarness
        var locations: [ContentDigest: RecordLocation] = [:]
        var contents: [ContentDigest: [UInt8]] = [:]
        /// Contents that composed messages repeat.
        var repeated: [ContentDigest: [ContentDigest]] = [:]

        init(seed: UInt64) throws {
            log = try LogHarness()
            let writer = log.writer(segmentBytes: 150_000)
            var random = SeededGenerator(seed: seed)
            for number in 0..<12 {
                let content = randomBytes([10, 700, 5000, 70_000][number % 4] + number, using: &random)
                locations[.of(content)] = try log.append(content, to: writer)
                contents[.of(content)] = content
                guard number % 4 == 2 else { continue }
                let message = mail(with: [content], .init(length: 76, end: .crlf))
                locations[.of(message)] = try log.append(message: message, repeating: [content], to: writer)
                contents[.of(message)] = message
                repeated[.of(message)] = [.of(content)]
            }
            try writer.sync()
        }

        /// The contents that cannot be read; what can be is what was put in.
        func unreadable() throws -> Set<ContentDigest> {
            var unreadable: Set<ContentDigest> = []
            for (digest, location) in locations {
                do {
                    let content = try log.content(at: location, of: digest, among: locations)
                    #expect(content == contents[digest])
                } catch is LogDamage { unreadable.insert(digest) }
            }
            return unreadable
        }

        /// Contents that damage to these bytes of a segment makes unreadable.
        func touched(_ segment: SegmentNumber, _ offset: Int64) -> Set<ContentDigest> {
            touched(segment, offset..<(offset + 1))
        }

        func touched(_ segment: SegmentNumber, _ range: Range<Int64>) -> Set<ContentDigest> {
            // A state that has changed makes nothing unreadable.
            let direct = locations.filter {
                let state = $1.offset + Int64(LogFormat.stateOffset)
                let isOfState = state <= range.lowerBound && range.upperBound <= state + 8
                return $1.segment == segment && ($1.offset..<$1.end).overlaps(range) && !isOfState
            }.map(\.key)
            return Set(direct + repeated.filter { !Set($1).isDisjoint(with: direct) }.map(\.key))
        }
    }

    @Test
    func isWholeWithoutDamage() throws {
        let filled = try Filled(seed: 1)
        #expect(try filled.unreadable().isEmpty)
        #expect(try filled.log.directory.segments().count > 1)
        let scan = try filled.log.scan()
        #expect(scan.damages.isEmpty && Set(scan.records.keys) == Set(filled.locations.values))
    }

    /// Each of a thousand changes of one bit is found by the scan and by each read that touches it; all else is read as
    /// it was.
    @Test
    func findsEachBitThatChanged() throws {
        let filled = try Filled(seed: 2)
        var random = SeededGenerator(seed: 3)
        let segments = try filled.log.directory.segments()
        for round in 0..<1000 {
            let segment = try #require(segments.randomElement(using: &random))
            let size = try #require(DiskFile.size(of: filled.log.directory.path(of: segment)))
            // Every other time in an opening or a header, which random locations seldom are.
            let heads = filled.locations.values.filter { $0.segment == segment }.map(\.offset) + [0]
            let offset =
                round % 2 == 0
                ? Int64.random(in: 0..<size, using: &random)
                : try #require(heads.randomElement(using: &random))
                    + Int64.random(in: 0..<Int64(LogFormat.headerBytes), using: &random)
            let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            try filled.log.flip(bit, at: offset, of: segment)
            #expect(try !filled.log.scan().damages.isEmpty, "byte \(offset) of \(segment)")
            #expect(try filled.unreadable() == filled.touched(segment, offset), "byte \(offset) of \(segment)")
            try filled.log.flip(bit, at: offset, of: segment)
        }
        #expect(try filled.unreadable().isEmpty)
    }

    /// Each kind of damage by its name.
    @Test
    func saysWhatIsDamaged() throws {
        let log = try LogHarness()
        let content = [UInt8](repeating: 3, count: 300_000)
        let location = try log.append(content, to: log.writer())
        func damage() throws -> LogDamage.Kind? {
            do {
                _ = try log.content(at: location, of: .of(content))
                return nil
            } catch let damage as LogDamage { return damage.kind }
        }
        #expect(try damage() == nil)
        let body = location.offset + Int64(LogFormat.headerBytes) + 16
        try log.flip(1, at: body + 2 * LogFormat.blockBytes + 5, of: location.segment)
        #expect(try damage() == .block(2))
        try log.flip(1, at: body + 2 * LogFormat.blockBytes + 5, of: location.segment)
        try log.overwrite(
            RecordHeader.State.dead.bytes, at: location.offset + Int64(LogFormat.stateOffset), of: location.segment)
        #expect(try damage() == .dead)
        #expect(try log.scan().records.isEmpty && log.scan().damages.isEmpty)
        try log.overwrite(
            Array("deadlive".utf8), at: location.offset + Int64(LogFormat.stateOffset), of: location.segment)
        #expect(try damage() == nil && log.scan().damages.map(\.kind) == [.state])
        // A changed bit makes nothing else of a record that was given up.
        try log.overwrite(
            Array("deaddeae".utf8), at: location.offset + Int64(LogFormat.stateOffset), of: location.segment)
        #expect(try damage() == .dead && log.scan().damages.isEmpty)
        try log.overwrite(
            RecordHeader.State.live.bytes, at: location.offset + Int64(LogFormat.stateOffset), of: location.segment)
        #expect(try damage() == nil)
        unlink(log.directory.path(of: location.segment))
        log.reader.forget(location.segment)
        #expect(try damage() == .missingSegment)
    }

    @Test
    func saysThatAContentIsMissing() throws {
        let log = try LogHarness()
        let content = (0..<3000).map { UInt8(truncatingIfNeeded: $0 * $0) }
        let message = mail(with: [content], .init(length: 76, end: .crlf))
        let location = try #require(try log.append(message: message, repeating: [content], to: log.writer()))
        #expect(throws: LogDamage(.missingContent(.of(content)), location.segment, location.offset)) {
            try log.content(at: location, of: .of(message))
        }
    }

    @Test
    func findsATornEnd() throws {
        let filled = try Filled(seed: 4)
        let last = try #require(filled.locations.values.max { ($0.segment, $0.offset) < ($1.segment, $1.offset) })
        let path = filled.log.directory.path(of: last.segment)
        for end in [last.end - 1, last.end - 9, last.offset + 100, last.offset + 50, last.offset + 1] {
            truncate(path, Int(end))
            #expect(try filled.unreadable() == filled.touched(last.segment, last.offset))
            #expect(try filled.log.scan().damages == [LogDamage(.header, last.segment, last.offset)])
        }
    }

    @Test
    func findsMissingAndSwappedSegments() throws {
        let filled = try Filled(seed: 5)
        let segments = try filled.log.directory.segments()
        let (first, second) = (filled.log.directory.path(of: segments[0]), filled.log.directory.path(of: segments[1]))
        let inBoth = Set(
            filled.locations.filter { segments.prefix(2).contains($1.segment) }.flatMap {
                filled.touched($1.segment, $1.offset)
            })
        func forget() { for segment in segments { filled.log.reader.forget(segment) } }
        rename(first, first + ".away")
        rename(second, first)
        rename(first + ".away", second)
        forget()
        #expect(try filled.unreadable() == inBoth)
        #expect(try filled.log.scan().damages == segments.prefix(2).map { LogDamage(.opening, $0, 0) })
        unlink(first)
        forget()
        #expect(try filled.unreadable() == inBoth)
    }

    /// A file that holds a segment can be sent by mail. What it contains is no record, not even where the header before
    /// it is damaged.
    @Test
    func believesNoRecordThatCameByMail() throws {
        let log = try LogHarness()
        let content = Array("forged".utf8)
        let (salt, offset) = (UInt64(0x1234_5678), Int64(LogFormat.openingBytes + LogFormat.headerBytes + 16))
        let header = RecordHeader(LogHarness.label(content), bodyBytes: 6, salt: salt, offset: offset)
        var forged = header.bytes() + content
        forged.pad()
        let location = try log.append(forged, to: log.writer())
        #expect(location.offset == Int64(LogFormat.openingBytes))
        let bytes = try TestFile.read(log.directory.path(of: location.segment))
        #expect(bytes.dropFirst(Int(offset)).starts(with: LogFormat.recordMagic))
        try log.flip(1, at: location.offset, of: location.segment)
        let scan = try log.scan()
        #expect(scan.records.isEmpty && scan.damages == [LogDamage(.header, location.segment, location.offset)])
    }

    private static let pageBytes: Int64 = 4096

    /// A page of zeros, or of what stood elsewhere, costs the records that it touches, be it the first of the segment:
    /// all others are read, with and without rows.
    @Test(arguments: [true, false])
    func onePageCostsWhatItTouches(isZero: Bool) throws {
        let filled = try Filled(seed: 6)
        let log = filled.log
        for segment in try log.directory.segments() {
            let whole = try TestFile.read(log.directory.path(of: segment))
            let size = Int64(whole.count)
            // The page in which the last record ends is another matter, see `onlyAWholeEndTellsTheSalt`.
            for start in stride(from: 0, to: size - Self.pageBytes, by: 5 * Int(Self.pageBytes)).map { Int64($0) } {
                let range = start..<(start + Self.pageBytes)
                let torn = whole[Int(size - Self.pageBytes)...]
                try log.overwrite(
                    isZero ? [UInt8](repeating: 0, count: Int(Self.pageBytes)) : Array(torn), at: start, of: segment)
                #expect(try filled.unreadable() == filled.touched(segment, range), "\(range) of \(segment)")
                let found = try Set(log.scan().records.keys)
                let expected = filled.locations.values.filter {
                    $0.segment != segment || !($0.offset..<$0.end).overlaps(range)
                }
                #expect(found == Set(expected), "\(range) of \(segment)")
                try log.overwrite(Array(whole[Int(start)..<Int(range.upperBound)]), at: start, of: segment)
            }
        }
    }

    /// Without its beginning and its end a segment tells its salt no more; its row does.
    @Test
    func onlyAWholeEndTellsTheSalt() throws {
        let filled = try Filled(seed: 7)
        let segment = try #require(try filled.log.directory.segments().first)
        let path = filled.log.directory.path(of: segment)
        let salt = try SegmentFile.read(segment, in: filled.log.directory).salt
        try filled.log.overwrite([UInt8](repeating: 0, count: Int(Self.pageBytes)), at: 0, of: segment)
        #expect(try SegmentFile.read(segment, in: filled.log.directory).salt == salt)
        try TestFile.write(Array("torn".utf8), to: path, appending: true)
        #expect(throws: LogDamage(.opening, segment, 0)) { try SegmentFile.read(segment, in: filled.log.directory) }
        var directory = filled.log.directory
        directory.salt = { $0 == segment ? salt : nil }
        let reader = LogReader(directory)
        let touched = filled.touched(segment, 0..<Self.pageBytes)
        for (digest, location) in filled.locations where location.segment == segment {
            let isLost = (location.offset..<location.end).overlaps(0..<Self.pageBytes)
            #expect(((try? reader.record(at: location, of: digest).verifyBlocks()) == nil) == isLost)
        }
        #expect(!touched.isEmpty)
        // Nothing is appended to it.
        #expect(try SegmentFile.takeOver(segment, in: directory) == nil)
    }

    /// A mail may hold records that are whole where they come to stand, and so many that one ends where anything ends.
    /// Such records are taken for none where the beginning of the segment is lost, be they all that is whole in it.
    ///
    /// - Parameter count: of the mail's bytes, about: it is small, or has its segment for itself.
    @Test(arguments: [200_000, 1_300_000], [true, false])
    func believesNoRecordThatCameByMailWithoutABeginning(count: Int, hasOthers: Bool) throws {
        let log = try LogHarness()
        let writer = log.writer()
        let forged = ForgedRecords(count: count)
        let mail = try log.append(forged.bytes, origin: ForgedRecords.origin, to: writer)
        #expect(mail.offset == Int64(LogFormat.openingBytes))
        let others = hasOthers ? [try log.append([1, 2, 3], to: writer)] : []
        try log.mark([mail] + others, at: 1, by: writer)
        try log.overwrite([UInt8](repeating: 0, count: Int(Self.pageBytes)), at: 0, of: mail.segment)
        let scan = try log.scan()
        // The mark behind it ends the file, and speaks of a record that is lost: it tells nothing.
        #expect(Set(scan.records.filter { $1.label.kind != .commit }.keys) == Set(others))
        #expect(scan.damages.contains(LogDamage(.opening, mail.segment, 0)))
    }
}
