import TestSupport
internal import Foundation
import FundCore
import Synchronization
import Testing

@testable import FundStore

/// A log in a directory of its own, and what the rows would know of it.
final class LogHarness: Sendable {
    let directory: LogDirectory
    let reader: LogReader
    let catalog = MemoryCatalog()
    /// Records that are not committed yet.
    private let held = Mutex<[AppendedRecord]>([])

    init() throws {
        directory = LogDirectory(path: try TestFile.makeFolder("log"), temporary: try TestFile.makeFolder("logtmp"))
        reader = LogReader(directory)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory.path) }

    func writer(
        segmentBytes: Int64 = LogFormat.segmentBytes, store: ContentDigest = .of([]),
        syncFile: @escaping @Sendable (SegmentFile) throws(DiskError) -> Void = { file throws(DiskError) in
            try file.sync()
        }
    ) -> LogWriter {
        LogWriter(
            directory: directory, catalog: catalog, store: store, segmentBytes: segmentBytes, syncFile: syncFile)
    }

    /// Writes over bytes of a segment.
    func overwrite(_ bytes: [UInt8], at offset: Int64, of segment: SegmentNumber) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: directory.path(of: segment)))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: bytes)
        reader.forget(segment)
    }

    /// Changes bits of a byte of a segment.
    func flip(_ bits: UInt8, at offset: Int64, of segment: SegmentNumber) throws {
        let bytes = try TestFile.read(directory.path(of: segment))
        try overwrite([bytes[Int(offset)] ^ bits], at: offset, of: segment)
    }

    /// Notes these records in the catalog, as their transaction does.
    func commit(_ locations: [RecordLocation]) {
        for location in locations { catalog.note(end: location.end, of: location.segment) }
        letGo()
    }

    /// Marks these records, as after the transaction that brought a lost state of the database to `position`.
    func mark(_ locations: [RecordLocation], at position: Int64, by writer: LogWriter) throws {
        let records = held.withLock { held in held.filter { locations.contains($0.location) } }
        for record in records {
            record.noteUse(at: position)
            record.noteCommit(LogStep(start: position - 1, end: position))
        }
        try writer.noteCommits(records)
    }

    /// Lets go of all records, as the end of a process that has committed nothing more.
    func letGo() { held.withLock { $0 = [] } }

    private func hold(_ record: AppendedRecord) -> RecordLocation {
        held.withLock { $0.append(record) }
        return record.location
    }

    static func label(
        _ content: [UInt8], _ kind: RecordHeader.Kind = .blob, encoding: RecordHeader.Encoding = .plain,
        origin: String = "report.pdf"
    ) -> RecordHeader.Label {
        RecordHeader.Label(
            kind: kind, encoding: encoding, digest: .of(content), contentBytes: Int64(content.count),
            time: Timestamp(1_700_000_000), origin: origin)
    }

    /// - Parameter isWritten: it can be read, as after a `sync`; otherwise it may wait in memory.
    func append(
        _ content: [UInt8], origin: String = "report.pdf", to writer: LogWriter, isWritten: Bool = true
    ) throws -> RecordLocation {
        defer { if isWritten { writer.settle() } }
        return hold(try content.withUnsafeBytes { try writer.append(Self.label(content, origin: origin), [$0]) })
    }

    /// A message that repeats these contents. Nil when it repeats none.
    func append(message: [UInt8], repeating contents: [[UInt8]], to writer: LogWriter) throws -> RecordLocation? {
        let buffers = contents.map { UnsafeMutableRawBufferPointer.copy(of: $0) }
        defer { for buffer in buffers { buffer.deallocate() } }
        defer { writer.settle() }
        return try message.withUnsafeBytes { bytes in
            let composition = MessageComposition(
                of: bytes,
                repeating: zip(contents, buffers).map { .init(digest: .of($0), bytes: UnsafeRawBufferPointer($1)) })
            guard let composition else { return nil }
            let label = Self.label(message, .message, encoding: .composed, origin: "funds/1/2")
            return try composition.table.withUnsafeBytes { table in
                hold(try writer.append(label, [table] + composition.literals(of: bytes)))
            }
        }
    }

    /// The content of the record that stands there.
    func content(
        at location: RecordLocation, of digest: ContentDigest, among locations: [ContentDigest: RecordLocation] = [:]
    ) throws -> [UInt8] {
        var content: [UInt8] = []
        try reader.record(at: location, of: digest).content(
            nil, { digest in try locations[digest].map { try reader.record(at: $0, of: digest) } }, { content += $0 })
        return content
    }

    /// Contents of all segments: live records that are whole with what they repeat, and damage.
    func scan() throws -> (records: [RecordLocation: RecordHeader], damages: [LogDamage]) {
        var (records, damages): ([RecordLocation: RecordHeader], [LogDamage]) = ([:], [])
        for number in try directory.segments() {
            do {
                var scan = try LogScan(number, in: directory)
                if scan.hasDamagedOpening { damages.append(LogDamage(.opening, number, 0)) }
                while let entry = try scan.next() {
                    switch entry {
                    case .damage(let damage): damages.append(damage)
                    case .record(_, .dead): break
                    case .record(let record, let state):
                        do {
                            try record.verifyBlocks()
                            if state == .changed { damages.append(record.damage(.state)) }
                            records[record.location] = record.header
                        } catch let damage as LogDamage { damages.append(damage) }
                    }
                }
            } catch let damage as LogDamage { damages.append(damage) }
        }
        return (records, damages)
    }
}

