internal import Glibc
import FundCore
internal import Synchronization

/// A segment as an open file. A process that appends holds its lock (flock(2)) until it is closed.
final class SegmentFile: HeldSegment {
    let number: SegmentNumber
    let path: String
    let descriptor: Int32
    let salt: UInt64
    /// Counts of holders by offsets of records, see `RecordHold`.
    let holds = Mutex<[Int64: Int]>([:])
    private let fate = Atomic(Fate.unknown.rawValue)
    /// The database's position at the latest transaction that was to give one of its records a row.
    private let used = Atomic<Int64>(0)
    /// The database's position at the latest transaction that was committed and gave one of its records a row.
    private let position = Atomic<Int64>(0)
    /// Mutex for appending marks.
    private let marking = Mutex(())
    let hasDamagedOpening: Bool
    let hasProvenSalt: Bool
    /// Whether the bytes are in memory alone (tmpfs(5)) and never leave it: they are not sent from where they stand.
    let hasNoDisk: Bool

    private init(
        _ number: SegmentNumber, _ path: String, _ descriptor: Int32, salt: UInt64, isDamaged: Bool = false,
        isProven: Bool = true
    ) {
        (self.number, self.path, self.descriptor, self.salt) = (number, path, descriptor, salt)
        (hasDamagedOpening, hasProvenSalt) = (isDamaged, isProven)
        hasNoDisk = LinuxFile.hasNoDisk(descriptor)
    }

    deinit {
        if fate.load(ordering: .relaxed) == Fate.givenUp.rawValue { try? cut(to: Int64(LogFormat.openingBytes)) }
        close(descriptor)
    }

