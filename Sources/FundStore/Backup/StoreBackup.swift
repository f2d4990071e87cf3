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
    /// What is damaged in the store and could not be copied, one sentence each.
    package var damages: [String] = []
}

/// Copies a store into a directory, while other processes go on with it. What an earlier backup brought there is not
/// copied again. At every moment the directory holds a whole store: the one before, or this one.
///
/// The database comes first, as it is at one moment; the segments then have all bytes that its rows know, since nothing
/// is given back to the disk meanwhile (`StoreLog.withoutReclaim`).
struct StoreBackup {
    private static let chunkBytes = 1 << 20

    /// What the rows know of a segment, in bytes.
    private struct Segment {
        var end: Int64
        /// All that was ever given up in it.
        var released: Int64
    }

    private struct Contents {
        var identity: Int64?
        var segments: [SegmentNumber: Segment]
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
    /// bytes back to the disk just now, `outOfSpace`, `io`. What is damaged is reported, and what is whole is copied.
    mutating func run() throws -> BackupReport {
        try prepare()
        return try log.withoutReclaim {
            let before = try contents(of: target.database)
            let contents = try copyDatabase()
            try refuseAnotherStore(before, contents)
            let segments = contents.segments.sorted { $0.key < $1.key }
            report.segments = segments.count
            report.logBytes = segments.reduce(0) { $0 + $1.value.end }
            var (done, renewed): (Int64, [SegmentNumber]) = (0, [])
            for (number, segment) in segments {
                do {
                    if try copy(number, segment, before?.segments[number]) { renewed.append(number) }
                } catch let damage as LogDamage { report.damages.append(damage.description) }
                done += segment.end
                onProgress(done, report.logBytes)
            }
            try directory.sync()
            try copyKey()
            // An earlier backup's database was closed; these can only be of a process that opened it since, and must
            // not be taken for the new one's.
            for suffix in ["-wal", "-shm"] { unlink(target.database + suffix) }
            guard rename(draft, target.database) == 0 else { throw SpoolError("rename to", target.database) }
            try DiskSync.sync(target.root, flags: O_RDONLY | O_DIRECTORY)
            // Only now: the database before needs what stood there.
            for number in renewed {
                let path = directory.path(of: number)
                guard rename(draft(of: number), path) == 0 else { throw SpoolError("rename to", path) }
            }
            try removeSuperseded(keeping: contents.segments)
            try directory.sync()
            return report
        }
    }

    private func draft(of number: SegmentNumber) -> String { "\(target.temporary)/\(number.fileName)" }

    private func prepare() throws {
        try DiskDirectory.makeAll(upTo: target.root, isPrivate: true)
        let found = try DiskDirectory.names(in: target.root)
        let known = Set(["log", "tmp", "lost", "leases", "reserve", "server.key", "fundmail.sqlite.part"])
        let isBackup = found.allSatisfy {
            known.contains($0) || $0.hasPrefix("fundmail.sqlite") || $0.hasSuffix(".lock")
        }
        guard isBackup else {
            throw StoreError(.invalid, "back the store up", "\(target.root) holds something else")
        }
        guard !source.contains(target.root) else {
            throw StoreError(.invalid, "back the store up", "\(target.root) lies inside the store")
        }
        try target.create()
    }

    // MARK: Database

    /// As it is at one moment.
    private mutating func copyDatabase() throws -> Contents {
        unlink(draft)
        try ConnectionPool.copy(source.database, to: draft)
        try ConnectionPool.change(draft) { try StoreHistory.markCopy($0) }
        guard chmod(draft, 0o600) == 0 else { throw SpoolError("set the mode of", draft) }
        try DiskSync.sync(draft)
        report.databaseBytes = StoreLayout.size(of: draft) ?? 0
        guard let contents = try contents(of: draft) else { throw SpoolError("open", draft, code: ENOENT) }
        return contents
    }

