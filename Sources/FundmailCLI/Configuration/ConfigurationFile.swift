import FundCore
import Glibc
import Terminal

/// A configuration on disk that is changed while its owner may look at it: readers see the old text or the new one,
/// also after a power cut.
struct ConfigurationFile {
    /// Where the file is, links followed.
    let path: String
    let bytes: [UInt8]
    private let status: stat

    /// Throws `CommandError` when it cannot be read.
    init(_ file: String) throws {
        guard let resolved = realpath(file, nil) else { throw Self.error(file, "cannot be read", errno) }
        defer { free(resolved) }
        path = String(cString: resolved)
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CommandError(.configuration, "\(file) is no plain file.")
        }
        self.status = status
        do { bytes = try WholeFile.read(path, maxBytes: ConfigurationNode.maxFileBytes) } catch {
            throw CommandError(.configuration, "\(file) cannot be read: \(error.problem).")
        }
    }

    var folder: String { path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "." }

    /// With mode and owner of the old file (rename(2)). Throws `CommandError` when the folder cannot be written, the
    /// owner cannot be kept, or the file is not what was read any more; then nothing is changed.
    func replace(with text: String) throws {
        let new = folder + "/" + DiskDirectory.uniqueName(prefix: ".fundmail")
        try Self.write(Array(text.utf8), to: new, as: status)
        var isDone = false
        defer { if !isDone { unlink(new) } }
        guard let now = try? WholeFile.read(path, maxBytes: ConfigurationNode.maxFileBytes), now == bytes else {
            throw CommandError(.temporary, "\(path) was changed by another at the same moment; try again.")
        }
        // Opened before: what is renamed has taken effect, whether or not the disk says so.
        let folder = try Self.open(folder: folder)
        defer { close(folder) }
        guard rename(new, path) == 0 else { throw Self.error(path, "cannot be replaced", errno) }
        isDone = true
        _ = fsync(folder)
    }

    /// A new file with mode 0600 and the owner of this one. Throws `CommandError` when there is a file of that name, or
    /// others can write to the folder.
    /// - Parameter folder: is made, 0700, when it is not there.
    func writeSecret(_ text: String, named name: String, in folder: String) throws {
        let made = mkdir(folder, 0o700) == 0
        guard made || errno == EEXIST else { throw Self.error(folder, "cannot be made", errno) }
        if made, chmod(folder, 0o700) != 0 || !keepsOwner(of: folder) {
            throw Self.error(folder, "cannot be given its mode and owner", errno)
        }
        var found = stat()
        guard lstat(folder, &found) == 0, found.st_mode & S_IFMT == S_IFDIR, found.st_mode & 0o022 == 0 else {
            throw CommandError(.configuration, "\(folder) is no folder that only its owner can write to.")
        }
        var status = status
        status.st_mode = S_IFREG | 0o600
        let path = "\(folder)/\(name)"
        try Self.write(Array(text.utf8), to: path, as: status)
        do {
            try Self.sync(folder: folder)
            try Self.sync(folder: self.folder)
        } catch {
            unlink(path)
            throw error
        }
    }

    private func keepsOwner(of folder: String) -> Bool {
        geteuid() != 0 || chown(folder, status.st_uid, status.st_gid) == 0
    }

    private static func write(_ bytes: [UInt8], to path: String, as status: stat) throws {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw error(path, "cannot be written", errno) }
        var isDone = false
        defer {
            close(descriptor)
            if !isDone { unlink(path) }
        }
        var own = stat()
        guard fstat(descriptor, &own) == 0 else { throw error(path, "cannot be written", errno) }
        if own.st_uid != status.st_uid || own.st_gid != status.st_gid,
            fchown(descriptor, status.st_uid, status.st_gid) != 0
        {
            throw error(path, "cannot be given its owner", errno)
        }
        let isWritten = bytes.withUnsafeBytes {
            SystemCall.writeAll($0) { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        }
        guard isWritten, fchmod(descriptor, status.st_mode & 0o7777) == 0, fsync(descriptor) == 0 else {
            throw error(path, "cannot be written", errno)
        }
        isDone = true
    }

    private static func open(folder: String) throws -> Int32 {
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw error(folder, "cannot be opened", errno) }
        return descriptor
    }

    private static func sync(folder: String) throws {
        let descriptor = try open(folder: folder)
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw error(folder, "cannot be written", errno) }
    }

    private static func error(_ path: String, _ problem: String, _ code: Int32) -> CommandError {
        CommandError(.cannotCreate, "\(path) \(problem): \(SystemText.of(code)).")
    }
}
