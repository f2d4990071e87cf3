#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Calls of the system, for all that works with files: the one place where Linux and Darwin differ.
enum FileCalls {
    /// A call failed.
    struct Failure: Error, Hashable {
        /// `errno`.
        var number: Int32
        /// What the system says of it, in English.
        var detail: String { String(cString: strerror(number)) }

        static let exists = Failure(number: EEXIST)
        static let missing = Failure(number: ENOENT)
        static let notEmpty = Failure(number: ENOTEMPTY)

        /// The disk, or what the user may use of it, is full.
        var isNoSpace: Bool { number == ENOSPC || number == EDQUOT }
        /// The file system cannot hold such a name.
        var isBadName: Bool { number == ENAMETOOLONG || number == EINVAL || number == EILSEQ }
        /// The file system does not know the call, or that manner of it: FAT and exFAT have no links and no rights, and
        /// what runs over FUSE has what its program knows.
        var isUnsupported: Bool {
            number == ENOSYS || number == EINVAL || number == ENOTSUP || number == EPERM || number == EMLINK
        }
        /// The file system holds no such time.
        var isBeyondRange: Bool { number == EOVERFLOW || number == ERANGE }
        var isMissing: Bool { number == ENOENT || number == ENOTDIR }
    }

    /// What the system knows of a file.
    struct Status: Sendable, Hashable {
        enum Kind: Sendable, Hashable { case file, folder, link, other }

        var kind: Kind
        var device: UInt64
        var inode: UInt64
        /// In bytes.
        var size: Int64
        /// Nanoseconds since 1970: when the bytes changed, as programs say.
        var modified: Int64
        /// Nanoseconds since 1970: when anything about it changed, as the system's clock says.
        var changed: Int64
        /// Who may do what with it: 12 bits.
        var rights: UInt32
    }

    /// Of the thing itself, never of what a link leads to.
    static func status(_ path: String) throws(Failure) -> Status {
        var raw = stat()
        guard lstat(path, &raw) == 0 else { throw Failure(number: errno) }
        return Status(raw)
    }

    /// - Parameter path: in any coding.
    static func status(_ path: [UInt8]) throws(Failure) -> Status {
        var raw = stat()
        guard lstat(path.map { CChar(bitPattern: $0) } + [0], &raw) == 0 else { throw Failure(number: errno) }
        return Status(raw)
    }

    static func status(of descriptor: Int32) throws(Failure) -> Status {
        var raw = stat()
        guard fstat(descriptor, &raw) == 0 else { throw Failure(number: errno) }
        return Status(raw)
    }

    /// The names in a folder but `.` and `..`, as bytes, in no order.
    static func names(in folder: String) throws(Failure) -> [[UInt8]] {
        var names: [[UInt8]] = []
        try eachName(in: folder) { names.append(Array($0)) }
        return names
    }

    /// The same, one by one.
    static func eachName(in folder: String, _ body: (UnsafeRawBufferPointer) -> Void) throws(Failure) {
        try eachName(of: opendir(folder), body)
    }