/// An attachment as its sender may make it who knows where it comes to stand: records that are whole there, of a salt
/// of his own, each with a commit mark.
struct ForgedRecords {
    static let origin = "report.pdf"
    private(set) var bytes: [UInt8] = []
    /// Ends of the records and of their marks in the segment.
    private(set) var ends: [Int64] = []

    /// - Parameter count: of bytes, about.
    init(_ kind: RecordHeader.Kind = .blob, count: Int) {
        let (salt, content) = (UInt64(0x1234_5678), Array("forged by mail!!".utf8))
        var offset =
            Int64(LogFormat.openingBytes + LogFormat.headerBytes) + LogFormat.padded(Int64(Self.origin.utf8.count))
        while bytes.count < count {
            let label = LogHarness.label(content, kind, origin: "vouched:a.eml")
            let header = RecordHeader(label, bodyBytes: 16, salt: salt, offset: offset)
            bytes += header.bytes() + content
            bytes.append(integer: content.withUnsafeBytes { header.checksum(ofBlock: 0, $0) })
            let mark = CommitMark(end: header.end, position: 1, store: .of([])).label
            bytes += RecordHeader(mark, bodyBytes: 0, salt: salt, offset: header.end).bytes()
            offset += header.byteCount + Int64(LogFormat.headerBytes) + LogFormat.padded(Int64(mark.origin.utf8.count))
            ends += [header.end, offset]
        }
    }
}

/// A catalog of segments in memory.
final class MemoryCatalog: SegmentCatalog {
    private let ends = Mutex<[SegmentNumber: Int64]>([:])
    private let ahead = Mutex<[SegmentNumber: CommitMark]>([:])
    /// Position of the database that the catalog stands for.
    let databasePosition = Mutex<Int64>(0)
    private let last = Mutex<UInt32>(0)

    func add() -> SegmentNumber {
        let number = SegmentNumber(
            last.withLock { last in
                last += 1
                return last
            })
        note(end: Int64(LogFormat.openingBytes), of: number)
        return number
    }

    func withdraw(_ number: SegmentNumber) { seal(number) }

    func open() -> [SegmentNumber] { ends.withLock { $0.keys.sorted(by: >) } }

    func position() -> Int64 { databasePosition.withLock(\.self) }

    func leave(_ number: SegmentNumber, _ mark: CommitMark) {
        seal(number)
        ahead.withLock { $0[number] = mark }
    }

    /// Segments that were left, with the marks that said so.
    var left: [SegmentNumber: CommitMark] { ahead.withLock(\.self) }

    func takeOver(_ number: SegmentNumber, salt: UInt64) -> Int64? { ends.withLock { $0[number] } }

    func note(end: Int64, of number: SegmentNumber) { ends.withLock { $0[number] = max($0[number] ?? 0, end) } }

    /// It takes no further record.
    func seal(_ number: SegmentNumber) { _ = ends.withLock { $0.removeValue(forKey: number) } }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate static func copy(of bytes: [UInt8]) -> UnsafeMutableRawBufferPointer {
        let copy = allocate(byteCount: bytes.count, alignment: 1)
        copy.copyBytes(from: bytes)
        return copy
    }
}

extension LogRecord {
    /// The whole body.
    func body() throws -> [UInt8] {
        var bytes: [UInt8] = []
        try read(0..<header.bodyBytes) { bytes += $0 }
        return bytes
    }
}

/// Bytes that no compression and no pattern helps with. They are written in place, as those of `patternBytes` are.
func randomBytes(_ count: Int, using random: inout SeededGenerator) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
        var (index, word) = (0, UInt64(0))
        while index < count {
            word = index & 7 == 0 ? random.next() : word >> 8
            buffer[index] = UInt8(truncatingIfNeeded: word)
            index &+= 1
        }
        written = count
    }
}

/// A mail with these contents in base64.
func mail(with contents: [[UInt8]], _ lines: Base64LineEncoder.Lines) -> [UInt8] {
    let end = lines.end.bytes
    var mail = Array("From: ann@example.com".utf8) + end + Array("Subject: [Fund1] report".utf8) + end + end
    for (number, content) in contents.enumerated() {
        mail += Array("--x".utf8) + end + Array("Content-Disposition: attachment; filename=\(number)".utf8) + end + end
        var encoder = Base64LineEncoder(lines)
        content.withUnsafeBytes { bytes in
            encoder.encode(bytes) { mail += $0 }
            encoder.finish { mail += $0 }
        }
        mail += end
    }
    return mail + Array("--x--".utf8) + end
}

extension MessageComposition {
    /// Nil for one that repeats none of these contents.
    init?(of message: UnsafeRawBufferPointer, repeating contents: [Content]) {
        var builder = Builder(message)
        for content in contents { _ = builder.add(content) }
        guard let found = builder.finish() else { return nil }
        self = found
    }
}
