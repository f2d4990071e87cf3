internal import Glibc
import FundCore
internal import Synchronization

/// A large record to which another process appends the body by itself. What it appended stands: it can neither change
/// nor cut it.
extension LargeRecord {
    /// Bytes that are taken at once, and by one call: the second is a bound for what a caller waits for.
    private static let (pieceBytes, callBytes) = (4 * LogFormat.blockBytes, 64 * LogFormat.blockBytes)
    /// A process that was killed ends within this time: it may have to end a write first.
    private static let waitLimit = Duration.seconds(20)
    private static let waitMilliseconds: Int32 = 2

    /// The part of the appended bytes that is taken.
    enum Appended {
        /// Whole blocks, once enough are there: more bytes come.
        case blocks
        /// Any bytes, up to the number that one call takes.
        case all
    }

    /// Opens the file for appending behind the bytes that came; what else stands there is cut off. The descriptor has a
    /// lock (F_OFD_SETLK) for as long as any process has it: `waitForWriters`, and other processes that would go on
    /// with the record, wait for that. Throws `StoreError` with `held` while a process appends.
    func openEnd() throws -> Int32 {
        try state.withLock { state in
            try writeRest(state)
            guard ftruncate(descriptor, off_t(draft.bodyOffset + state.bodyBytes)) == 0 else {
                throw DiskError("cut", path)
            }
        }
        // The path may be gone, the file is not.
        let end = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_APPEND | O_CLOEXEC, 0)
        guard end >= 0 else { throw DiskError("open", path) }
        guard LinuxFile.lock(.exclusive, end, at: 0, count: 0) else {
            close(end)
            throw StoreError(.held, "take an upload", "a process appends to it")
        }
        return end
    }

    /// Waits until no process has the end of the file open. Throws `StoreError` with `held` when one keeps it.
    func waitForWriters() throws {
        let deadline = ContinuousClock.now + Self.waitLimit
        while !Self.isWithoutWriters(descriptor) {
            guard .now < deadline else { throw StoreError(.held, "take an upload", "a process appends to it") }
            poll(nil, 0, Self.waitMilliseconds)
        }
    }

    static func isWithoutWriters(_ descriptor: Int32) -> Bool {
        guard LinuxFile.lock(.exclusive, descriptor, at: 0, count: 0) else { return false }
        _ = LinuxFile.lock(.none, descriptor, at: 0, count: 0)
        return true
    }

    /// Takes bytes that were appended.
    /// - Parameter consume: gets them before they count; what it throws leaves them where they are.
    /// - Returns: the number of bytes.
    func take(_ part: Appended, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws -> Int {
        try state.withLock { state in
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw DiskError("look at", path) }
            let end = min(Int64(status.st_size) - draft.bodyOffset, state.bodyBytes + Self.callBytes)
            let begun = state.bodyBytes
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(Self.pieceBytes), alignment: 16)
            defer { room.deallocate() }
            while state.bodyBytes < end {
                // The pieces end where blocks do.
                let size = Self.pieceBytes - Int64(state.block.count)
                guard part == .all || end - state.bodyBytes >= size else { break }
                let piece = UnsafeMutableRawBufferPointer(rebasing: room[..<Int(min(size, end - state.bodyBytes))])
                let came = SystemCall.fill(piece, from: descriptor, at: draft.bodyOffset + state.bodyBytes)
                guard came == piece.count else { throw DiskError("read", path, code: came < 0 ? errno : EIO) }
                try consume(UnsafeRawBufferPointer(piece))
                try add(UnsafeRawBufferPointer(piece), &state, isWritten: true)
            }
            return Int(state.bodyBytes - begun)
        }
    }
}
