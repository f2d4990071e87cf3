internal import Glibc
import FundCore
internal import Synchronization

/// A large record while its bytes come: a segment of its own, in `tmp`, which `LogWriter` links into the log when all
/// are there. Locked (flock(2)) for as long as a process uses it, so that no sweep takes it away.
final class LargeRecord: Sendable {
    static let namePrefix = "large"
    /// Number of blocks, 8 MiB, after which the kernel begins to write them while more come. The barrier at the end,
    /// for which others wait, too, is short then.
    private static let startedBlocks = (8 << 20) / LogFormat.blockBytes

    struct State {
        /// Bytes of the body that came so far.
        var bodyBytes: Int64 = 0
        /// The last block, not full yet.
        var block: [UInt8] = []
        var checksums: [UInt64] = []
    }

    /// The time for which a record has its name in `tmp`.
    enum NameLifetime {
        /// Until this process lets go of it, or it becomes a segment.
        case temporary
        /// Until it becomes a segment: another process may go on with it.
        case untilSegment
        /// Until who made it takes the name away.
        case kept
    }

    let path: String
    let descriptor: Int32
    let salt: UInt64
    /// The header without the digest and the size, which are known once all bytes are there.
    let draft: RecordHeader
    private let nameLifetime: NameLifetime
    let state: Mutex<State>

    /// - Parameters:
    ///   - directory: `tmp`, on the file system of the log.
    ///   - origin: see `RecordHeader.Label`.
    init(in directory: String, owner: FileOwner?, _ kind: RecordHeader.Kind, origin: String, at time: Timestamp) throws
    {
        (path, descriptor) = try Self.make(owner: owner) {
            "\(directory)/\(DiskDirectory.uniqueName(prefix: Self.namePrefix))"
        }
        salt = .random(in: .min ... .max)
        let label = RecordHeader.Label(kind: kind, digest: .of([]), contentBytes: 0, time: time, origin: origin)
        draft = Self.draft(label, salt: salt)
        nameLifetime = .temporary
        state = Mutex(State())
    }

    /// A new one that keeps its name when this process lets go of it.
    init(
        _ path: String, owner: FileOwner?, _ label: RecordHeader.Label, salt: UInt64, _ nameLifetime: NameLifetime
    ) throws {
        (self.path, descriptor) = try Self.make(owner: owner) { path }
        self.salt = salt
        draft = Self.draft(label, salt: salt)
        self.nameLifetime = nameLifetime
        state = Mutex(State())
    }

    /// Opens one that a process left. Throws `held` when a process uses it, `notFound` when it is gone; one whose name
    /// was to last until it became a segment, and that has one as a segment, loses that name and is gone.
    ///
    /// - Parameters:
    ///   - bound: bytes of the body behind which the rest is cut off.
    ///   - consume: gets the body.
    init(
        resuming path: String, _ label: RecordHeader.Label, salt: UInt64, upTo bound: Int64,
        _ nameLifetime: NameLifetime, _ consume: (UnsafeRawBufferPointer) -> Void
    ) throws {
        let (draft, descriptor) = (Self.draft(label, salt: salt), try Self.openKept(path))
        do {
            if nameLifetime == .untilSegment { try Self.requireOneName(descriptor, path) }
            let count = min(try Self.bodyBytes(descriptor, path, draft), bound)
            guard ftruncate(descriptor, off_t(draft.bodyOffset + count)) == 0 else { throw DiskError("cut", path) }
            state = Mutex(try Self.read(count, of: descriptor, path, draft, consume))
        } catch {
            close(descriptor)
            throw error
        }
        (self.path, self.descriptor, self.salt, self.draft) = (path, descriptor, salt, draft)
        self.nameLifetime = nameLifetime
    }

