internal import Foundation

/// Calls on names of this machine. Every failure is a `ClientError` (`noSpaceHere` or `local`).
enum LocalFiles {
    /// Of the name itself, not of what a link leads to; nil where nothing has that name.
    static func status(_ path: String) throws(ClientError) -> FileStat? {
        do {
            return FileStat(try FileCalls.status(path))
        } catch {
            if error.isMissing { return nil }
            throw ClientError(errno: error.number, path)
        }
    }

    /// With the folders above it; those that are made are open to their user alone.
    static func makeFolder(_ path: String) throws(ClientError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, path.contains("/") else { throw ClientError(errno: errno, path) }
        let above = folder(of: path)
        guard above != path else { throw ClientError(errno: ENOENT, path) }
        try makeFolder(above)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw ClientError(errno: errno, path) }
    }

    /// Its names are on the disk when this returns.
    static func flushFolder(_ path: String) throws(ClientError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ClientError(errno: errno, path) }
        defer { close(descriptor) }
        // Some network file systems know no such thing.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else {
            throw ClientError(errno: errno, path)
        }
    }

    /// Gives a file another name, in place of what has that.
    static func replace(_ other: String, with path: String) throws(ClientError) {
        guard rename(path, other) == 0 else { throw ClientError(errno: errno, other) }
    }

    /// Gives a file another name, if that is free. False where it is taken; then nothing has happened.
    static func renameIfFree(_ path: String, to other: String) throws(ClientError) -> Bool {
        if link(path, other) == 0 {
            try remove(path)
            return true
        }
        if errno == EEXIST { return false }
        guard errno == EPERM || errno == ENOTSUP || errno == ENOSYS || errno == EMLINK else {
            throw ClientError(errno: errno, other)
        }
        // A file system without hard links: the name is taken by an empty file, which the rename replaces.
        do {
            _ = try OpenFile(other, .create)
        } catch {
            if error.isNameTaken { return false }
            throw error
        }
        try replace(other, with: path)
        return true
    }

    /// Nothing happens where there is none.
    static func remove(_ path: String) throws(ClientError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw ClientError(errno: errno, path) }
    }

    /// What downloads may take of the disk of a folder, in bytes.
    static func room(at folder: String) throws(ClientError) -> Int64 {
        do { return try FileCalls.room(at: folder) } catch { throw ClientError(errno: error.number, folder) }
    }

    /// Names in a folder, in no order; none where there is no such folder.
    static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

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
