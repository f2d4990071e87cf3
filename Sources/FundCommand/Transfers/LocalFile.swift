internal import Foundation
internal import Glibc

/// A file that is being written: under another name, until it is whole. Used by one task at a time.
final class LocalFile {
    /// So many names are tried for one that is free.
    private static let maxTries = 100

    let path: String
    private let unfinished: String
    private let descriptor: Int32
    private var isDone = false

    /// Throws `CommandError` when the file cannot be made, or is there and may not be replaced.
    init(at path: String, replaces: Bool) throws {
        self.path = path
        if !replaces, Self.exists(path) { throw Self.taken(path) }
        let folder = (path as NSString).deletingLastPathComponent
        var tries = 0
        while true {
            // Short, so that a name of any length has an unfinished one.
            let name = ".\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).fund-part"
            let unfinished = (folder as NSString).appendingPathComponent(name)
            let descriptor = open(unfinished, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if descriptor >= 0 {
                (self.unfinished, self.descriptor) = (unfinished, descriptor)
                return
            }
            tries += 1
            guard errno == EEXIST || errno == EINTR, tries < Self.maxTries else { throw Self.failure(path) }
        }
    }

    deinit {
        close(descriptor)
        if !isDone { unlink(unfinished) }
    }

    func write(_ bytes: [UInt8]) throws {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                Glibc.write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure(path) }
            written += count
        }
    }

    /// Throws away what was written.
    func beginAnew() throws {
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.failure(path) }
    }

    /// Gives the file its name, when its bytes are on the disk.
    /// - Parameter date: of its last change.
    func finish(date: Date?, replaces: Bool) throws {
        if let date {
            let time = timespec(tv_sec: Int(date.timeIntervalSince1970), tv_nsec: 0)
            var times = [time, time]
            _ = futimens(descriptor, &times)
        }
        guard fsync(descriptor) == 0 else { throw Self.failure(path) }
        if replaces {
            guard rename(unfinished, path) == 0 else { throw Self.failure(path) }
        } else {
            try linkExclusively()
        }
        isDone = true
        let folder = open((path as NSString).deletingLastPathComponent, O_RDONLY | O_CLOEXEC)
        if folder >= 0 {
            _ = fsync(folder)
            close(folder)
        }
    }

    /// A file that came to be in the meantime stays.
    private func linkExclusively() throws {
        if link(unfinished, path) == 0 {
            unlink(unfinished)
            return
        }
        guard errno != EEXIST else { throw Self.taken(path) }
        // A file system without hard links (FAT): what is there now is looked for just before.
        guard !Self.exists(path) else { throw Self.taken(path) }
        guard rename(unfinished, path) == 0 else { throw Self.failure(path) }
    }

    static func exists(_ path: String) -> Bool {
        var state = stat()
        return lstat(path, &state) == 0
    }

    private static func taken(_ path: String) -> CommandError {
        CommandError(.refused, "\(path) is there already; --replace would overwrite it.")
    }

    private static func failure(_ path: String) -> CommandError {
        errno == ENOSPC || errno == EDQUOT
            ? CommandError(.cannotCreate, "No space is left for \(path); make room and run the same command again.")
            : CommandError(.cannotCreate, "\(path) cannot be written: \(String(cString: strerror(errno))).")
    }
}
