import FundCore
internal import Synchronization

/// The live records of segments that stand anywhere, found without any row. For any thread.
///
/// A segment may be there several times, as of several backups. What one copy has lost another may have, and a record
/// that is dead in one of them was purged: it counts as dead in all.
final class LeftLog: Sendable {
    /// A record, and where it stands.
    struct Record: Sendable {
        /// In `files`.
        var file: Int32
        var kind: RecordHeader.Kind
        var isComposed: Bool
        var offset: Int64
        var count: Int64
        var contentBytes: Int64
        var time: Timestamp
        var digest: ContentDigest

        var end: Int64 { offset + count }
    }

    /// A segment that was looked through.
    struct Segment: Sendable {
        var path: String
        var number: SegmentNumber
        var salt: UInt64
        /// Its first bytes are as they were written.
        var isWhole: Bool
        /// Where its last whole record ends, in bytes.
        var end = Int64(LogFormat.openingBytes)
        /// Something in it is damaged.
        var hasDamage = false
    }

    private struct State {
        /// The latest used last.
        var open: [(file: Int32, segment: SegmentFile)] = []
        /// Which record of a content was found to be whole.
        var whole: [ContentDigest: Int] = [:]
    }

    private static let maxOpenSegments = 64

    let segments: [Segment]
    let records: [Record]
    /// Records that nothing needed any more.
    let deadCount: Int
    let damages: [LeftDamage]
    private let byDigest: [ContentDigest: [Int]]
    /// The record of a content that rows know.
    private let known: @Sendable (ContentDigest) throws -> LogRecord?
    private let state = Mutex(State())

    /// Looks through the segments; bodies are not read. What cannot be read is among `damages`.
    ///
    /// - Parameters:
    ///   - known: the record of a content of which these segments have none.
    ///   - onProgress: segments that were looked through.
    init(
        _ files: LeftFiles, known: @escaping @Sendable (ContentDigest) throws -> LogRecord? = { _ in nil },
        onProgress: (_ done: Int) -> Void = { _ in }
    ) {
        var scan = LeftScan()
        scan.damages = files.damages
        for (index, file) in files.files.enumerated() {
            scan.look(through: file)
            onProgress(index + 1)
        }
        (segments, damages, deadCount) = (scan.segments, scan.damages, scan.dead.count)
        let records = scan.liveRecords
        self.records = records
        byDigest = Dictionary(grouping: records.indices) { records[$0].digest }
        self.known = known
    }

    // MARK: Reading

    /// Opens a record. Throws `LogDamage` when it is not what it was, and `SpoolError`.
    func open(_ index: Int) throws -> LogRecord {
        let record = records[index]
        let segment = try segment(record.file)
        let head = try segment.bytes(LogFormat.headerBytes + LogFormat.maxOriginBytes, at: record.offset)
        guard let (header, _) = head.withUnsafeBytes({ RecordHeader.read($0) }), header.offset == record.offset,
            header.label.digest == record.digest, header.byteCount == record.count
        else { throw LogDamage(.header, segment.number, record.offset) }
        return LogRecord(KnownRecord(header, in: segment.number), in: segment)
    }

    /// A record of a content whose blocks are all whole; nil when there is none.
    func whole(_ digest: ContentDigest) throws -> LogRecord? {
        if let index = try wholeIndex(digest) { return try open(index) }
        return try known(digest)
    }

    /// Of several copies the first that is whole; before all others one that repeats no other content.
    func wholeIndex(_ digest: ContentDigest) throws -> Int? {
        if let index = state.withLock({ $0.whole[digest] }) { return index }
        let candidates = byDigest[digest] ?? []
        for isComposed in [false, true] {
            for index in candidates where records[index].isComposed == isComposed {
                do { try open(index).verifyBlocks() } catch { continue }  // it is reported where it is read itself
                state.withLock { $0.whole[digest] = index }
                return index
            }
        }
        return nil
    }

    /// The records of this content and kind, in their order.
    func indices(of digest: ContentDigest, _ kind: RecordHeader.Kind) -> [Int] {
        (byDigest[digest] ?? []).filter { records[$0].kind == kind }
    }

    /// Gives the content of a record, compared with its SHA-256 at the end: what was given before it throws is to be
    /// thrown away. Throws `LeftDamage`, and what `consume` throws.
    func read(_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        var failure: (any Error)?
        do {
            try open(index).verify(whole) { bytes in
                do { try consume(bytes) } catch {
                    failure = error
                    throw error
                }
            }
        } catch {
            if let failure { throw failure }
            throw LeftDamage(path(of: index), error)
        }
    }

    func path(of index: Int) -> String { segments[Int(records[index].file)].path }

    /// One of `segments`, open for reading.
    func segment(_ file: Int32) throws -> SegmentFile {
        try state.withLock { state in
            if let index = state.open.lastIndex(where: { $0.file == file }) {
                let entry = state.open.remove(at: index)
                state.open.append(entry)
                return entry.segment
            }
            if state.open.count >= Self.maxOpenSegments { state.open.removeFirst() }
            let segment = try SegmentFile.read(at: segments[Int(file)].path)
            state.open.append((file, segment))
            return segment
        }
    }
}

/// One pass over the headers of segments.
private struct LeftScan {
    /// Tells a record from others in all copies of its segment.
    struct Key: Hashable {
        var salt: UInt64
        var offset: Int64
        var digest: ContentDigest
    }

    var segments: [LeftLog.Segment] = []
    var records: [LeftLog.Record] = []
    var dead: Set<Key> = []
    var damages: [LeftDamage] = []

    /// Without those that are dead in another copy of their segment.
    var liveRecords: [LeftLog.Record] {
        guard !dead.isEmpty, Set(segments.map(\.salt)).count < segments.count else { return records }
        return records.filter { record in
            !dead.contains(
                Key(salt: segments[Int(record.file)].salt, offset: record.offset, digest: record.digest))
        }
    }

    mutating func look(through file: LeftFile) {
        do {
            let opened = try SegmentFile.read(at: file.path)
            var segment = LeftLog.Segment(
                path: file.path, number: opened.number, salt: opened.salt, isWhole: !opened.hasDamagedOpening)
            segments.append(segment)
            defer { segments[segments.count - 1] = segment }
            if opened.hasDamagedOpening { note(LogDamage(.opening, opened.number, 0), &segment) }
            do {
                var scan = try LogScan(opened, from: file.range.lowerBound, upTo: file.range.upperBound)
                while let entry = try scan.next() { take(entry, &segment) }
            } catch { note(error, &segment) }
        } catch { damages.append(LeftDamage(file.path, error)) }
    }

    private mutating func take(_ entry: LogScan.Entry, _ segment: inout LeftLog.Segment) {
        switch entry {
        case .damage(let damage): note(damage, &segment)
        case .record(let record, let state):
            let (header, label) = (record.header, record.header.label)
            segment.end = max(segment.end, header.end)
            guard label.kind != .commit else { return }
            guard state == .live else {
                dead.insert(Key(salt: segment.salt, offset: header.offset, digest: label.digest))
                return
            }
            records.append(
                LeftLog.Record(
                    file: Int32(segments.count - 1), kind: label.kind, isComposed: label.encoding.isComposed,
                    offset: header.offset, count: header.byteCount, contentBytes: label.contentBytes,
                    time: label.time, digest: label.digest))
        }
    }

    private mutating func note(_ error: any Error, _ segment: inout LeftLog.Segment) {
        segment.hasDamage = true
        damages.append(LeftDamage(segment.path, error))
    }
}
