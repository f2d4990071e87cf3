import FundCore
internal import Glibc
internal import Synchronization

/// The bytes of a store: appends them to its log, makes them durable and reads them, for mail and uploads alike.
final class StoreLog: Sendable {
    /// Beyond it those appended longest ago are forgotten: equal ones are then appended again, no more.
    private static let maxFresh = 65_536

    private struct State {
        var writer: any RecordAppender
        /// Count of writers that had failed before it.
        var generation = 0
        /// Blobs that were appended and have no row yet: a second message of the batch need not append them again.
        var fresh: [ContentDigest: AppendedRecord] = [:]
    }

    let connection: StoreConnection
    let spool: SpoolDirectory
    let faults: FaultInjection
    let reader: LogReader
    let segments: any SegmentStore
    /// The way to the segments that are objects; nil in a store that has all of them as files.
    let objects: LogObjects?
    /// The digest that tells the store from others, see `StoreIdentity`.
    let mark: ContentDigest
    /// The segments as files, for repairs of them.
    let directory: LogDirectory
    /// The last message with an earlier fingerprint, see `StoreFingerprints.lastEarlierMessage`.
    let lastEarlierMessage: MessageRows.ID?
    let adoption = RecordAdoption()
    /// Whether opening could not look for what the log has ahead of the database.
    let hasToLookAgain = Atomic(false)
    /// Why nothing is appended; nil in a store that is whole.
    private let problem: StoreError?
    private let makeWriter: @Sendable () -> any RecordAppender
    private let state: Mutex<State>
    private let syncs = Mutex(DurationHistogram.ofWaits)

    /// - Parameters:
    ///   - bytes: the bucket with the segments that are sealed; nil for a log that lies in the folder alone.
    ///   - syncFile: makes the bytes of a descriptor durable; 0 or errno(3).
    init(
        connection: StoreConnection, faults: FaultInjection, bytes: BytesAccess? = nil,
        syncFile: @escaping @Sendable (Int32) -> Int32
    ) throws {
        let (location, space) = (connection.location, connection.space)
        self.connection = connection
        self.faults = faults
        let operation = "read what tells the store from others"
        let (key, mark): (FingerprintKey?, ContentDigest)
        (key, mark, lastEarlierMessage, problem) = try connection.readAroundDamage(operation) {
            let key = try StoreFingerprints.key($0)
            do { return (key, try StoreIdentity.mark($0), try StoreFingerprints.lastEarlierMessage($0), nil) } catch let
                error where ConnectionPool.isDamage(error)
            {
                let detail = "the numbers of the whole store cannot be read"
                return (key, .of([]), nil, StoreError(.corrupted, "write to the log", detail))
            }
        }
        spool = SpoolDirectory(
            path: location.temporary, faults: faults, owner: connection.owner, fingerprintKey: key
        ) { bytes throws(DiskError) in
            try space.require(bytes)
        }
        let directory = LogDirectory(
            path: location.log, temporary: location.temporary, owner: connection.owner,
            salt: { number in try? SQLSegmentCatalog(rows: connection).salt(of: number) }, store: mark,
            opened: connection.isReadOnly ? nil : try LogFolder(location.log))
        let objects = bytes.map { LogObjects($0, connection, store: mark) }
        let segments: any SegmentStore =
            if let objects {
                LayeredSegments(
                    files: directory, objects: { try objects.forReading() },
                    alone: { try connection.read("look for objects") { try SegmentObjectRows(db: $0).alone() } })
            } else { directory }
        (self.directory, self.objects, self.segments, self.mark) = (directory, objects, segments, mark)
        reader = LogReader(segments)
        makeWriter = {
            LogWriter(directory: directory, catalog: SQLSegmentCatalog(rows: connection), store: mark) {
                segment throws(DiskError) in
                let code = syncFile(segment.descriptor)
                if code != 0 { throw DiskError("sync", segment.path, code: code) }
            }
        }
        state = Mutex(State(writer: makeWriter()))
    }

    /// fdatasync(2): 0 or errno.
    static let syncFile: @Sendable (Int32) -> Int32 = { fdatasync($0) == 0 ? 0 : errno }

    // MARK: Durability

    /// Times that it took to make bytes durable since the store was opened.
    var syncDurations: DurationHistogram { syncs.withLock { $0 } }

    /// Number of appenders that failed. Records of now are as durable as the next `sync` makes them, unless one fails
    /// in between: then this is another number.
    var generation: Int { state.withLock { $0.generation } }

    /// Makes durable what was appended before. When it throws, all of that must be appended anew.
    ///
    /// - Parameter generations: when it was appended. Throws `stale` when one is not the present.
    func sync(appendedIn generations: [Int]) throws {
        let operation = "make bytes durable"
        let (writer, generation) = state.withLock { ($0.writer, $0.generation) }
        guard generations.allSatisfy({ $0 == generation }) else {
            throw StoreError(.stale, operation, "they were written before an error of the disk")
        }
        faults.reach(.beforeBarrier)
        let start = ContinuousClock.now
        defer { syncs.withLock { $0.note(ContinuousClock.now - start) } }
        do { try writer.sync() } catch {
            replaceWriter(of: generation)
            throw StoreError.wrap(error, operation)
        }
        faults.reach(.afterBarrier)
    }

