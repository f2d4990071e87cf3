internal import Glibc
import Ingest

/// Where things stand in a store's folder. Folders 0700 and files 0600, whatever the umask.
struct StoreLayout: Sendable {
    let root: String

    var database: String { "\(root)/fundmail.sqlite" }
    var temporary: String { "\(root)/tmp" }
    var lost: String { "\(root)/lost" }
    var serverKey: String { "\(root)/server.key" }
    var runLock: String { "\(root)/run.lock" }
    var writeLock: String { "\(root)/write.lock" }

    func raw(_ digest: ContentDigest) -> String { "\(root)/raw/\(Self.fanOut(digest)).eml" }
    func blob(_ digest: ContentDigest) -> String { "\(root)/blobs/\(Self.fanOut(digest))" }

    /// `ab/cdef…`: 256 folders keep each one small.
    static func fanOut(_ digest: ContentDigest) -> String {
        let hex = digest.hex
        return "\(hex.prefix(2))/\(hex.dropFirst(2))"
    }

    /// Makes what is missing of the folders.
    func create() throws(SpoolError) {
        try Folder.makeAll(upTo: root, isPrivate: true)
        for name in ["tmp", "lost", "raw", "blobs"] { try Folder.make("\(root)/\(name)", isPrivate: true) }
        let digits = Array("0123456789abcdef")
        for high in digits {
            for low in digits {
                try Folder.make("\(root)/raw/\(high)\(low)", isPrivate: true)
                try Folder.make("\(root)/blobs/\(high)\(low)", isPrivate: true)
            }
        }
    }

    /// Makes the file with mode 0600, so that SQLite gives the same to its -wal and -shm files.
    static func touch(_ path: String) throws(SpoolError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SpoolError("create", path) }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw SpoolError("set the mode of", path) }
    }

    /// Bytes of a regular file, nil when there is none.
    static func size(of path: String) -> Int64? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    /// A folder itself, not a link to one.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
