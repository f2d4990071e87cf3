internal import Glibc
import FundCore
internal import Synchronization

/// Appends records to a segment of a log of files, which it holds; a large one becomes a segment of its own.
final class LogWriter: RecordAppender {
    private struct State {
        /// End of the segment that is appended to.
        var tail: SegmentTail?
        /// Written to since the last `sync`, in this order.
        var unsynced: [SegmentFile] = []
        /// Whether the directory has names that may not be durable.
        var hasNewNames = false
        /// Why nothing can be appended any more.
        var failure: DiskError?
    }

    private let directory: LogDirectory
    private let catalog: any SegmentCatalog
    private let segmentBytes: Int64
    /// Digest of the store, which stands in each commit mark.
    private let store: ContentDigest
    private let state = Mutex(State())
    /// Mutex of `sync`: none may return while the records of its caller are on their way in another.
    private let syncing = Mutex(())
    private let syncFile: @Sendable (SegmentFile) throws(DiskError) -> Void

    /// - Parameters:
    ///   - store: see `CommitMark.store`.
    ///   - segmentBytes: a segment of this size takes no further record.
    ///   - syncFile: makes a segment durable; another only in tests.
    init(
        directory: LogDirectory, catalog: any SegmentCatalog, store: ContentDigest = .of([]),
        segmentBytes: Int64 = LogFormat.segmentBytes,
        syncFile: @escaping @Sendable (SegmentFile) throws(DiskError) -> Void = { file throws(DiskError) in
            try file.sync()
        }
    ) {
        self.directory = directory
        self.segmentBytes = segmentBytes
        self.store = store
        self.catalog = catalog
        self.syncFile = syncFile
    }

    deinit { settle() }

    func append(
        _ label: RecordHeader.Label, _ parts: [UnsafeRawBufferPointer], release: () -> Void = {}
    ) throws -> AppendedRecord {
        let bodyBytes = parts.reduce(0) { $0 + Int64($1.count) }
        precondition(label.encoding != .plain || label.contentBytes == bodyBytes)
        guard bodyBytes < LogFormat.largeBytes else { return try appendLarge(label, parts, release) }
        return try state.withLock { state in
            try open(&state)
            return try append(label, parts, bodyBytes: bodyBytes, &state)
        }
    }

    private func append(
        _ label: RecordHeader.Label, _ parts: [UnsafeRawBufferPointer], bodyBytes: Int64, _ state: inout State
    ) throws -> AppendedRecord {
        let header = try changeTail(&state) { (tail) throws(DiskError) in
            try tail.append(label, parts, bodyBytes: bodyBytes)
        }
        guard let header, let segment = state.tail?.segment else { preconditionFailure("`open` makes a tail") }
        if state.unsynced.last !== segment { state.unsynced.append(segment) }
        return AppendedRecord(location: header.location(in: segment.number), segment: segment, isLarge: false)
    }

    func noteCommits(_ records: some Sequence<AppendedRecord>) throws {
        var ends: [ObjectIdentifier: (segment: SegmentFile, mark: CommitMark)] = [:]
        for record in records where !record.isAdopted {
            guard let position = record.segment.notedPosition else { continue }
            let end = max(ends[ObjectIdentifier(record.segment)]?.mark.end ?? 0, record.location.end)
            let mark = CommitMark(end: end, position: position, store: store)
            ends[ObjectIdentifier(record.segment)] = (record.segment, mark)
        }
        for (segment, mark) in ends.values { try note(mark, in: segment) }
    }

    private func note(_ mark: CommitMark, in segment: SegmentFile) throws {
        try state.withLock { state in
            guard state.failure == nil else { return }
            guard state.tail?.segment === segment else { return try segment.append(mark) }
            _ = try append(mark.label, [], bodyBytes: 0, &state)
            try write(&state)  // it is there also when this process is killed
        }
    }

    var hasFailed: Bool { state.withLock { $0.failure != nil } }

    func settle() { state.withLock { leave(&$0) } }

    func leaveSegment() {
        state.withLock { state in
            leave(&state)
            if state.failure == nil { state.tail = nil }
        }
    }

    private func write(_ state: inout State) throws(DiskError) {
        try changeTail(&state) { (tail) throws(DiskError) in try tail.write() }
    }

    @discardableResult
    private func changeTail<Value>(
        _ state: inout State, _ body: (inout SegmentTail) throws(DiskError) -> Value
    ) throws(DiskError) -> Value? {
        // Taken out meanwhile, so that its bytes are not copied.
        guard var tail = state.tail.take() else { return nil }
        defer { if tail.condition != .unclean { state.tail = tail } }
        do throws(DiskError) { return try body(&tail) } catch {
            // Others were told that their records were appended.
            if tail.condition == .lost { state.failure = error }
            throw error
        }
    }

