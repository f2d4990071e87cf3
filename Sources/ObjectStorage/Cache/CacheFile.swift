internal import CLinux
internal import CXXHash
internal import FundCore
internal import Glibc

/// Blocks of one object in a sparse file of this machine, at the places that they have in the object. Several processes
/// read and fill it at the same time.
///
///     file    = bytes of the object, zero bytes up to a multiple of 8, checksum of each block, trailer
///     trailer = "FUNDBLKS", u32 version, u32 bytes of a block, i64 bytes of the object, u64 salt, u64 checksum of
///               these 32 bytes with the checksum of the object's name as its seed
///
/// All integers are little-endian. A checksum is XXH3 with 64 bits; that of a block has salt + number of the block as
/// its seed, and 0 stands for a block that is not there. Nothing is made durable: what a crash leaves of a block does
/// not have its checksum, and the block is fetched again.
final class CacheFile: Sendable {
    /// Bytes under one checksum: a read of a few bytes checks at most these.
    static let blockBytes: Int64 = 64 << 10

    private static let magic = Array("FUNDBLKS".utf8)
    private static let version: UInt32 = 1
    private static let trailerBytes: Int64 = 40
    private static let checkBytes: Int64 = 8

    /// Bytes of the object.
    let size: Int64
    private let path: String
    private let descriptor: Int32
    private let salt: UInt64

    private init(_ path: String, _ descriptor: Int32, size: Int64, salt: UInt64) {
        (self.path, self.descriptor, self.size, self.salt) = (path, descriptor, size, salt)
    }

    deinit { close(descriptor) }

    var blockCount: Int64 { Self.blockCount(size) }

    func range(of block: Int64) -> Range<Int64> {
        block * Self.blockBytes..<min((block + 1) * Self.blockBytes, size)
    }

    // MARK: Opening

