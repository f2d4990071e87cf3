internal import Glibc
import Ingest

/// Where things stand in a store's folder. Folders 0700 and files 0600, whatever the umask.
struct StoreLayout: Sendable {
    let root: String

    var database: String { "\(root)/fundmail.sqlite" }
    var temporary: String { "\(root)/tmp" }
    var lost: String { "\(root)/lost" }
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
        try Self.makeFolders(upTo: root)
        for name in ["tmp", "lost", "raw", "blobs"] { try Self.makeFolder("\(root)/\(name)") }
        let digits = Array("0123456789abcdef")
        for high in digits {
            for low in digits {
                try Self.makeFolder("\(root)/raw/\(high)\(low)")
                try Self.makeFolder("\(root)/blobs/\(high)\(low)")
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

    static func makeFolder(_ path: String) throws(SpoolError) {
        if mkdir(path, 0o700) == 0 {
            guard chmod(path, 0o700) == 0 else { throw SpoolError("set the mode of", path) }
        } else if errno != EEXIST {
            throw SpoolError("create", path)
        }
    }

    /// Like `mkdir -p`; only what is made gets the mode.
    private static func makeFolders(upTo path: String) throws(SpoolError) {
        var parent = path.hasPrefix("/") ? "" : "."
        for name in path.split(separator: "/") {
            parent += "/\(name)"
            try makeFolder(parent)
        }
    }

    /// Bytes of a regular file, nil when there is none.
    static func size(of path: String) -> Int64? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    /// Names in a folder, without `.` and `..`; sorted, so that reports come out alike.
    static func names(in folder: String) throws(SpoolError) -> [String] {
        guard let stream = opendir(folder) else { throw SpoolError("list", folder) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
