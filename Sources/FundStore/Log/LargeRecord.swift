internal import Glibc
import FundCore
internal import Synchronization

/// A large record while its bytes come: a segment of its own, in `tmp`, which `LogWriter` links into the log when all
/// are there. Locked (flock(2)) for as long as a process uses it, so that no sweep takes it away.
final class LargeRecord: Sendable {
    static let namePrefix = "large"

    private struct State {
        /// Of the body, as far as it came.
        var bodyBytes: Int64 = 0
        /// The last block, not full yet.
        var block: [UInt8] = []
        var checksums: [UInt64] = []
    }

    let path: String
    let descriptor: Int32
    let salt: UInt64
    /// What is known before the bytes are: its digest and its size are not.
    private let draft: RecordHeader
    private let state = Mutex(State())

    /// - Parameters:
    ///   - directory: `tmp`, on the file system of the log.
    ///   - origin: see `RecordHeader.Label`.
    init(in directory: String, owner: FileOwner?, _ kind: RecordHeader.Kind, origin: String, at time: Timestamp) throws
    {
        (path, descriptor) = try Self.make(in: directory)
        salt = .random(in: .min ... .max)
        let label = RecordHeader.Label(kind: kind, digest: .of([]), contentBytes: 0, time: time, origin: origin)
        draft = RecordHeader(label, bodyBytes: 0, salt: salt, offset: Int64(LogFormat.openingBytes))
        do { try owner?.take(descriptor, path: path) } catch {
            unlink(path)
            close(descriptor)
            throw error
        }
    }

    /// A new file, locked. A sweep may take it away before it is: then another one.
    private static func make(in directory: String) throws(SpoolError) -> (path: String, descriptor: Int32) {
        while true {
            let path = "\(directory)/\(SpoolDirectory.uniqueName(prefix: namePrefix))"
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw SpoolError("create", path) }
            var status = stat()
            let isLocked = SystemCall.retrying { Int(flock(descriptor, LOCK_EX)) } == 0
            if isLocked, fstat(descriptor, &status) == 0, status.st_nlink > 0 { return (path, descriptor) }
            let error = SpoolError("lock", path)
            close(descriptor)
            unlink(path)
            if !isLocked { throw error }
        }
    }

    /// After it was linked into the log there is nothing to remove.
    deinit {
        unlink(path)
        close(descriptor)
    }

    /// Of the body, as far as it came.
    var bodyBytes: Int64 { state.withLock { $0.bodyBytes } }

    /// In the file.
    var bodyOffset: Int64 { draft.bodyOffset }

    /// More bytes of the body. Throws `SpoolError`.
    func append(_ bytes: UnsafeRawBufferPointer) throws(SpoolError) {
        try state.withLock { state throws(SpoolError) in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = rest.prefix(Int(LogFormat.blockBytes) - state.block.count)
                rest = rest.dropFirst(part.count)
                state.bodyBytes += Int64(part.count)
                if part.count == LogFormat.blockBytes {
                    try write(UnsafeRawBufferPointer(rebasing: part), &state)
                    continue
                }
                state.block.append(contentsOf: part)
                if state.block.count == LogFormat.blockBytes { try writeBlock(&state) }
            }
        }
    }

    private func writeBlock(_ state: inout State) throws(SpoolError) {
        let block = state.block
        state.block.removeAll(keepingCapacity: true)
        try block[...].withBytes { (bytes) throws(SpoolError) in try write(bytes, &state) }
    }

    private func write(_ block: UnsafeRawBufferPointer, _ state: inout State) throws(SpoolError) {
        let index = Int64(state.checksums.count)
        try write(block, at: draft.bodyOffset + index * LogFormat.blockBytes)
        state.checksums.append(draft.checksum(ofBlock: index, block))
    }

    /// Gives the body, after `finishBody`. Throws `SpoolError`, and what `consume` throws.
    func read(_ consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        let start = draft.bodyOffset
        try FileBytes.read(start..<(start + bodyBytes), of: descriptor, path: path, consume)
    }

    /// Writes what stands behind the body: the last block may be read after this. No more bytes may come. Throws
    /// `SpoolError`.
    func finishBody() throws(SpoolError) {
        try state.withLock { state throws(SpoolError) in
            guard !state.block.isEmpty else { return }
            state.block.pad()
            try writeBlock(&state)
        }
    }

    /// Writes header and checks, after `finishBody`. Gives the header.
    func finish(
        digest: ContentDigest, encoding: RecordHeader.Encoding, contentBytes: Int64
    ) throws(SpoolError) -> RecordHeader {
        let (bodyBytes, checksums) = state.withLock { ($0.bodyBytes, $0.checksums) }
        var label = draft.label
        (label.digest, label.encoding, label.contentBytes) = (digest, encoding, contentBytes)
        let header = RecordHeader(label, bodyBytes: bodyBytes, salt: salt, offset: draft.offset)
        var checks: [UInt8] = []
        checks.reserveCapacity(checksums.count * Int(LogFormat.checkBytes))
        for checksum in checksums { checks.append(integer: checksum) }
        try checks[...].withBytes { (bytes) throws(SpoolError) in try write(bytes, at: header.checksOffset) }
        try header.bytes()[...].withBytes { (bytes) throws(SpoolError) in try write(bytes, at: header.offset) }
        return header
    }

    /// Gives the room on the disk back; what comes later fails.
    func giveUp() { ftruncate(descriptor, 0) }

    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SpoolError) {
        guard SystemCall.writeAll(bytes, to: descriptor, at: offset) else { throw SpoolError("write", path) }
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
