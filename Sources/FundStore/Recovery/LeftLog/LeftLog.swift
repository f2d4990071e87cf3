import FundCore
internal import Synchronization

/// The live records of segments that stand anywhere, found without any row. For any thread.
///
/// A segment may be there several times, as of several backups. What one copy has lost another may have. A record that
/// is live in one copy comes out also where another says that it was given up: it may have been moved or written anew
/// since, and stand nowhere else any more.
final class LeftLog: Sendable {
    /// A record, and where it stands.
    struct Record: Sendable {
        /// Index of its file in `files`.
        var file: Int32
        var kind: RecordHeader.Kind
        var isComposed: Bool
        var offset: Int64
        var count: Int64
        var contentBytes: Int64
        var time: Timestamp
        var digest: ContentDigest
        /// Another one than `live` where the record comes out all the same.
        var state: RecordHeader.State

        var end: Int64 { offset + count }
    }

    /// A segment that was looked through.
    struct Segment: Sendable {
        var path: String
        var number: SegmentNumber
        var salt: UInt64
        /// Whether its first bytes are as they were written.
        var isWhole: Bool
        /// Whether its salt is certain: what came by mail is not taken for records.
        var isProven: Bool
        /// End of its last whole record, in bytes.
        var end = Int64(LogFormat.openingBytes)
        /// Whether something in it is damaged.
        var hasDamage = false
    }

    private struct State {
        var open = OpenSegments<Int32, SegmentFile>()
        /// The record of each content that was found to be whole.
        var whole: [ContentDigest: Int] = [:]
    }

    let segments: [Segment]
    /// Records that come out; those that are live stand first.
    let records: [Record]
    /// Records that nothing needed any more.
    let deadCount: Int
    let damages: [LeftDamage]
    private let byDigest: [ContentDigest: [Int]]
    /// Indices of `records` of which another copy of their segment says that they were given up.
    private let disputed: Set<Int>
    /// The record of a content that rows know.
    private let known: @Sendable (ContentDigest) throws -> LogRecord?
    private let state = Mutex(State())

    /// Looks through the segments; bodies are not read. What cannot be read is among `damages`.
    ///
    /// - Parameters:
    ///   - known: the record of a content of which these segments have none.
    ///   - hasRowsBeside: whether a database may stand beside the segments that knows them.
    ///   - store: the digest by which commit marks name the store, where it is known.
    ///   - onProgress: segments that were looked through.
    init(
        _ files: LeftFiles, known: @escaping @Sendable (ContentDigest) throws -> LogRecord? = { _ in nil },
        hasRowsBeside: Bool = false, store: ContentDigest? = nil, onProgress: (_ done: Int) -> Void = { _ in }
    ) {
        let rows = RowsBeside(hasRowsBeside ? files.files : [])
        defer { rows.close() }
        var scan = LeftScan(evidence: SegmentEvidence(salts: rows.salts(), stores: store.map { [$0] } ?? []))
        scan.damages = files.damages
        var (waiting, done): ([LeftFile], Int) = ([], 0)
        func look(through file: LeftFile, isLast: Bool) {
            guard scan.look(through: file, isLast: isLast) else { return waiting.append(file) }
            done += 1
            onProgress(done)
        }
        for file in files.files { look(through: file, isLast: false) }
        // Only now all is known that other segments tell. What is of these comes behind what is certain.
        for file in waiting { look(through: file, isLast: true) }
        (segments, damages) = (scan.segments, scan.damages)
        let needed = rows.needed(scan.givenUp, of: scan.segments)
        // Several copies may have the same one.
        deadCount = max(0, scan.dead.count - needed.count)
        let records = scan.records + scan.changed + needed
        (self.records, disputed) = (records, scan.disputed(scan.records + scan.changed))
        byDigest = Dictionary(grouping: records.indices) { records[$0].digest }
        self.known = known
    }

    // MARK: Reading

    /// Opens a record. Throws `LogDamage` when it is not what it was, and `DiskError`.
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

    /// The first of several copies that is whole; before all others one that repeats no other content.
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

    /// Records in the order in which they came.
    func inOrder(_ indices: [Int]) -> [Int] {
        indices.sorted { first, second in
            let (first, second) = (records[first], records[second])
            return (first.time, first.file, first.offset) < (second.time, second.file, second.offset)
        }
    }

    /// The records of this content and kind, in their order.
    func indices(of digest: ContentDigest, _ kind: RecordHeader.Kind) -> [Int] {
        (byDigest[digest] ?? []).filter { records[$0].kind == kind }
    }