    /// Nil when there is no database.
    private func contents(of path: String) throws -> Contents? {
        guard StoreLayout.size(of: path) != nil else { return nil }
        return try ConnectionPool.read(path) { db in
            var contents = Contents(identity: try StoreIdentity.of(db), segments: [:])
            // What was released and is still on its way to a client has its bytes: they go later.
            let sql = """
                SELECT number, end_offset, released_bytes - (
                    SELECT ifnull(sum(record_bytes), 0) FROM dead_record WHERE segment = number
                ) FROM segment WHERE end_offset > ? AND live_bytes > 0
                """
            for row in try db.rows(sql, [LogFormat.openingBytes]) {
                contents.segments[row[0]] = Segment(end: row[1], released: row[2])
            }
            return contents
        }
    }

    /// Before anything of an earlier backup is changed.
    private func refuseAnotherStore(_ before: Contents?, _ contents: Contents) throws {
        let refusal = StoreError(
            .invalid, "back the store up", "\(target.root) holds the backup of another store; name another folder")
        if let before { guard before.identity == contents.identity else { throw refusal } }
        for number in try directory.segments() {
            guard before != nil || contents.segments[number] != nil else { throw refusal }
            guard contents.segments[number] != nil,
                let original = try? SegmentFile.read(number, in: log.directory),
                let copied = try? SegmentFile.read(number, in: directory)
            else { continue }
            guard copied.salt == original.salt else { throw refusal }
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

    /// Copies what is new of a segment behind what is there; where that will not do, also all of it beside that, which
    /// must then take its place: returns true. Throws `LogDamage` when it is damaged, after what is whole was copied.
    private mutating func copy(
        _ number: SegmentNumber, _ segment: Segment, _ before: Segment?
    ) throws -> Bool {
        let original = try SegmentFile.read(number, in: log.directory)
        let end = min(segment.end, try original.size())
        let path = directory.path(of: number)
        let size = StoreLayout.size(of: path) ?? 0
        let start = min(size, end) / LogFormat.alignment * LogFormat.alignment
        let isSame = try size == 0 || isSame(original, upTo: start, path)
        if isSame { try copy(original, start..<end, into: path) }
        // Something was given up since, what is there comes from another state of the store, or a backup was broken off
        // before it had put this in its place.
        let isBrokenOff = StoreLayout.size(of: draft(of: number)) != nil
        let isRenewed = size > 0 && (isBrokenOff || !isSame || before?.released != segment.released)
        if isRenewed {
            unlink(draft(of: number))
            try copy(original, 0..<end, into: draft(of: number))
        }
        guard end == segment.end else { throw LogDamage(.cutOff, number, end) }
        return isRenewed
    }

    private mutating func copy(_ original: SegmentFile, _ range: Range<Int64>, into path: String) throws {
        guard !range.isEmpty else { return }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SpoolError("create", path) }
        defer { close(descriptor) }
        try copy(original, range, to: descriptor, path)
        guard fdatasync(descriptor) == 0 else { throw SpoolError("sync", path) }
    }

    /// Whether the last bytes before `end` are the same here and there. What two states of a store have appended to a
    /// segment differs from the first record on.
    private func isSame(_ original: SegmentFile, upTo end: Int64, _ path: String) throws -> Bool {
        let count = min(end, LogFormat.blockBytes)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { throw SpoolError("open", path) }
        defer { close(descriptor) }
        var copied = [UInt8](repeating: 0, count: Int(count))
        let filled = copied.withUnsafeMutableBytes { SystemCall.fill($0, from: descriptor, at: end - count) }
        return try filled == Int(count) && copied == original.bytes(Int(count), at: end - count)
    }

    /// Without what was given back to the disk (SEEK_DATA and SEEK_HOLE of lseek(2)).
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
            let hole = LinuxFile.nextHole(original.descriptor, from: position)
            let end = min(range.upperBound, hole > position ? hole : .max, position + Int64(Self.chunkBytes))
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(max(0, end - position))))
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
        guard StoreLayout.size(of: path) ?? 0 >= range.upperBound || ftruncate(descriptor, off_t(range.upperBound)) == 0
        else { throw SpoolError("write", path) }
    }

    /// Segments of an earlier backup that were compacted since, and what one that was broken off has left.
    private func removeSuperseded(keeping segments: [SegmentNumber: Segment]) throws {
        for number in try directory.segments() where segments[number] == nil { unlink(directory.path(of: number)) }
        for name in try DiskDirectory.names(in: target.temporary) where SegmentNumber(fileName: name) != nil {
            unlink("\(target.temporary)/\(name)")
        }
    }
}
