internal import Foundation

/// Calls of this machine's system on paths: with `OpenFile` the one place that touches its files. Every failure is a
/// `ClientError` (`noSpaceHere` or `local`) with its `systemCode`.
enum LocalFiles {
    /// Reads the status of the path itself, never of the target of a link.
    static func status(_ path: String) throws(ClientError) -> FileStatus {
        var raw = stat()
        guard lstat(path, &raw) == 0 else { throw ClientError(errno: errno, path) }
        return FileStatus(raw)
    }

    /// Reads the status of a path that may be in any coding.
    static func status(_ path: [UInt8]) throws(ClientError) -> FileStatus {
        var raw = stat()
        guard lstat(path.map { CChar(bitPattern: $0) } + [0], &raw) == 0 else {
            throw ClientError(errno: errno, String(decoding: path, as: UTF8.self))
        }
        return FileStatus(raw)
    }

    /// Reads the status of the path itself; nil where nothing has that name.
    static func existing(_ path: String) throws(ClientError) -> FileStatus? {
        do { return try status(path) } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    // MARK: Folders

    /// Calls the body with each name in a folder but `.` and `..`, as bytes, in no order.
    static func eachName(in folder: String, _ body: (UnsafeRawBufferPointer) -> Void) throws(ClientError) {
        guard eachName(of: opendir(folder), body) else { throw ClientError(errno: errno, folder) }
    }

    /// False, with `errno`, when the folder cannot be read.
    private static func eachName(of stream: OpaquePointer?, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        guard let stream else { return false }
        defer {
            let code = errno
            closedir(stream)
            errno = code
        }
        while true {
            errno = 0
            guard let entry = readdir(stream) else { return errno == 0 }
            withUnsafeBytes(of: &entry.pointee.d_name) { field in
                let name = UnsafeRawBufferPointer(rebasing: field.prefix { $0 != 0 })
                let isDots = name.count <= 2 && name.allSatisfy { $0 == UInt8(ascii: ".") }
                if !isDots { body(name) }
            }
        }
    }

    /// The names in a folder, in no order; none where there is no such folder.
    static func names(in folder: String) -> [String] {
        var names: [String] = []
        try? eachName(in: folder) { names.append(String(decoding: $0, as: UTF8.self)) }
        return names
    }

    /// Visits everything below a folder, whatever its name. Skips what cannot be read, and follows no link.
    /// - Parameters:
    ///   - folder: its path, in any coding.
    ///   - omitted: a name that is skipped with all that is below.
    ///   - body: returns false to end the walk.
    static func walk(_ folder: [UInt8], except omitted: String, _ body: (FileStatus) -> Bool) {
        var folders = [folder]
        while let folder = folders.popLast() {
            var names: [[UInt8]] = []
            _ = eachName(of: opendir(folder.map { CChar(bitPattern: $0) } + [0])) { names.append(Array($0)) }
            for name in names where !name.elementsEqual(omitted.utf8) {
                let path = folder + [UInt8(ascii: "/")] + name
                guard let status = try? status(path) else { continue }
                guard body(status) else { return }
                if status.kind == .folder { folders.append(path) }
            }
        }
    }

    /// Makes one folder; fails when something has its name.
    static func makeFolder(_ path: String, rights: UInt32 = 0o777) throws(ClientError) {
        guard mkdir(path, mode_t(rights)) == 0 else { throw ClientError(errno: errno, path) }
    }

    /// Makes a folder and those above it that are missing, open to their user alone. Succeeds when it exists.
    static func makeFolders(_ path: String) throws(ClientError) {
        do { try makeFolder(path, rights: 0o700) } catch {
            if error.isNameTaken { return }
            let above = folder(of: path)
            guard error.systemCode == ENOENT, path.contains("/"), above != path else { throw error }
            try makeFolders(above)
            do { try makeFolder(path, rights: 0o700) } catch { if !error.isNameTaken { throw error } }
        }
    }

    /// Removes an empty folder.
    static func removeFolder(_ path: String) throws(ClientError) {
        guard rmdir(path) == 0 else { throw ClientError(errno: errno == EEXIST ? ENOTEMPTY : errno, path) }
    }

    /// Removes a file; succeeds where there is none.
    static func remove(_ path: String) throws(ClientError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw ClientError(errno: errno, path) }
    }

    // MARK: Rights and disks

    static func setRights(_ rights: UInt32, of path: String) throws(ClientError) {
        guard chmod(path, mode_t(rights)) == 0 else { throw ClientError(errno: errno, path) }
    }

    /// Sets the rights of a file, where the file system knows any.
    static func setRightsIfPossible(_ rights: UInt32, of path: String) throws(ClientError) {
        do { try setRights(rights, of: path) } catch { guard error.isUnsupported else { throw error } }
    }

    /// Makes the bytes of a file, or the names in a folder, survive a loss of power, where the file system can.
    static func flush(_ path: String) throws(ClientError) {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw ClientError(errno: errno, path) }
        defer { close(descriptor) }
        guard fsync(descriptor) != 0 else { return }
        let error = ClientError(errno: errno, path)
        guard error.isUnsupported else { throw error }
    }

    /// Bytes that downloads may take of the disk of a path: the free ones but a reserve for all else that is written to
    /// the disk; of a small disk a fiftieth.
    static func room(at path: String) throws(ClientError) -> Int64 {
        var raw = statvfs()
        guard statvfs(path, &raw) == 0 else { throw ClientError(errno: errno, path) }
        func bytes(_ blocks: UInt64) -> Int64 {
            let (bytes, isTooMany) = blocks.multipliedReportingOverflow(by: UInt64(raw.f_frsize))
            return isTooMany ? .max : Int64(clamping: bytes)
        }
        return bytes(UInt64(raw.f_bavail)) - min(16 << 20, bytes(UInt64(raw.f_blocks)) / 50)
    }

    /// The system's clock, in nanoseconds since 1970.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(clampedSeconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    // MARK: Paths

    /// The part before the last slash.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The part behind the last slash.
    static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
}