    private static func eachName(
        of stream: OpaquePointer?, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(Failure) {
        guard let stream else { throw Failure(number: errno) }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw Failure(number: errno) }
                return
            }
            withUnsafeBytes(of: &entry.pointee.d_name) { field in
                let name = UnsafeRawBufferPointer(rebasing: field.prefix { $0 != 0 })
                let isDots = name.count <= 2 && name.allSatisfy { $0 == UInt8(ascii: ".") }
                if !isDots { body(name) }
            }
        }
    }

    /// Everything below a folder, whatever its name; what cannot be read is passed over, and no link is followed.
    /// - Parameters:
    ///   - folder: in any coding.
    ///   - omitted: a name that is passed over with all that is below.
    ///   - body: gives false when it has seen enough.
    static func walk(_ folder: [UInt8], except omitted: String, _ body: (Status) -> Bool) {
        var folders = [folder]
        while let folder = folders.popLast() {
            var names: [[UInt8]] = []
            try? eachName(of: opendir(folder.map { CChar(bitPattern: $0) } + [0])) { names.append(Array($0)) }
            for name in names where !name.elementsEqual(omitted.utf8) {
                let path = folder + [UInt8(ascii: "/")] + name
                guard let status = try? status(path) else { continue }
                guard body(status) else { return }
                if status.kind == .folder { folders.append(path) }
            }
        }
    }

    // MARK: Names

    /// Fails with `EEXIST` when something has the new name.
    static func renameExclusively(_ old: String, to new: String) throws(Failure) {
        guard let failure = renameSpecially(old, new, .exclusively) else { return }
        guard failure.isUnsupported else { throw failure }
        if try status(old).kind != .folder {
            // Such file systems still refuse a second name that is taken.
            if link(old, new) == 0 { return try removeFile(old) }
            let failure = Failure(number: errno)
            guard failure.isUnsupported else { throw failure }
            // Without links the name is taken by an empty file, which the rename replaces.
            close(try open(new, for: .creating))
            guard rename(old, new) == 0 else {
                let failure = Failure(number: errno)
                try? removeFile(new)
                throw failure
            }
        } else {
            if (try? status(new)) != nil { throw .exists }
            guard rename(old, new) == 0 else { throw Failure(number: errno) }
        }
    }

    /// Exchanges the names of two files, in one step where the file system can. False where it can neither do that nor
    /// make a link: then nothing has happened.
    static func exchange(_ first: String, _ second: String) throws(Failure) -> Bool {
        guard let failure = renameSpecially(first, second, .exchanging) else { return true }
        guard failure.isUnsupported else { throw failure }
        // At every moment the second name leads to a complete file, and the old one has a name, too.
        let kept = "\(first).old"
        guard link(second, kept) == 0 else {
            let failure = Failure(number: errno)
            guard failure.isUnsupported else { throw failure }
            return false
        }
        guard rename(first, second) == 0 else { throw Failure(number: errno) }
        guard rename(kept, first) == 0 else { throw Failure(number: errno) }
        return true
    }

    private enum Manner { case exclusively, exchanging }

    #if canImport(Glibc)
        private typealias Rename =
            @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32

        /// Of glibc since 2.28; its header shows it only with GNU extensions.
        private static let renameat2: Rename? = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: Rename.self) }

        /// Nil when it is done.
        private static func renameSpecially(_ old: String, _ new: String, _ manner: Manner) -> Failure? {
            guard let renameat2 else { return Failure(number: ENOSYS) }
            let flag: UInt32 = manner == .exclusively ? 1 : 2  // RENAME_NOREPLACE, RENAME_EXCHANGE
            return renameat2(AT_FDCWD, old, AT_FDCWD, new, flag) == 0 ? nil : Failure(number: errno)
        }
    #else
        private static func renameSpecially(_ old: String, _ new: String, _ manner: Manner) -> Failure? {
            let flag = UInt32(manner == .exclusively ? RENAME_EXCL : RENAME_SWAP)
            return renamex_np(old, new, flag) == 0 ? nil : Failure(number: errno)
        }
    #endif

    static func makeFolder(_ path: String, mode: UInt32 = 0o777) throws(Failure) {
        guard mkdir(path, mode_t(mode)) == 0 else { throw Failure(number: errno) }
    }

    /// Only an empty one.
    static func removeFolder(_ path: String) throws(Failure) {
        guard rmdir(path) == 0 else { throw Failure(number: errno == EEXIST ? ENOTEMPTY : errno) }
    }

    static func setRights(_ rights: UInt32, of path: String) throws(Failure) {
        guard chmod(path, mode_t(rights)) == 0 else { throw Failure(number: errno) }
    }

    /// Sets the rights of a file, where the file system knows any.
    static func setRightsIfPossible(_ rights: UInt32, of path: String) throws(Failure) {
        do { try setRights(rights, of: path) } catch { guard error.isUnsupported else { throw error } }
    }

    static func removeFile(_ path: String) throws(Failure) {
        guard unlink(path) == 0 else { throw Failure(number: errno) }
    }

    // MARK: Bytes

    enum Use { case reading, writing, creating, appending, locking }

    /// A descriptor, to be closed with `close`. Links are not followed, and nothing waits for the other end of a pipe.
    static func open(_ path: String, for use: Use) throws(Failure) -> Int32 {
        let flags =
            switch use {
            case .reading: O_RDONLY | O_NONBLOCK
            case .writing: O_WRONLY | O_CREAT | O_TRUNC
            case .creating: O_WRONLY | O_CREAT | O_EXCL
            case .appending: O_WRONLY | O_CREAT | O_APPEND
            case .locking: O_RDWR | O_CREAT
            }
        #if canImport(Glibc)
            let descriptor = Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW, mode_t(use == .locking ? 0o600 : 0o666))
        #else
            let descriptor = Darwin.open(path, flags | O_CLOEXEC | O_NOFOLLOW, mode_t(use == .locking ? 0o600 : 0o666))
        #endif
        guard descriptor >= 0 else { throw Failure(number: errno) }
        return descriptor
    }

    static func close(_ descriptor: Int32) {
        #if canImport(Glibc)
            _ = Glibc.close(descriptor)
        #else
            _ = Darwin.close(descriptor)
        #endif
    }

    /// Up to so many bytes; none at the end.
    static func read(_ descriptor: Int32, upTo maxBytes: Int) throws(Failure) -> [UInt8] {
        var failure: Failure?
        let bytes = [UInt8](unsafeUninitializedCapacity: maxBytes) { buffer, count in
            while true {
                #if canImport(Glibc)
                    let result = Glibc.read(descriptor, buffer.baseAddress, maxBytes)
                #else
                    let result = Darwin.read(descriptor, buffer.baseAddress, maxBytes)
                #endif
                if result >= 0 {
                    count = result
                    return
                }
                guard errno == EINTR else {
                    failure = Failure(number: errno)
                    return
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
        var offset = 0
        while offset < bytes.count {
            let result = bytes.withUnsafeBytes { buffer in
                let start = buffer.baseAddress?.advanced(by: offset)
                #if canImport(Glibc)
                    return Glibc.write(descriptor, start, bytes.count - offset)
                #else
                    return Darwin.write(descriptor, start, bytes.count - offset)
                #endif
            }
            if result >= 0 { offset += result } else if errno != EINTR { throw Failure(number: errno) }
        }
    }

    /// Makes what was written survive a loss of power, and of a folder the names in it, where the file system knows
    /// that.
    static func flush(_ descriptor: Int32) throws(Failure) {
        guard fsync(descriptor) != 0 else { return }
        let failure = Failure(number: errno)
        guard failure.isUnsupported else { throw failure }
    }

    /// Of a file or a folder.
    static func flush(_ path: String) throws(Failure) {
        let descriptor = try open(path, for: .reading)
        defer { close(descriptor) }
        try flush(descriptor)
    }

    /// Sets the time of the last change. A file system that knows none, or not that one, leaves it as it is.
    /// - Parameter seconds: since 1970.
    static func setModified(_ seconds: Int64, of descriptor: Int32) throws(Failure) {
        let stamp = timespec(tv_sec: Int(clamping: seconds), tv_nsec: 0)
        let times = [stamp, stamp]
        guard futimens(descriptor, times) != 0 else { return }
        let failure = Failure(number: errno)
        guard failure.isUnsupported || failure.isBeyondRange else { throw failure }
    }

    /// False when another process holds the lock. It ends with the descriptor, also when the process is killed.
    static func lock(_ descriptor: Int32) throws(Failure) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw Failure(number: errno) }
        return false
    }

    /// Before a descriptor with a lock is closed: a child that another thread starts at that moment has a copy of it,
    /// and a copy keeps the lock.
    static func unlock(_ descriptor: Int32) { flock(descriptor, LOCK_UN) }

    /// Of the file system of a path, in bytes: what a user without privileges can still write, and all that it holds.
    private static func space(at path: String) throws(Failure) -> (freeBytes: Int64, totalBytes: Int64) {
        var raw = statvfs()
        guard statvfs(path, &raw) == 0 else { throw Failure(number: errno) }
        func bytes(_ blocks: UInt64) -> Int64 {
            let (bytes, isTooMany) = blocks.multipliedReportingOverflow(by: UInt64(raw.f_frsize))
            return isTooMany ? .max : Int64(clamping: bytes)
        }
        return (bytes(UInt64(raw.f_bavail)), bytes(UInt64(raw.f_blocks)))
    }

    /// What downloads may take of it, in bytes: what is free but a reserve for all else that is written to the disk; of
    /// a small one a fiftieth.
    static func room(at path: String) throws(Failure) -> Int64 {
        let disk = try space(at: path)
        return disk.freeBytes - min(16 << 20, disk.totalBytes / 50)
    }

    /// Nanoseconds since 1970.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(clampedSeconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }
}

extension FileCalls.Status {
    fileprivate init(_ raw: stat) {
        switch raw.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .folder
        case S_IFLNK: kind = .link
        default: kind = .other
        }
        device = UInt64(truncatingIfNeeded: raw.st_dev)
        inode = UInt64(raw.st_ino)
        size = Int64(raw.st_size)
        rights = UInt32(raw.st_mode) & 0o7777
        #if canImport(Glibc)
            let (modified, changed) = (raw.st_mtim, raw.st_ctim)
        #else
            let (modified, changed) = (raw.st_mtimespec, raw.st_ctimespec)
        #endif
        self.modified = Int64(clampedSeconds: Int64(modified.tv_sec), nanoseconds: Int64(modified.tv_nsec))
        self.changed = Int64(clampedSeconds: Int64(changed.tv_sec), nanoseconds: Int64(changed.tv_nsec))
    }
}