    /// Makes a segment with its opening, locked; nil when there is one of this number. It is not durable yet, and
    /// neither is its name.
    static func make(_ number: SegmentNumber, in directory: LogDirectory) throws -> SegmentFile? {
        let path = directory.path(of: number)
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { return nil }
            throw DiskError("create", path)
        }
        let file = SegmentFile(number, path, descriptor, salt: .random(in: .min ... .max))
        do {
            // Before the opening is written: without one no other process takes it over.
            guard SystemCall.retrying({ Int(flock(descriptor, LOCK_EX)) }) == 0 else { throw DiskError("lock", path) }
            // It was taken for one that a lost power had left empty.
            guard try file.hasName else { return nil }
            try directory.owner?.take(descriptor, path: path)
            try file.write(file.opening, at: 0)
        } catch {
            unlink(path)
            throw error
        }
        return file
    }

    /// Makes a segment of a large record, under its number in the log; nil when there is a segment of this number. Its
    /// name is not durable yet.
    static func make(_ number: SegmentNumber, of record: LargeRecord, in directory: LogDirectory) throws -> SegmentFile?
    {
        // Another descriptor of the same open file: the lock stays for as long as either is open.
        let descriptor = fcntl(record.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw DiskError("open", record.path) }
        let file = SegmentFile(number, directory.path(of: number), descriptor, salt: record.salt)
        try file.write(file.opening, at: 0)
        guard link(record.path, file.path) == 0 else {
            if errno == EEXIST { return nil }
            // Also where it is the same disk, mounted twice.
            if errno == EXDEV { throw StoreLocation.otherDisk(directory.path, "store a large file", .io) }
            throw DiskError("link to", file.path)
        }
        record.becameSegment()
        return file
    }

    /// Opens a segment for reading; throws as `SegmentStore.read`.
    static func read(_ number: SegmentNumber, in directory: LogDirectory) throws -> SegmentFile {
        try existing(number, in: directory, O_RDONLY)
    }

    /// Opens a segment for giving records up, without its lock. Throws as `read`.
    static func write(_ number: SegmentNumber, in directory: LogDirectory) throws -> SegmentFile {
        try existing(number, in: directory, O_RDWR)
    }

    /// Takes over a segment for appending, or to be removed (`isToGo`), locked. Nil when another process holds the
    /// lock, or it was unlinked meanwhile, or its opening has changed and it is not to go. Throws as `read`.
    static func takeOver(
        _ number: SegmentNumber, in directory: LogDirectory, isToGo: Bool = false
    ) throws -> SegmentFile? {
        let file = try existing(number, in: directory, O_RDWR)
        return try file.takeLock() && (isToGo || !file.hasDamagedOpening) ? file : nil
    }

    /// Takes over a segment for repairs, locked, also where its opening has changed. Nil when another process holds it.
    /// Throws as `read`.
    static func holdForRepair(_ number: SegmentNumber, in directory: LogDirectory) throws -> SegmentFile? {
        let file = try existing(number, in: directory, O_RDWR)
        return try file.takeLock() ? file : nil
    }

    /// Writes the opening of a segment again, whose salt is known from its records. False when another process holds
    /// the lock, and where the salt is not certain. Throws as `read`.
    static func renewOpening(of number: SegmentNumber, in directory: LogDirectory) throws -> Bool {
        guard let file = try holdForRepair(number, in: directory), file.hasProvenSalt else { return false }
        try file.write(file.opening, at: 0)
        try file.sync()
        return true
    }

    /// Takes over a segment without an opening and records, locked: the power was lost before its bytes were on the
    /// disk, or it is just being made. Nil for any other one, and when another process holds the lock. Throws
    /// `DiskError`.
    static func takeOverBare(_ number: SegmentNumber, in directory: LogDirectory) throws -> SegmentFile? {
        let path = directory.path(of: number)
        guard let descriptor = try descriptor(of: path, O_RDWR) else { return nil }
        let file = SegmentFile(number, path, descriptor, salt: 0, isDamaged: true, isProven: false)
        return try file.takeLock() && file.size() <= LogFormat.openingBytes ? file : nil
    }

    /// False when another process holds it, and when the file was unlinked meanwhile.
    private func takeLock() throws -> Bool {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK || errno == EINTR { return false }
            throw DiskError("lock", path)
        }
        return try hasName
    }

    /// A segment under any name and in any place, for reading. Its number is that of its opening, else the digits of
    /// its name. Throws as `read`.
    ///
    /// - Parameters:
    ///   - salt: of this segment, as it was found before.
    ///   - evidence: tells the salt where the opening is damaged.
    static func read(
        at path: String, salt: (value: UInt64, isProven: Bool)? = nil, evidence: SegmentEvidence = SegmentEvidence()
    ) throws -> SegmentFile {
        let name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
        let digits = name.drop { !$0.isNumber }.prefix(while: \.isNumber)
        return try open(SegmentNumber(UInt32(digits) ?? 0), path, O_RDONLY, in: nil, salt: salt, evidence: evidence)
    }

    /// Opens a segment; nil when there is no file of its own. Never waits for the other end of a pipe that stands
    /// there.
    private static func descriptor(of path: String, _ flags: Int32) throws -> Int32? {
        let descriptor = Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
        guard descriptor >= 0 else {
            if [ENOENT, ELOOP, EISDIR, ENXIO].contains(errno) { return nil }
            throw DiskError("open", path)
        }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return descriptor }
        close(descriptor)
        return nil
    }

    private static func existing(_ number: SegmentNumber, in directory: LogDirectory, _ flags: Int32) throws
        -> SegmentFile
    {
        try open(
            number, directory.path(of: number), flags, in: directory,
            evidence: SegmentEvidence(stores: directory.store.map { [$0] } ?? []))
    }

    /// - Parameters:
    ///   - directory: nil for one that may have another number and stand anywhere.
    ///   - evidence: asked for where the opening is damaged alone.
    private static func open(
        _ number: SegmentNumber, _ path: String, _ flags: Int32, in directory: LogDirectory?,
        salt: (value: UInt64, isProven: Bool)? = nil, evidence: @autoclosure () -> SegmentEvidence
    ) throws -> SegmentFile {
        guard let descriptor = try descriptor(of: path, flags) else {
            let kind = DiskFile.kind(of: path)
            throw LogDamage(kind.map { $0 == .file ? .missingSegment : .noFile($0) } ?? .missingSegment, number, 0)
        }
        do {
            let file = OpenFile(number: number, path: path, descriptor: descriptor)
            if let found = read(opening: try file.readable(LogFormat.openingBytes, at: 0)) {
                guard found.number == number || directory == nil else { throw LogDamage(.opening, number, 0) }
                return SegmentFile(found.number, path, descriptor, salt: found.salt)
            }
            let known = directory?.salt(number).map { (value: $0, isProven: true) } ?? salt
            guard let salt = try known ?? file.salt(evidence()) else { throw LogDamage(.opening, number, 0) }
            return SegmentFile(number, path, descriptor, salt: salt.value, isDamaged: true, isProven: salt.isProven)
        } catch {
            close(descriptor)
            throw error
        }
    }

    // MARK: Large records

    /// Outcome of the one record of a large segment.
    private enum Fate: UInt8 { case unknown, givenUp, noted }

    /// Notes that a record gets a row in the transaction that brings the database to this position.
    func noteUse(at position: Int64) { used.store(position, ordering: .relaxed) }

    /// Notes that a transaction was committed: the bytes stay where it gave a record a row. Before that no mark has its
    /// position, which a transaction that fails takes back.
    func noteCommit(_ step: LogStep) {
        guard used.load(ordering: .relaxed) > step.start else { return }
        fate.store(Fate.noted.rawValue, ordering: .relaxed)
        position.max(step.end, ordering: .relaxed)
    }

    /// The latest position of `noteCommit`; nil where no record has got a row.
    var notedPosition: Int64? {
        fate.load(ordering: .relaxed) == Fate.noted.rawValue ? position.load(ordering: .relaxed) : nil
    }

    /// Notes that the one record got no row: its bytes are cut off when the last use ends, unless `noteCommit` says
    /// that it has one.
    func giveUp() {
        _ = fate.compareExchange(expected: Fate.unknown.rawValue, desired: Fate.givenUp.rawValue, ordering: .relaxed)
    }

    // MARK: Opening

    private var opening: [UInt8] {
        var bytes = LogFormat.openingMagic
        bytes.append(integer: LogFormat.version)
        bytes.append(integer: number.value)
        bytes.append(integer: salt)
        bytes.append(integer: bytes.withUnsafeBytes { LogFormat.checksum($0) })
        return bytes
    }

    /// Nil unless it is as it was written.
    static func read(opening: [UInt8]) -> (number: SegmentNumber, salt: UInt64)? {
        opening.withUnsafeBytes { bytes in
            let covered = LogFormat.openingBytes - 8
            guard bytes.count == LogFormat.openingBytes, bytes.starts(with: LogFormat.openingMagic),
                bytes.integer(at: 8, as: UInt32.self) == LogFormat.version,
                bytes.integer(at: covered, as: UInt64.self)
                    == LogFormat.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<covered]))
            else { return nil }
            return (SegmentNumber(bytes.integer(at: 12, as: UInt32.self)), bytes.integer(at: 16, as: UInt64.self))
        }
    }

    // MARK: Bytes

    func size() throws -> Int64 { Int64(try status().st_size) }

    /// False when it was unlinked.
    private var hasName: Bool { get throws { try status().st_nlink > 0 } }

    private func status() throws -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw DiskError("look at", path) }
        return status
    }

    func bytes(_ count: Int, at offset: Int64) throws -> [UInt8] { try file.bytes(count, at: offset) }

    func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        try file.fill(buffer, at: offset)
    }

    func fillFromMemory(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
        LinuxFile.readFromMemory(buffer, descriptor, at: offset)
    }

    func nextData(from offset: Int64) -> Range<Int64>? {
        let data = LinuxFile.nextData(descriptor, from: offset)
        // ENXIO: a hole up to the end; another error: a file system that does not tell.
        if data < 0, errno == ENXIO { return nil }
        let start = max(offset, data)
        let hole = LinuxFile.nextHole(descriptor, from: start)
        return start..<(hole > start ? hole : .max)
    }

    func isInMemory(_ count: Int, at offset: Int64) -> Bool {
        LinuxFile.isInMemory(descriptor, at: offset, count: count)
    }

    var sendingDescriptor: Int32? { hasNoDisk ? nil : descriptor }

    func hold(_ location: RecordLocation) -> RecordHold? { RecordHold.take(location, in: self) }

    private var file: OpenFile { OpenFile(number: number, path: path, descriptor: descriptor) }

    /// A descriptor that is open, of a file whose opening need not be read yet.
    private struct OpenFile {
        let number: SegmentNumber
        let path: String
        let descriptor: Int32

        func bytes(_ count: Int, at offset: Int64) throws -> [UInt8] {
            try [UInt8](unsafeUninitializedCapacity: count) { buffer, found in
                found = 0
                found = try fill(UnsafeMutableRawBufferPointer(buffer), at: offset)
            }
        }

        /// Reads bytes; none where the disk cannot read them.
        func readable(_ count: Int, at offset: Int64) throws -> [UInt8] {
            do { return try bytes(count, at: offset) } catch let damage as LogDamage where damage.kind == .unreadable {
                return []
            }
        }

        /// The salt, as the records tell it.
        func salt(_ evidence: SegmentEvidence) throws -> (value: UInt64, isProven: Bool)? {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw DiskError("look at", path) }
            let search = SaltSearch(size: Int64(status.st_size), readable)
            if let salt = try search.salt(provenBy: evidence) ?? firstSalt() { return (salt, true) }
            return try search.saltAtEnd().map { ($0, false) }
        }

        /// The first record repeats the salt. Nothing but its header can stand there.
        private func firstSalt() throws -> UInt64? {
            let offset = Int64(LogFormat.openingBytes)
            let bytes = try readable(LogFormat.headerBytes + LogFormat.maxOriginBytes, at: offset)
            guard let (header, _) = bytes.withUnsafeBytes({ RecordHeader.read($0) }), header.offset == offset else {
                return nil
            }
            return header.salt
        }

        func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
            let count = SystemCall.fill(buffer, from: descriptor, at: offset)
            guard count >= 0 else {
                // A bad sector takes no more with it than it holds.
                if errno == EIO { throw LogDamage(.unreadable, number, offset) }
                throw DiskError("read", path)
            }
            return count
        }
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws(DiskError) {
        try bytes[...].withBytes { (bytes) throws(DiskError) in try write(bytes, at: offset) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(DiskError) {
        guard SystemCall.writeAll(bytes, to: descriptor, at: offset) else { throw DiskError("write", path) }
    }

    /// Takes room on the disk for bytes that are not written yet, without a change of the file's size. False where that
    /// may not hold what it promises: on a file system that cannot, with a limit on the size of files, and on a disk
    /// that is nearly full, whose last room the database needs.
    func takeRoom(from start: Int64, upTo end: Int64) -> Bool {
        var (disk, limit) = (statvfs(), rlimit())
        guard !hasNoDisk, fstatvfs(descriptor, &disk) == 0,
            UInt64(disk.f_bavail) * UInt64(disk.f_frsize) > Self.ampleRoom,
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, limit.rlim_cur == rlim_t.max
        else { return false }
        return LinuxFile.takeRoom(descriptor, at: start, count: end - start)
    }

    /// Many times the room that a run reserves: what the disk says is old when it is read.
    private static let ampleRoom: UInt64 = 256 << 20

    /// Appends a mark behind what stands there, also in a segment that takes no further record.
    func append(_ mark: CommitMark) throws {
        try marking.withLock { _ in
            let offset = LogFormat.padded(try size())
            try write(RecordHeader(mark.label, bodyBytes: 0, salt: salt, offset: offset).bytes(), at: offset)
        }
    }

    func remove() throws(DiskError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw DiskError("remove", path) }
    }

    /// Whether it has this name alone. A large record whose process was killed before it got a row may still have the
    /// one under which it came (`KeptUpload`): its bytes are needed.
    var hasOneName: Bool { get throws { try status().st_nlink == 1 } }

    /// Cuts off what stands behind.
    func cut(to end: Int64) throws {
        guard ftruncate(descriptor, off_t(end)) == 0 else { throw DiskError("cut", path) }
    }

    /// fdatasync(2), which also makes a new size durable.
    func sync() throws(DiskError) {
        guard fdatasync(descriptor) == 0 else { throw DiskError("sync", path) }
    }
}