    /// Whether another copy of its segment says that it was given up.
    func isDisputed(_ index: Int) -> Bool { disputed.contains(index) }

    /// Whether each record of this content and kind was given up, as another copy of its segment says.
    func isRemovedElsewhere(_ digest: ContentDigest, _ kind: RecordHeader.Kind) -> Bool {
        !disputed.isEmpty && indices(of: digest, kind).allSatisfy(disputed.contains)
    }

    /// Whether its segment's salt is certain.
    func isProven(_ index: Int) -> Bool { segments[Int(records[index].file)].isProven }

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

    /// Damage of a record that is whole but for its state; nil for one that is live.
    func stateDamage(of index: Int) -> LeftDamage? {
        let record = records[index]
        guard record.state != .live else { return nil }
        let damage = LogDamage(.state, segments[Int(record.file)].number, record.offset)
        return LeftDamage(path(of: index), "\(damage); what it holds is whole")
    }

    /// One of `segments`, open for reading.
    func segment(_ file: Int32) throws -> SegmentFile {
        try state.withLock { state in
            try state.open.use(file) { _ in
                let known = segments[Int(file)]
                return try SegmentFile.read(at: known.path, salt: (known.salt, known.isProven))
            }
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

    /// Facts that the segments told so far.
    var evidence: SegmentEvidence
    var segments: [LeftLog.Segment] = []
    var records: [LeftLog.Record] = []
    /// Records whose state has changed.
    var changed: [LeftLog.Record] = []
    var givenUp: [LeftLog.Record] = []
    var dead: Set<Key> = []
    var damages: [LeftDamage] = []

    init(evidence: SegmentEvidence) { self.evidence = evidence }

    /// Indices of records that are dead in another copy of their segment.
    func disputed(_ records: [LeftLog.Record]) -> Set<Int> {
        guard !dead.isEmpty, Set(segments.map(\.salt)).count < segments.count else { return [] }
        return Set(
            records.indices.filter { index in
                let record = records[index]
                return dead.contains(
                    Key(salt: segments[Int(record.file)].salt, offset: record.offset, digest: record.digest))
            })
    }

    /// Looks through a file. False for one whose salt is not certain: then nothing is done, unless no more will be
    /// known.
    mutating func look(through file: LeftFile, isLast: Bool) -> Bool {
        do {
            let opened = try SegmentFile.read(at: file.path, evidence: evidence)
            guard isLast || opened.hasProvenSalt else { return false }
            var segment = LeftLog.Segment(
                path: file.path, number: opened.number, salt: opened.salt, isWhole: !opened.hasDamagedOpening,
                isProven: opened.hasProvenSalt)
            var stores: Set<ContentDigest> = []
            segments.append(segment)
            defer { segments[segments.count - 1] = segment }
            if opened.hasDamagedOpening { note(LogDamage(.opening, opened.number, 0), &segment) }
            do {
                var scan = try LogScan(opened, from: file.range.lowerBound, upTo: file.range.upperBound)
                while let entry = try scan.next() { take(entry, &segment, &stores) }
            } catch { note(error, &segment) }
            if segment.isProven { evidence.add(salt: segment.salt, stores: stores) }
        } catch let damage as LogDamage where damage.kind == .opening && !isLast {
            return false
        } catch { damages.append(LeftDamage(file.path, error)) }
        return true
    }

    private mutating func take(
        _ entry: LogScan.Entry, _ segment: inout LeftLog.Segment, _ stores: inout Set<ContentDigest>
    ) {
        switch entry {
        case .damage(let damage): note(damage, &segment)
        case .record(let record, let state):
            let (header, label) = (record.header, record.header.label)
            segment.end = max(segment.end, header.end)
            guard label.kind != .commit else {
                if let mark = CommitMark(header) { stores.insert(mark.store) }
                return
            }
            let found = LeftLog.Record(
                file: Int32(segments.count - 1), kind: label.kind, isComposed: label.encoding.isComposed,
                offset: header.offset, count: header.byteCount, contentBytes: label.contentBytes,
                time: label.time, digest: label.digest, state: state)
            switch state {
            case .live: records.append(found)
            case .changed: changed.append(found)
            case .dead:
                dead.insert(Key(salt: segment.salt, offset: header.offset, digest: label.digest))
                givenUp.append(found)
            }
        }
    }

    private mutating func note(_ error: any Error, _ segment: inout LeftLog.Segment) {
        segment.hasDamage = true
        damages.append(LeftDamage(segment.path, error))
    }
}
