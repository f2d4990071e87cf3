import FundCore
import Synchronization
import Testing

@testable import FundStore

/// The contract of `SegmentStore`: a log that lies elsewhere than in files is read like one of files.
@Suite struct SegmentStoreTests {
    private static let contents = [[UInt8]("first".utf8), [UInt8](repeating: 7, count: 100_000)]

    @Test func recordsAreReadWithoutFiles() throws {
        let log = try LogHarness()
        let writer = log.writer()
        let locations = try Self.contents.map { try log.append($0, to: writer) }
        let store = try MemorySegments(copyOf: log.directory)
        let reader = LogReader(store)
        for (content, location) in zip(Self.contents, locations) {
            let record = try reader.record(at: location, of: .of(content))
            var found: [UInt8] = []
            try record.content(nil, { _ in nil }) { found += $0 }
            #expect(found == content)
            // There is no descriptor to send it from.
            #expect(record.region(0..<1) == nil)
        }
        let segment = locations[0].segment
        #expect(try store.headers(of: segment) == log.directory.headers(of: segment))
        #expect(try store.hasSameRecords(of: segment, as: log.directory, upTo: .max))
    }

    @Test func aRecordThatWasGivenUpComesWhereItIsNeeded() throws {
        let log = try LogHarness()
        let location = try log.append(Self.contents[0], to: log.writer())
        let store = try MemorySegments(copyOf: log.directory)
        let reader = LogReader(store)
        #expect(try store.giveUp([(location, .of(Self.contents[0]))], in: location.segment).isEmpty)
        #expect(throws: LogDamage(.dead, location.segment, location.offset)) {
            try reader.record(at: location, of: .of(Self.contents[0]))
        }
        #expect(try reader.record(at: location, of: .of(Self.contents[0]), isNeeded: true).state == .dead)
    }

    @Test func aRemovedSegmentIsMissing() throws {
        let log = try LogHarness()
        let location = try log.append(Self.contents[0], to: log.writer())
        let store = try MemorySegments(copyOf: log.directory)
        try #require(try store.hold(location.segment, for: .removal)).remove()
        #expect(try store.segments().isEmpty)
        #expect(throws: LogDamage(.missingSegment, location.segment, 0)) {
            try LogReader(store).record(at: location, of: .of(Self.contents[0]))
        }
    }
}

/// Segments in memory.
private final class MemorySegments: SegmentStore {
    private let all = Mutex<[SegmentNumber: [UInt8]]>([:])

    init(copyOf directory: LogDirectory) throws {
        for number in try directory.segments() {
            let file = try directory.read(number)
            let bytes = try file.bytes(Int(file.size()), at: 0)
            all.withLock { $0[number] = bytes }
        }
    }

    func segments() -> [SegmentNumber] { all.withLock { $0.keys.sorted() } }

    private func segment(_ number: SegmentNumber) throws -> MemorySegment {
        guard let bytes = all.withLock({ $0[number] }) else { throw LogDamage(.missingSegment, number, 0) }
        return MemorySegment(number, bytes) { [self] in all.withLock { $0[number] = nil } }
    }

    func read(_ number: SegmentNumber) throws -> any SegmentReader { try segment(number) }

    func hold(_ number: SegmentNumber, for purpose: SegmentPurpose) throws -> (any HeldSegment)? { try segment(number) }

    func giveUp(
        _ records: [(location: RecordLocation, digest: ContentDigest)], in number: SegmentNumber
    ) throws -> [RecordLocation] {
        all.withLock { all in
            for record in records {
                let start = Int(record.location.offset) + LogFormat.stateOffset
                let dead = RecordHeader.State.dead.bytes
                all[number]?.replaceSubrange(start..<(start + dead.count), with: dead)
            }
        }
        return []
    }

    func storedBytes(of number: SegmentNumber) -> Int64 { all.withLock { Int64($0[number]?.count ?? 0) } }

    func requireInPlace() {}
}

private final class MemorySegment: HeldSegment {
    let number: SegmentNumber
    let salt: UInt64
    let (hasDamagedOpening, hasProvenSalt) = (false, true)
    let sendingDescriptor: Int32? = nil
    private let bytes: [UInt8]
    private let leave: @Sendable () -> Void

    init(_ number: SegmentNumber, _ bytes: [UInt8], leave: @escaping @Sendable () -> Void) {
        (self.number, self.bytes, self.leave) = (number, bytes, leave)
        // See `LogFormat`.
        salt = bytes.withUnsafeBytes { $0.integer(at: 16, as: UInt64.self) }
    }

    func size() -> Int64 { Int64(bytes.count) }

    func bytes(_ count: Int, at offset: Int64) -> [UInt8] { Array(bytes.dropFirst(Int(offset)).prefix(count)) }

    func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
        let part = bytes(buffer.count, at: offset)
        buffer.copyBytes(from: part)
        return part.count
    }

    func fillFromMemory(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int { fill(buffer, at: offset) }

    func nextData(from offset: Int64) -> Range<Int64>? { offset < size() ? offset..<size() : nil }

    func isInMemory(_ count: Int, at offset: Int64) -> Bool { true }

    func hold(_ location: RecordLocation) -> RecordHold? { nil }

    func remove() { leave() }
}
