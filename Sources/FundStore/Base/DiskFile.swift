internal import Glibc
import FundCore

/// Files and folders by their paths: what stands there, making, copying, renaming, and making durable.
enum DiskFile {
    /// Kind of a file, in words of people.
    enum Kind: String, Sendable, CustomStringConvertible {
        case file = "a file"
        case folder = "a folder"
        case link = "a symbolic link"
        case pipe = "a pipe"
        case socket = "a socket"
        case device = "a device"

        init(_ status: stat) {
            self =
                switch status.st_mode & S_IFMT {
                case S_IFREG: .file
                case S_IFDIR: .folder
                case S_IFLNK: .link
                case S_IFIFO: .pipe
                case S_IFSOCK: .socket
                default: .device
                }
        }

        var description: String { rawValue }
    }

    // MARK: What stands there

    /// Status of what stands there itself, not behind a link; nil with errno(3) when there is nothing.
    private static func status(of path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    /// Kind of what stands there itself, not behind a link; nil with errno(3) when there is nothing.
    static func kind(of path: String) -> Kind? { status(of: path).map(Kind.init) }

    /// Whether there is a folder itself, not a link to one.
    static func isFolder(_ path: String) -> Bool { kind(of: path) == .folder }

    /// Whether a folder stands there or behind a link: a log may stand on another disk.
    static func leadsToFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && Kind(status) == .folder
    }

    /// Bytes of a regular file, nil when there is none.
    static func size(of path: String) -> Int64? {
        guard let status = status(of: path), Kind(status) == .file else { return nil }
        return Int64(status.st_size)
    }

    /// Bytes that a file takes of the disk, its holes left out; 0 when there is none.
    static func diskBytes(of path: String) -> Int64 { status(of: path).map(diskBytes) ?? 0 }

    /// Bytes that a file takes of the disk. The unit of `st_blocks` is 512 bytes, whatever the disk (inode(7)).
    static func diskBytes(_ status: stat) -> Int64 { Int64(status.st_blocks) * 512 }

    /// Time of the last write to a file. Throws `DiskError`.
    static func modified(_ path: String) throws(DiskError) -> Timestamp {
        guard let status = status(of: path) else { throw DiskError("look at", path) }
        return Timestamp(Int64(status.st_mtim.tv_sec))
    }

    // MARK: Changes

    /// Opens a file that has one name for ever, to read and write; made with mode 0600 if it is not there, whatever the
    /// umask says. SQLite gives the mode and owner of the database to its -wal and -shm files.
    ///
    /// - Parameter isNew: throws where there is one already.
    static func open(_ path: String, owner: FileOwner?, isNew: Bool = false) throws(DiskError) -> Int32 {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW
        let made = Glibc.open(path, flags | O_CREAT | O_EXCL, 0o600)
        guard made >= 0 else {
            guard errno == EEXIST, !isNew else { throw DiskError("create", path) }
            let found = Glibc.open(path, flags, 0)
            guard found >= 0 else { throw DiskError("open", path) }
            return found
        }
        do throws(DiskError) {
            // Disks of others may have no modes.
            guard fchmod(made, 0o600) == 0 || owner == nil && [EPERM, ENOTSUP, ENOSYS].contains(errno) else {
                throw DiskError("set the mode of", path)
            }
            try owner?.take(made, path: path)
            return made
        } catch {
            close(made)
            throw error
        }
    }

    /// Copies a file to a path where there is none, or over the beginning of the file there; throws as `write`.
    static func copy(_ source: String, to target: String, owner: FileOwner? = nil, isNew: Bool = false) throws {
        try write(target, owner: owner, isNew: isNew) { append in try FileBytes.read(source, append) }
    }

    /// Writes a file where there is none, or the beginning of the file there; durable afterwards. What it made is
    /// removed when it throws. Throws `DiskError`, and what `body` throws, which passes the bytes to its argument.
    ///
    /// - Parameter isNew: throws where there is a file already.
    static func write(
        _ path: String, owner: FileOwner? = nil, isNew: Bool = true,
        _ body: (_ append: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        let isMade = isNew || kind(of: path) == nil
        let descriptor = try open(path, owner: owner, isNew: isNew)
        defer { close(descriptor) }
        do {
            try body { try SpoolWriter.writeAll($0, to: descriptor, path: path) }
            guard fsync(descriptor) == 0 else { throw DiskError("sync", path) }
        } catch {
            if isMade { unlink(path) }
            throw error
        }
    }

    static func rename(_ path: String, to target: String) throws(DiskError) {
        guard Glibc.rename(path, target) == 0 else { throw DiskError("rename to", target) }
    }

    /// Removes a folder with the files that lie in it, as far as that can be done.
    static func removeFolder(_ path: String) {
        for name in (try? DiskDirectory.names(in: path)) ?? [] { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// Makes a file durable (fsync(2)).
    static func sync(_ path: String) throws(DiskError) { try sync(path, O_RDONLY) }

    /// Makes the names in a folder durable.
    static func syncNames(in folder: String) throws(DiskError) { try sync(folder, O_RDONLY | O_DIRECTORY) }

    private static func sync(_ path: String, _ flags: Int32) throws(DiskError) {
        let file = Glibc.open(path, flags | O_CLOEXEC, 0)
        guard file >= 0 else { throw DiskError("open", path) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw DiskError("sync", path) }
    }
}