    /// Opens a file that is there; nil where there is none, or one that is not whole, which is removed.
    static func open(_ path: String, of name: String) throws(DiskError) -> CacheFile? {
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw DiskError("open", path)
        }
        var status = stat()
        if fstat(descriptor, &status) == 0, let (size, salt) = trailer(of: name, descriptor, Int64(status.st_size)) {
            return CacheFile(path, descriptor, size: size, salt: salt)
        }
        close(descriptor)
        unlink(path)
        return nil
    }

    /// Makes a file without blocks; one that another process made meanwhile is opened.
    static func make(_ path: String, of name: String, size: Int64) throws(DiskError) -> CacheFile {
        let temporary = path + "." + DiskDirectory.uniqueName(prefix: temporaryMark)
        let descriptor = Glibc.open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw DiskError("create", temporary) }
        defer { unlink(temporary) }
        let salt = UInt64.random(in: .min ... .max)
        let trailer = trailer(of: name, size: size, salt: salt)
        let isWritten = trailer.withUnsafeBytes { bytes in
            SystemCall.writeAll(bytes, to: descriptor, at: checksOffset(size) + blockCount(size) * checkBytes)
        }
        guard isWritten else {
            let error = DiskError("write", temporary)
            close(descriptor)
            throw error
        }
        if link(temporary, path) == 0 { return CacheFile(path, descriptor, size: size, salt: salt) }
        let error = DiskError("create", path)
        close(descriptor)
        guard error.code == EEXIST, let other = try open(path, of: name), other.size == size else { throw error }
        return other
    }

    /// Stands in names that a killed process may leave.
    static let temporaryMark = "new"

    private static func blockCount(_ size: Int64) -> Int64 { (size + blockBytes - 1) / blockBytes }
    private static func checksOffset(_ size: Int64) -> Int64 { (size + 7) / 8 * 8 }

    private static func trailer(of name: String, size: Int64, salt: UInt64) -> [UInt8] {
        var bytes = magic
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
        }
        append(version)
        append(UInt32(blockBytes))
        append(size)
        append(salt)
        let seed = Array(name.utf8).withUnsafeBytes { checksum($0) }
        let check = bytes.withUnsafeBytes { checksum($0, seed: seed) }
        append(check)
        return bytes
    }

    private static func trailer(
        of name: String, _ descriptor: Int32, _ fileBytes: Int64
    ) -> (size: Int64, salt: UInt64)? {
        guard fileBytes >= trailerBytes else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(trailerBytes))
        let count = bytes.withUnsafeMutableBytes {
            SystemCall.fill($0, from: descriptor, at: fileBytes - trailerBytes)
        }
        guard count == bytes.count else { return nil }
        let (size, salt) = bytes.withUnsafeBytes { bytes in
            (
                Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: Int64.self)),
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
            )
        }
        guard size >= 0, size <= fileBytes, bytes == trailer(of: name, size: size, salt: salt),
            fileBytes == checksOffset(size) + blockCount(size) * checkBytes + trailerBytes
        else { return nil }
        return (size, salt)
    }

    // MARK: Blocks

    /// Reads a block, and compares it with its checksum. Nil where it is not there as it was put.
    func read(_ block: Int64) -> [UInt8]? {
        guard let check = storedChecksum(of: block) else { return nil }
        let range = range(of: block)
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            let room = UnsafeMutableRawBufferPointer(buffer)
            count = max(0, SystemCall.fill(room, from: descriptor, at: range.lowerBound))
        }
        guard bytes.count == range.count else { return nil }
        return bytes.withUnsafeBytes { checksum(of: block, $0) } == check ? bytes : nil
    }

    /// Whether the block seems to be there; its bytes are not looked at.
    func has(_ block: Int64) -> Bool { storedChecksum(of: block) != nil }

    /// Puts a block. A file that takes no more, as on a full disk, keeps what it has.
    func write(_ block: Int64, _ bytes: UnsafeRawBufferPointer) {
        var check = checksum(of: block, bytes).littleEndian
        let place = Self.checksOffset(size) + block * Self.checkBytes
        guard SystemCall.writeAll(bytes, to: descriptor, at: range(of: block).lowerBound) else { return }
        _ = withUnsafeBytes(of: &check) { SystemCall.writeAll($0, to: descriptor, at: place) }
    }

    private func storedChecksum(of block: Int64) -> UInt64? {
        var check: UInt64 = 0
        let place = Self.checksOffset(size) + block * Self.checkBytes
        let count = withUnsafeMutableBytes(of: &check) { SystemCall.fill($0, from: descriptor, at: place) }
        return count == Self.checkBytes && check != 0 ? UInt64(littleEndian: check) : nil
    }

    private func checksum(of block: Int64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let check = Self.checksum(bytes, seed: salt &+ UInt64(bitPattern: block))
        return check == 0 ? 1 : check
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
    }

    // MARK: The file as a whole

    /// Whether the file was removed, to make room: no other reader finds what is put there.
    var isRemoved: Bool {
        var status = stat()
        return fstat(descriptor, &status) != 0 || status.st_nlink == 0
    }

    /// Notes that the object is in use: what was not used for the longest time goes first.
    func noteUse() { _ = futimens(descriptor, nil) }

    /// Blocks that one thread of one process fetches, until this is let go of.
    final class Flight: Sendable {
        private let descriptor: Int32

        fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }
    }

    /// Takes blocks to fetch them; nil while another thread, or another process, fetches one of them.
    func takeFlight(of blocks: Range<Int64>) -> Flight? {
        // A description of its own: a lock of F_OFD_SETLK belongs to it, not to the process. The path may be gone.
        let own = Glibc.open("/proc/self/fd/\(descriptor)", O_RDWR | O_CLOEXEC)
        guard own >= 0 else { return nil }
        let code = fundmail_lock_bytes(own, Int16(F_WRLCK), off_t(blocks.lowerBound), off_t(blocks.count))
        // A file system without such locks fetches twice at the worst.
        guard ![EAGAIN, EACCES].contains(code) else {
            close(own)
            return nil
        }
        return Flight(own)
    }
}
