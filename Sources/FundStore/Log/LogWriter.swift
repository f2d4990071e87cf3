internal import Glibc
import FundCore
internal import Synchronization

/// Appends records to a segment of the log that no other process appends to. For any thread.
final class LogWriter: Sendable {
    /// So many bytes are written at once. Linux holds what comes in large pieces in large pages, which cost a third.
    private static let pieceBytes: Int64 = 256 << 10
    /// Pieces end at multiples of it, where no later one shares a page with them.
    private static let pieceAlignment: Int64 = 64 << 10
    /// Room on the disk is taken in steps.
    private static let grantBytes: Int64 = 4 << 20

    private struct State {
        /// Which is appended to, and its end.
        var segment: SegmentFile?
        var end: Int64 = 0
        /// The records before `end` that are not in the file yet.
        var waiting: [UInt8] = []
        /// Up to here the disk has room for the segment for certain.
        var granted: Int64 = 0
        /// Written to since the last `sync`, in this order.
        var unsynced: [SegmentFile] = []
        /// The directory has names that may not be durable.
        var hasNewNames = false
        /// Why nothing can be appended any more.
        var failure: SpoolError?
    }

    private let directory: LogDirectory
    private let catalog: any SegmentCatalog
    private let segmentBytes: Int64
    private let state = Mutex(State())
    /// One `sync` at a time: none may return while the records of its caller are on their way in another.
    private let syncing = Mutex(())
    private let syncFile: @Sendable (SegmentFile) throws(SpoolError) -> Void

    /// - Parameters:
    ///   - segmentBytes: a segment of this size takes no further record.
    ///   - syncFile: makes a segment durable; another only in tests.
    init(
        directory: LogDirectory, catalog: any SegmentCatalog, segmentBytes: Int64 = LogFormat.segmentBytes,
        syncFile: @escaping @Sendable (SegmentFile) throws(SpoolError) -> Void = { file throws(SpoolError) in
            try file.sync()
        }
    ) {
        self.directory = directory
        self.segmentBytes = segmentBytes
        self.catalog = catalog
        self.syncFile = syncFile
    }

    deinit { close() }

    /// Appends a record whose body is `parts`, one after the other. It can be read after the next `sync` alone, is not
    /// durable before it, and does not count before a row knows its location: the next process to take the segment over
    /// cuts off what no row knows at its end. The caller keeps what it gets until the transaction has ended. Throws
    /// `SpoolError`, and what the catalog throws; nothing of the record counts then. `hasFailed` says whether what was
    /// appended before is lost, too.
    ///
    /// - Parameter release: gives memory back; called when `MappedBytes.stepBytes` of a large record were written.
    func append(
        _ label: RecordHeader.Label, _ parts: [UnsafeRawBufferPointer], release: () -> Void = {}
    ) throws -> AppendedRecord {
        let bodyBytes = parts.reduce(0) { $0 + Int64($1.count) }
        precondition(label.encoding != .plain || label.contentBytes == bodyBytes)
        guard bodyBytes < LogFormat.largeBytes else { return try appendLarge(label, parts, release) }
        return try state.withLock { state in
            let segment = try open(&state)
            let header = RecordHeader(label, bodyBytes: bodyBytes, salt: segment.salt, offset: state.end)
            if hasRoom(upTo: header.end, in: segment, &state) {
                Self.add(header, parts, to: &state.waiting)
                state.end = header.end
                if state.waiting.count >= Self.pieceBytes { try writePieces(&state) }
            } else {
                try writeWaiting(&state)
                try write(header, parts, to: segment, &state)
            }
            if state.unsynced.last !== segment { state.unsynced.append(segment) }
            return AppendedRecord(location: header.location(in: segment.number), segment: segment, isLarge: false)
        }
    }

    /// Notes that the records up to these offsets have rows, by their segments. It need not be durable: without it a
    /// database that is older than the log may not be recognised.
    func noteCommits(_ ends: [SegmentNumber: Int64]) {
        let end = state.withLock { state in state.segment.flatMap { ends[$0.number] } }
        guard let end else { return }
        let label = RecordHeader.Label(
            kind: .commit, digest: .of([]), contentBytes: 0, time: .now, origin: String(end))
        _ = try? append(label, [])  // a full disk takes none
        // It is there also when this process is killed.
        _ = try? state.withLock { (state) throws(SpoolError) in try writeWaiting(&state) }
    }