    /// Puts a new writer in the place of one that failed: its records are lost.
    private func replaceWriter(of generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            state = State(writer: makeWriter(), generation: generation + 1)
        }
    }

    private func withWriter<Value>(_ body: (any RecordAppender) throws -> Value) throws -> Value {
        if let problem { throw problem }
        let (writer, generation) = state.withLock { ($0.writer, $0.generation) }
        do { return try body(writer) } catch {
            if writer.hasFailed { replaceWriter(of: generation) }
            throw error
        }
    }

    /// Gives room back that was reserved for what comes next.
    func settle() { state.withLock { $0.writer }.settle() }

    /// See `RecordAppender.leaveSegment`. What was appended is made durable before: a segment is held until then.
    func leaveSegment() {
        try? sync(appendedIn: [])
        state.withLock { $0.writer }.leaveSegment()
    }

    // MARK: Appending

    /// See `RecordAppender.append`. Throws `DiskError` also when the store keeps the room for others.
    func append(
        _ label: RecordHeader.Label, _ parts: [UnsafeRawBufferPointer], release: () -> Void = {}
    ) throws -> AppendedRecord {
        try connection.space.require(parts.reduce(0) { $0 + Int64($1.count) })
        faults.reach(.beforeAppend)
        let record = try withWriter { try $0.append(label, parts, release: release) }
        faults.reach(.afterAppend)
        return record
    }

    /// Makes a record whose bytes come one after the other.
    func makeLarge(_ kind: RecordHeader.Kind, origin: String) throws -> LargeRecord {
        try withWriter { try $0.makeLarge(kind, origin: origin, at: .now) }
    }

    /// See `RecordAppender.append`.
    func append(_ record: LargeRecord, of digest: ContentDigest) throws -> AppendedRecord {
        faults.reach(.beforeAppend)
        let appended = try withWriter { try $0.append(record, of: digest, encoding: .plain, contentBytes: nil) }
        faults.reach(.afterAppend)
        return appended
    }

    /// Appends the bytes of an upload.
    func append(blob bytes: [UInt8], of digest: ContentDigest, named name: String) throws -> AppendedRecord {
        let label = RecordHeader.Label(
            kind: .blob, digest: digest, contentBytes: Int64(bytes.count), time: .now, origin: name)
        return try bytes.withUnsafeBytes { try append(label, [$0]) }
    }

    /// Appends the bytes of an upload: the record itself, or what came into it where that is less than was expected.
    func append(blob record: LargeRecord, of digest: ContentDigest, named name: String) throws -> AppendedRecord {
        try record.finishBody()
        guard record.bodyBytes < LogFormat.largeBytes else { return try append(record, of: digest) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(record.bodyBytes))
        try record.read { bytes.append(contentsOf: $0) }
        return try append(blob: bytes, of: digest, named: name)
    }

    /// Writes commit marks, see `RecordAppender.noteCommits`. To be called when the transaction has ended that was to
    /// give these records rows.
    func noteCommits(_ records: some Sequence<AppendedRecord>) { try? withWriter { try $0.noteCommits(records) } }

    // MARK: Without rows

    func fresh(_ blob: ContentDigest) -> AppendedRecord? { state.withLock { $0.fresh[blob] } }

    func keepFresh(_ record: AppendedRecord, _ blob: ContentDigest, in generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            if state.fresh.count >= Self.maxFresh { state.fresh.removeAll() }
            state.fresh[blob] = record
        }
    }

    /// They have rows now, or are given up.
    func forgetFresh(_ blobs: some Sequence<ContentDigest>) {
        state.withLock { state in for blob in blobs { state.fresh[blob] = nil } }
    }

    // MARK: Reading

    /// Whether the store has the bytes of a blob.
    enum Presence {
        /// No row has them.
        case missing
        /// They are damaged where they stand.
        case damaged(RecordLocation)
        case held(RecordLocation)
    }

    /// Reads them: what the disk has lost must not stand in for bytes that came just now.
    ///
    /// - Parameter location: of its row.
    func presence(ofBlob digest: ContentDigest, at location: RecordLocation?) throws -> Presence {
        guard let location else { return .missing }
        do {
            let record = try reader.record(at: location, of: digest)
            try record.verifyBlocks()
            return record.state == .live ? .held(location) : .damaged(location)
        } catch is LogDamage { return .damaged(location) } catch let error as StoreError
            where error.code == .unreachable && objects != nil
        {
            // Mail does not wait for a bucket: its bytes are kept once more.
            return .damaged(location)
        }
    }

    /// Opens a content for reading. Throws `corrupted` when it is missing or damaged as far as its header shows.
    func content(of digest: ContentDigest, size: Int64) throws -> LogContent {
        try StoreError.wrapping("read a file") {
            guard size > 0 else { return LogContent(digest: digest, size: 0, nil, in: self) }
            var damage: LogDamage?
            for location in try locations(of: digest) {
                do {
                    let record = try reader.record(at: location, of: digest, isNeeded: true)
                    guard record.header.label.contentBytes == size else { continue }
                    return LogContent(digest: digest, size: size, record, in: self)
                } catch let found as LogDamage { damage = found }
            }
            if let damage { throw damage }
            throw StoreError(.corrupted, "read a file", "its bytes are missing")
        }
    }

    /// Places of the blob and the raw message of a digest: the same bytes may have come as both.
    func locations(of digest: ContentDigest) throws -> [RecordLocation] {
        try connection.read("look up a content") { db in
            try [RecordHeader.Kind.blob, .message].compactMap { try $0.location(of: digest, db) }
        }
    }

    /// The record of a blob that a message repeats.
    func blob(_ digest: ContentDigest) throws -> LogRecord? {
        let location = try connection.read("look up a blob") {
            try RecordHeader.Kind.blob.location(of: digest, $0)
        }
        return try location.map { try reader.record(at: $0, of: digest, isNeeded: true) }
    }
}
