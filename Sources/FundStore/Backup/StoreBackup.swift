internal import Glibc
import FundCore

/// What a backup did.
package struct BackupReport: Sendable, Hashable {
    /// Of the log, as far as they were not there from an earlier backup.
    package var copiedBytes: Int64 = 0
    /// All that the backup holds of the log.
    package var logBytes: Int64 = 0
    package var databaseBytes: Int64 = 0
    package var segments = 0
}

/// Copies a store into a directory, while other processes go on with it. What an earlier backup brought there is not
/// copied again. At every moment the directory holds a whole store: the one before, or this one.
///
/// The database comes first, as it is at one moment; the segments then have all bytes that its rows know, since nothing
/// is given back to the disk meanwhile (`ReclaimLock`).
struct StoreBackup {
    private static let chunkBytes = 1 << 20

    private struct Segment {
        var number: SegmentNumber
        /// Of what its rows know, in bytes.
        var end: Int64
    }

    let log: StoreLog
    let target: StoreLayout
    let onProgress: @Sendable (_ done: Int64, _ total: Int64) -> Void
    private var report = BackupReport()

    private var source: StoreLayout { log.connection.layout }
    private var directory: LogDirectory { LogDirectory(path: target.log, temporary: target.temporary) }
    private var draft: String { "\(target.root)/fundmail.sqlite.part" }

    init(
        of log: StoreLog, to path: String, onProgress: @escaping @Sendable (_ done: Int64, _ total: Int64) -> Void
    ) {
        self.log = log
        target = StoreLayout(root: path)
        self.onProgress = onProgress
    }

    /// Throws `invalid` for a directory that is inside the store or holds something else, `held` when the store gives
    /// bytes back to the disk just now, `outOfSpace`, `corrupted` when a segment is damaged, `io`.
    mutating func run() throws -> BackupReport {
        try prepare()
        return try log.withoutReclaim {
            let segments = try copyDatabase()
            report.segments = segments.count
            report.logBytes = segments.reduce(0) { $0 + $1.end }
            var done: Int64 = 0
            for segment in segments {
                try copy(segment)
                done += segment.end
                onProgress(done, report.logBytes)
            }
            try directory.sync()
            try copyKey()
            guard rename(draft, target.database) == 0 else { throw SpoolError("rename to", target.database) }
            // An earlier backup's database was closed; these can only be of a process that opened it.
            for suffix in ["-wal", "-shm"] { unlink(target.database + suffix) }
            try DiskSync.sync(target.root, flags: O_RDONLY | O_DIRECTORY)
            try removeSuperseded(keeping: Set(segments.map(\.number)))
            return report
        }
    }

    private func prepare() throws {
        try DiskDirectory.makeAll(upTo: target.root, isPrivate: true)
        let found = try DiskDirectory.names(in: target.root)
        let isBackup = found.isEmpty || found.contains("log")
        guard isBackup else {
            throw StoreError(.invalid, "back the store up", "\(target.root) holds something else")
        }
        if let real = DiskDirectory.realPath(target.root), let store = DiskDirectory.realPath(source.root) {
            guard real != store, !real.hasPrefix(store + "/") else {
                throw StoreError(.invalid, "back the store up", "\(target.root) lies inside the store")
            }
        }
        try target.create()
    }

    // MARK: Database

    /// As it is at one moment. Gives the segments that its rows know.
    private mutating func copyDatabase() throws -> [Segment] {
        unlink(draft)
        try ConnectionPool.copy(source.database, to: draft)
        guard chmod(draft, 0o600) == 0 else { throw SpoolError("set the mode of", draft) }
        try DiskSync.sync(draft)
        report.databaseBytes = StoreLayout.size(of: draft) ?? 0
        return try ConnectionPool.read(draft) { db in
            try db.rows(
                "SELECT number, end_offset FROM segment WHERE end_offset > ? AND live_bytes > 0 ORDER BY number",
                [LogFormat.openingBytes]
            ) { Segment(number: $0[0], end: $0[1]) }
        }
    }

    private func copyKey() throws {
        guard StoreLayout.size(of: source.serverKey) != nil else { return }
        let descriptor = try StoreLayout.open(target.serverKey, owner: nil)
        defer { close(descriptor) }
        try FileBytes.read(source.serverKey) { bytes in
            guard SystemCall.writeAll(bytes, to: descriptor, at: 0) else { throw SpoolError("write", target.serverKey) }
        }
        guard fsync(descriptor) == 0 else { throw SpoolError("sync", target.serverKey) }
    }

    // MARK: Segments

    private mutating func copy(_ segment: Segment) throws {
        let original = try SegmentFile.read(segment.number, in: log.directory)
        let path = directory.path(of: segment.number)
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SpoolError("create", path) }
        defer { close(descriptor) }
        let (size, blocks) = try Self.extent(of: descriptor, path)
        if size >= Int64(LogFormat.openingBytes) {
            let copied = try SegmentFile.read(segment.number, in: directory)
            guard copied.salt == original.salt else {
                throw StoreError(
                    .invalid, "back the store up", "\(target.root) holds the backup of another store")
            }
        }
        // Where more was given back to the disk than in the copy, all of it is copied anew.
        let isPurged = try size > 0 && Self.extent(of: original.descriptor, original.path).blocks < blocks
        let start = isPurged ? 0 : min(size, segment.end) / LogFormat.alignment * LogFormat.alignment
        guard start < segment.end else { return }
        if isPurged { guard ftruncate(descriptor, 0) == 0 else { throw SpoolError("cut", path) } }
        try copy(original, start..<segment.end, to: descriptor, path)
        guard fdatasync(descriptor) == 0 else { throw SpoolError("sync", path) }
    }

    /// Without what was given back to the disk (SEEK_DATA of lseek(2)).
    private mutating func copy(
        _ original: SegmentFile, _ range: Range<Int64>, to descriptor: Int32, _ path: String
    ) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkBytes, alignment: 4096)
        defer { buffer.deallocate() }
        var position = range.lowerBound
        while position < range.upperBound {
            let data = LinuxFile.nextData(original.descriptor, from: position)
            // ENXIO: a hole up to the end; another error: a file system that does not tell.
            if data < 0, errno == ENXIO { break }
            if data > 0 { position = max(position, data) }
            let part = UnsafeMutableRawBufferPointer(
                rebasing: buffer.prefix(Int(max(0, min(range.upperBound - position, Int64(Self.chunkBytes))))))
            guard !part.isEmpty else { break }
            guard try original.fill(part, at: position) == part.count else {
                throw LogDamage(.cutOff, original.number, position)
            }
            guard SystemCall.writeAll(UnsafeRawBufferPointer(part), to: descriptor, at: position) else {
                throw SpoolError("write", path)
            }
            position += Int64(part.count)
            report.copiedBytes += Int64(part.count)
        }
        // The end may be a hole.
        guard
            try Self.extent(of: descriptor, path).size >= range.upperBound
                || ftruncate(descriptor, off_t(range.upperBound)) == 0
        else { throw SpoolError("write", path) }
    }

    private static func extent(of descriptor: Int32, _ path: String) throws -> (size: Int64, blocks: Int64) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SpoolError("look at", path) }
        return (Int64(status.st_size), Int64(status.st_blocks))
    }

    /// Segments of an earlier backup that were compacted since.
    private func removeSuperseded(keeping numbers: Set<SegmentNumber>) throws {
        for number in try directory.segments() where !numbers.contains(number) { unlink(directory.path(of: number)) }
    }
}