    /// Why nothing can be appended any more, if that is so: what was appended since the last `sync` is lost.
    var hasFailed: Bool { state.withLock { $0.failure != nil } }

    /// Writes what waits, and gives the room back that was taken for more. The writer can be used on.
    func close() { state.withLock { leave(&$0) } }

    /// A record with its checksums, behind others.
    private static func add(_ header: RecordHeader, _ parts: [UnsafeRawBufferPointer], to bytes: inout [UInt8]) {
        let start = bytes.count
        if bytes.capacity < start + Int(header.byteCount) {
            bytes.reserveCapacity(start + Int(max(header.byteCount, pieceBytes + pieceAlignment)))
        }
        bytes += header.bytes()
        for part in parts { bytes.append(contentsOf: part) }
        bytes.pad()
        let checks = bytes.withUnsafeBytes { bytes in
            let body = UnsafeRawBufferPointer(rebasing: bytes[(start + Int(header.headBytes))...])
            return (0..<header.blockCount).map { index in
                let block = header.block(index)
                return header.checksum(
                    ofBlock: index,
                    UnsafeRawBufferPointer(rebasing: body[Int(block.lowerBound)..<Int(block.upperBound)]))
            }
        }
        for check in checks { bytes.append(integer: check) }
    }

    // MARK: Writing

    /// Whether records up to here may wait in memory: then the disk takes them later for certain. Otherwise each is
    /// written at once, and one that does not fit fails by itself.
    private func hasRoom(upTo end: Int64, in segment: SegmentFile, _ state: inout State) -> Bool {
        if end <= state.granted { return true }
        let granted = end + Self.grantBytes
        guard segment.takeRoom(from: max(state.granted, state.end), upTo: granted) else { return false }
        state.granted = granted
        return true
    }

    private func write(
        _ header: RecordHeader, _ parts: [UnsafeRawBufferPointer], to segment: SegmentFile, _ state: inout State
    ) throws {
        // In one call: a copy in memory costs less than a second one.
        var record: [UInt8] = []
        Self.add(header, parts, to: &record)
        do {
            try segment.write(record, at: state.end)
        } catch {
            // What came of it must not stand behind a shorter record that follows.
            if (try? segment.cut(to: state.end)) == nil { (state.segment, state.granted) = (nil, 0) }
            throw error
        }
        state.end = header.end
    }

    /// All of what waits.
    private func writeWaiting(_ state: inout State) throws(SpoolError) {
        try writeWaiting(state.waiting.count, &state)
    }

    /// As much of it as whole pieces make up.
    private func writePieces(_ state: inout State) throws(SpoolError) {
        let start = state.end - Int64(state.waiting.count)
        try writeWaiting(Int(state.end / Self.pieceAlignment * Self.pieceAlignment - start), &state)
    }

    private func writeWaiting(_ count: Int, _ state: inout State) throws(SpoolError) {
        guard count > 0, let segment = state.segment else { return }
        do throws(SpoolError) {
            let start = state.end - Int64(state.waiting.count)
            try state.waiting[..<count].withBytes { (bytes) throws(SpoolError) in try segment.write(bytes, at: start) }
        } catch {
            // Others were told that their records were appended.
            (state.failure, state.waiting) = (error, [])
            throw error
        }
        if count == state.waiting.count {
            state.waiting.removeAll(keepingCapacity: true)
        } else {
            state.waiting.removeFirst(count)
        }
    }

    /// The segment gets nothing more for now.
    private func leave(_ state: inout State) {
        guard let segment = state.segment, state.failure == nil, (try? writeWaiting(&state)) != nil else { return }
        if state.granted > state.end { try? segment.cut(to: state.end) }
        state.granted = 0
    }

    // MARK: Large records