    /// Throws `notFound` unless a file has one name: a sweep took it away while it was opened, or its process was
    /// killed when the log had it.
    private static func requireOneName(_ descriptor: Int32, _ path: String) throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw DiskError("look at", path) }
        if status.st_nlink == 1 { return }
        if status.st_nlink > 1, unlink(path) != 0 { throw DiskError("remove", path) }
        throw StoreError(.notFound, "go on with a file", "its bytes are gone")
    }

    /// Bytes of the body that a process left, at most `bound`, once they are durable. Throws as `init(resuming:…)`.
    static func durableBytes(_ path: String, _ label: RecordHeader.Label, upTo bound: Int64) throws -> Int64 {
        let descriptor = try openKept(path)
        defer { close(descriptor) }
        guard fdatasync(descriptor) == 0 else { throw DiskError("sync", path) }
        return min(try bodyBytes(descriptor, path, draft(label, salt: 0)), bound)
    }

    /// Holds one that has its name and is not open, as if it were.
    final class Hold {
        /// Nil where there is no such file.
        private let descriptor: Int32?

        /// Throws `held` when a process has it open.
        init(_ path: String) throws {
            do { descriptor = try LargeRecord.openKept(path) } catch let error as StoreError
                where error.code == .notFound
            {
                descriptor = nil
            }
        }

        var isThere: Bool { descriptor != nil }

        deinit { if let descriptor { close(descriptor) } }
    }

    private static func draft(_ label: RecordHeader.Label, salt: UInt64) -> RecordHeader {
        RecordHeader(label, bodyBytes: 0, salt: salt, offset: Int64(LogFormat.openingBytes))
    }

    private static func openKept(_ path: String) throws -> Int32 {
        let operation = "go on with an upload"
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else {
            if errno == ENOENT { throw StoreError(.notFound, operation, "its bytes are gone") }
            throw DiskError("open", path)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw StoreError(.held, operation, "a process has it open")
        }
        guard isWithoutWriters(descriptor) else {
            close(descriptor)
            throw StoreError(.held, operation, "a process appends to it")
        }
        return descriptor
    }

    private static func bodyBytes(_ descriptor: Int32, _ path: String, _ draft: RecordHeader) throws -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw DiskError("look at", path) }
        return max(0, Int64(status.st_size) - draft.bodyOffset)
    }

    private static func read(
        _ count: Int64, of descriptor: Int32, _ path: String, _ draft: RecordHeader,
        _ consume: (UnsafeRawBufferPointer) -> Void
    ) throws -> State {
        var (state, block) = (State(), [UInt8](repeating: 0, count: Int(LogFormat.blockBytes)))
        while state.bodyBytes < count {
            let size = Int(min(LogFormat.blockBytes, count - state.bodyBytes))
            let found = block.withUnsafeMutableBytes { bytes in
                SystemCall.fill(
                    UnsafeMutableRawBufferPointer(rebasing: bytes[..<size]), from: descriptor,
                    at: draft.bodyOffset + state.bodyBytes)
            }
            guard found == size else { throw DiskError("read", path, code: found < 0 ? errno : EIO) }
            block.withUnsafeBytes { bytes in
                let piece = UnsafeRawBufferPointer(rebasing: bytes[..<size])
                consume(piece)
                if size == LogFormat.blockBytes {
                    state.checksums.append(draft.checksum(ofBlock: Int64(state.checksums.count), piece))
                } else {
                    state.block = Array(piece)
                }
            }
            state.bodyBytes += Int64(size)
        }
        return state
    }

    /// A new file, locked. A sweep may take it away before it is: then another one.
    private static func make(
        owner: FileOwner?, _ name: () -> String
    ) throws(DiskError) -> (path: String, descriptor: Int32) {
        while true {
            let path = name()
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw DiskError("create", path) }
            var status = stat()
            do throws(DiskError) {
                let isLocked = SystemCall.retrying { Int(flock(descriptor, LOCK_EX)) } == 0
                guard isLocked else { throw DiskError("lock", path) }
                if fstat(descriptor, &status) == 0, status.st_nlink > 0 {
                    try owner?.take(descriptor, path: path)
                    return (path, descriptor)
                }
            } catch {
                unlink(path)
                close(descriptor)
                throw error
            }
            close(descriptor)
        }
    }

    /// After it was linked into the log there is nothing to remove.
    deinit {
        if nameLifetime == .temporary { unlink(path) }
        close(descriptor)
    }

    /// Lets go of the name in `tmp`: the record has one in the log.
    func becameSegment() { if nameLifetime != .kept { removeName() } }

    /// Takes the name in `tmp` away.
    func removeName() { unlink(path) }

    /// Makes what came of the body durable. Throws `DiskError`.
    func sync() throws(DiskError) {
        try state.withLock { state throws(DiskError) in try writeRest(state) }
        guard fdatasync(descriptor) == 0 else { throw DiskError("sync", path) }
    }

    /// Writes what came of the last block, which goes on.
    func writeRest(_ state: borrowing State) throws(DiskError) {
        guard !state.block.isEmpty else { return }
        let offset = draft.bodyOffset + Int64(state.checksums.count) * LogFormat.blockBytes
        try state.block[...].withBytes { (bytes) throws(DiskError) in try write(bytes, at: offset) }
    }

    /// Bytes of the body that came so far.
    var bodyBytes: Int64 { state.withLock { $0.bodyBytes } }

    /// Offset of the body in the file.
    var bodyOffset: Int64 { draft.bodyOffset }

    /// More bytes of the body. Throws `DiskError`.
    func append(_ bytes: UnsafeRawBufferPointer) throws(DiskError) {
        try state.withLock { state throws(DiskError) in try add(bytes, &state, isWritten: false) }
    }

    /// - Parameter isWritten: whether they stand in the file already.
    func add(_ bytes: UnsafeRawBufferPointer, _ state: inout State, isWritten: Bool) throws(DiskError) {
        var rest = bytes[...]
        let blockBytes = Int(LogFormat.blockBytes)
        while !rest.isEmpty {
            let isBetweenBlocks = state.block.isEmpty && rest.count >= blockBytes
            let part = rest.prefix(
                isBetweenBlocks ? rest.count / blockBytes * blockBytes : blockBytes - state.block.count)
            rest = rest.dropFirst(part.count)
            state.bodyBytes += Int64(part.count)
            if isBetweenBlocks {
                try take(UnsafeRawBufferPointer(rebasing: part), &state, isWritten: isWritten)
                continue
            }
            state.block.append(contentsOf: part)
            if state.block.count == LogFormat.blockBytes { try takeBlock(&state, isWritten: isWritten) }
        }
    }

    private func takeBlock(_ state: inout State, isWritten: Bool) throws(DiskError) {
        let block = state.block
        state.block.removeAll(keepingCapacity: true)
        try block[...].withBytes { (bytes) throws(DiskError) in try take(bytes, &state, isWritten: isWritten) }
    }

    /// Writes blocks, which are whole but for the last one of the body, and notes their checks.
    private func take(
        _ blocks: UnsafeRawBufferPointer, _ state: inout State, isWritten: Bool
    ) throws(DiskError) {
        let first = Int64(state.checksums.count)
        if !isWritten { try write(blocks, at: draft.bodyOffset + first * LogFormat.blockBytes) }
        for start in stride(from: 0, to: blocks.count, by: Int(LogFormat.blockBytes)) {
            let block = UnsafeRawBufferPointer(rebasing: blocks[start...].prefix(Int(LogFormat.blockBytes)))
            state.checksums.append(draft.checksum(ofBlock: Int64(state.checksums.count), block))
        }
        let (written, started) = (Int64(state.checksums.count), first / Self.startedBlocks * Self.startedBlocks)
        if written - started >= Self.startedBlocks {
            LinuxFile.startWriting(
                descriptor, at: draft.bodyOffset + started * LogFormat.blockBytes,
                count: (written - started) * LogFormat.blockBytes)
        }
    }

    /// Gives the body, after `finishBody`. Throws `DiskError`, and what `consume` throws.
    func read(_ consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        let start = draft.bodyOffset
        try FileBytes.read(start..<(start + bodyBytes), of: descriptor, path: path, consume)
    }

    /// Writes what stands behind the body: the last block may be read after this. No more bytes may come. Throws
    /// `DiskError`.
    func finishBody() throws(DiskError) {
        try state.withLock { state throws(DiskError) in
            guard !state.block.isEmpty else { return }
            state.block.pad()
            try takeBlock(&state, isWritten: false)
        }
    }

    /// Writes header and checks, after `finishBody`. Gives the header.
    func finish(
        digest: ContentDigest, encoding: RecordHeader.Encoding, contentBytes: Int64
    ) throws(DiskError) -> RecordHeader {
        let (bodyBytes, checksums) = state.withLock { ($0.bodyBytes, $0.checksums) }
        var label = draft.label
        (label.digest, label.encoding, label.contentBytes) = (digest, encoding, contentBytes)
        let header = RecordHeader(label, bodyBytes: bodyBytes, salt: salt, offset: draft.offset)
        var checks: [UInt8] = []
        checks.reserveCapacity(checksums.count * Int(LogFormat.checkBytes))
        for checksum in checksums { checks.append(integer: checksum) }
        try checks[...].withBytes { (bytes) throws(DiskError) in try write(bytes, at: header.checksOffset) }
        try header.bytes()[...].withBytes { (bytes) throws(DiskError) in try write(bytes, at: header.offset) }
        return header
    }

    /// Gives the room on the disk back; what comes later fails.
    func giveUp() { ftruncate(descriptor, 0) }

    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(DiskError) {
        guard SystemCall.writeAll(bytes, to: descriptor, at: offset) else { throw DiskError("write", path) }
    }

    /// Removes those of killed processes. Returns how many went.
    static func sweep(_ directory: String) throws -> Int {
        try DiskDirectory.names(in: directory).count { name in
            let path = "\(directory)/\(name)"
            if name.hasPrefix(NamelessFile.namePrefix) { return unlink(path) == 0 }
            return name.hasPrefix(namePrefix) && removeUnlessInUse(path)
        }
    }

    /// While it is held here no process can begin to use it.
    private static func removeUnlessInUse(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0 && unlink(path) == 0
    }
}