    private func leave(_ state: inout State) {
        guard state.failure == nil, (try? write(&state)) != nil else { return }
        state.tail?.giveRoomBack()
    }

    // MARK: Large records

    func makeLarge(_ kind: RecordHeader.Kind, origin: String, at time: Timestamp = .now) throws -> LargeRecord {
        try LargeRecord(in: directory.temporary, owner: directory.owner, kind, origin: origin, at: time)
    }

    private func appendLarge(
        _ label: RecordHeader.Label, _ parts: [UnsafeRawBufferPointer], _ release: () -> Void
    ) throws -> AppendedRecord {
        let record = try makeLarge(label.kind, origin: label.origin, at: label.time)
        for part in parts {
            for start in stride(from: 0, to: part.count, by: MappedBytes.stepBytes) {
                let end = min(start + MappedBytes.stepBytes, part.count)
                try record.append(UnsafeRawBufferPointer(rebasing: part[start..<end]))
                if end - start == MappedBytes.stepBytes { release() }
            }
        }
        try record.finishBody()
        return try append(record, of: label.digest, encoding: label.encoding, contentBytes: label.contentBytes)
    }

    func append(
        _ record: LargeRecord, of digest: ContentDigest, encoding: RecordHeader.Encoding = .plain,
        contentBytes: Int64? = nil
    ) throws -> AppendedRecord {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        try directory.requireInPlace()
        let header = try record.finish(
            digest: digest, encoding: encoding, contentBytes: contentBytes ?? record.bodyBytes)
        let segment = try make { number in try SegmentFile.make(number, of: record, in: directory) }
        state.withLock { state in
            state.unsynced.append(segment)
            state.hasNewNames = true
        }
        return AppendedRecord(location: header.location(in: segment.number), segment: segment, isLarge: true)
    }

    // MARK: Durability

    func sync() throws {
        try syncing.withLock { _ in
            try directory.requireInPlace()
            let (segments, hasNewNames) = try state.withLock { (state) throws(DiskError) in
                if let failure = state.failure { throw failure }
                try write(&state)
                defer { (state.unsynced, state.hasNewNames) = ([], false) }
                return (state.unsynced, state.hasNewNames)
            }
            do throws(DiskError) {
                for segment in segments { try syncFile(segment) }
                if hasNewNames { try directory.sync() }
            } catch {
                state.withLock { $0.failure = error }
                throw error
            }
        }
    }

    // MARK: Segments

    private func hasRoom(_ state: State) -> Bool { state.tail.map { $0.end < segmentBytes } ?? false }

    /// Opens a segment to append to: the present one until it is full, then one that no process holds, then a new
    /// one.
    private func open(_ state: inout State) throws {
        if let failure = state.failure { throw failure }
        if hasRoom(state) { return }
        leave(&state)
        if let failure = state.failure { throw failure }
        state.tail = nil
        try directory.requireInPlace()
        if let (segment, end) = try takeOver() {
            state.tail = SegmentTail(of: segment, at: end)
            // The process that made it may have ended before its name was durable.
            state.hasNewNames = state.hasNewNames || end == Int64(LogFormat.openingBytes)
            return
        }
        let segment = try make { number in try SegmentFile.make(number, in: directory) }
        state.tail = SegmentTail(of: segment, at: Int64(LogFormat.openingBytes))
        state.hasNewNames = true
    }

    private func make(_ file: (SegmentNumber) throws -> SegmentFile?) throws -> SegmentFile {
        while true {
            let number = try catalog.add()
            if let segment = try file(number) { return segment }
            try catalog.withdraw(number)
        }
    }

    /// A segment that is held by another process, damaged, or of another user is passed over.
    private func takeOver() throws -> (SegmentFile, end: Int64)? {
        for number in try catalog.open() {
            do {
                guard let file = try SegmentFile.takeOver(number, in: directory), try file.hasOneName,
                    let end = try catalog.takeOver(number, salt: file.salt), end >= LogFormat.openingBytes,
                    end % LogFormat.alignment == 0, end < segmentBytes
                else { continue }
                let size = try file.size()
                guard end <= size else { continue }
                // Nothing is cut of a log that is newer than its database. The database is asked after the marks were
                // read: it has committed what they say.
                if let mark = try file.commitMark(behind: end), try mark.end > end || mark.position > catalog.position()
                {
                    try catalog.leave(number, mark)
                    continue
                }
                // A process that was killed before its transaction left this, and the room that it had reserved.
                try file.cut(to: end)
                return (file, end)
            } catch is LogDamage {
                continue
            } catch let error as DiskError where [EACCES, EPERM].contains(error.code) { continue }
        }
        return nil
    }
}