    /// For a record whose bytes come one after the other; see `append(_: LargeRecord…)`.
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
        return try append(
            record, of: label.digest, encoding: label.encoding, contentBytes: label.contentBytes)
    }

    /// Links a record into the log of which all bytes came (`LargeRecord.finishBody`); as `append`.
    ///
    /// - Parameter contentBytes: nil for a body that is the content.
    func append(
        _ record: LargeRecord, of digest: ContentDigest, encoding: RecordHeader.Encoding = .plain,
        contentBytes: Int64? = nil
    ) throws -> AppendedRecord {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        let header = try record.finish(
            digest: digest, encoding: encoding, contentBytes: contentBytes ?? record.bodyBytes)
        while true {
            guard let segment = try SegmentFile.make(try catalog.add(), of: record, in: directory) else { continue }
            state.withLock { state in
                state.unsynced.append(segment)
                state.hasNewNames = true
            }
            return AppendedRecord(location: header.location(in: segment.number), segment: segment, isLarge: true)
        }
    }

    // MARK: Durability

    /// Makes all records durable that were appended before. After it has thrown, `append` and `sync` throw the same
    /// `SpoolError` for ever, and what was appended since the `sync` before must be appended anew by another writer:
    /// the kernel drops pages that it could not write (fsync(2), NOTES).
    func sync() throws {
        try syncing.withLock { _ in
            let (segments, hasNewNames) = try state.withLock { (state) throws(SpoolError) in
                if let failure = state.failure { throw failure }
                try writeWaiting(&state)
                defer { (state.unsynced, state.hasNewNames) = ([], false) }
                return (state.unsynced, state.hasNewNames)
            }
            do throws(SpoolError) {
                for segment in segments { try syncFile(segment) }
                if hasNewNames { try directory.sync() }
            } catch {
                state.withLock { $0.failure = error }
                throw error
            }
        }
    }

    // MARK: Segments

    /// The segment to append to: the present one until it is full, then one that no process holds, then a new one.
    private func open(_ state: inout State) throws -> SegmentFile {
        if let failure = state.failure { throw failure }
        if let segment = state.segment, state.end < segmentBytes { return segment }
        leave(&state)
        if let failure = state.failure { throw failure }
        (state.segment, state.granted) = (nil, 0)
        if let (segment, end) = try takeOver() {
            (state.segment, state.end) = (segment, end)
            // The process that made it may have ended before its name was durable.
            state.hasNewNames = state.hasNewNames || end == Int64(LogFormat.openingBytes)
            return segment
        }
        let segment = try make()
        (state.segment, state.end) = (segment, Int64(LogFormat.openingBytes))
        state.hasNewNames = true
        return segment
    }

    private func make() throws -> SegmentFile {
        while true {
            // A log that is older than its database may have the number.
            if let segment = try SegmentFile.make(try catalog.add(), in: directory) { return segment }
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
                // Of a log that is newer than its database nothing is cut.
                guard end <= size, try file.committedEnd(behind: end) == end else { continue }
                // What a process left that was killed before its transaction.
                if size > end { try file.cut(to: end) }
                return (file, end)
            } catch is LogDamage {
                continue
            } catch let error as SpoolError where [EACCES, EPERM].contains(error.code) { continue }
        }
        return nil
    }
}

/// A record that has been appended and need not be committed yet. As long as it is kept, no other process takes over
/// the segment that it stands in.
struct AppendedRecord: Sendable {
    let location: RecordLocation
    /// It has its segment for itself.
    let isLarge: Bool
    /// Of the segment.
    var salt: UInt64 { segment.salt }
    private let segment: SegmentFile

    init(location: RecordLocation, segment: SegmentFile, isLarge: Bool) {
        self.location = location
        self.segment = segment
        self.isLarge = isLarge
    }

    /// False once it was given up.
    var isLive: Bool {
        get throws {
            try segment.bytes(8, at: location.offset + Int64(LogFormat.stateOffset)) == RecordHeader.State.live.bytes
        }
    }

    /// To be called before a transaction may give it a row.
    func noteUse() { segment.noteUse() }

    /// It gets no row. The bytes of a large one go when nothing else keeps it either; those of a small one stay until
    /// the segment is compacted.
    func giveUp() { if isLarge { segment.giveUp() } }

    /// It gets no row, and its bytes are needed under another name that a large one has.
    func takeBack() { if isLarge { segment.remove() } }
}
