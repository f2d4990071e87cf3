internal import GRDB
internal import Glibc
import FundCore
internal import Synchronization

/// The database of a store that this process cannot write to: a read-only file system, or a folder of another user.
///
/// SQLite reads a database with a write-ahead log only where it can write beside it, or where a -shm file is left over
/// from the writer (https://www.sqlite.org/wal.html#read_only_databases).
final class SnapshotDatabase: Sendable {
    private let location: StoreLocation
    /// A private copy, when there must be one.
    private let folder: String

    init(of location: StoreLocation) throws {
        self.location = location
        let root = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        folder = "\(root)/\(DiskDirectory.uniqueName(prefix: "fundmail-snapshot"))"
    }

    deinit { DiskFile.removeFolder(folder) }

    /// Private copies to be removed at exit(3), which does not run `deinit`.
    private static let copies = Mutex<Set<String>>([])

    private static let removesAtExit: Void = {
        atexit { for folder in SnapshotDatabase.copies.withLock(\.self) { DiskFile.removeFolder(folder) } }
    }()

    /// Gives `body` a path, or a URI, that SQLite can open.
    func open<Value>(_ body: (_ path: String) throws -> Value) throws -> Value {
        do { return try body(location.database) } catch let error as DatabaseError {
            let lacksMemory = [.SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMMAP].contains(error.extendedResultCode)
            guard lacksMemory || [.SQLITE_CANTOPEN, .SQLITE_READONLY].contains(error.resultCode) else { throw error }
        }
        // Without a log the file is whole and no process writes to it: a writer would have made a log.
        guard (DiskFile.size(of: location.writeAheadLog) ?? 0) > 0 else { return try body(immutableURI) }
        _ = Self.removesAtExit
        Self.copies.withLock { _ = $0.insert(folder) }
        try DiskDirectory.make(folder, isPrivate: true)
        let copied = StoreLocation(root: folder)
        try copy(location.database, to: copied.database)
        try copy(location.writeAheadLog, to: copied.writeAheadLog)
        return try body(copied.database)
    }

    /// https://www.sqlite.org/uri.html#uriimmutable
    private var immutableURI: String {
        let special: [Unicode.Scalar: String] = ["%": "%25", "?": "%3f", "#": "%23"]
        return "file:\(location.database.unicodeScalars.map { special[$0] ?? String($0) }.joined())?immutable=1"
    }

    private func copy(_ path: String, to target: String) throws {
        let descriptor = Glibc.open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw DiskError("create", target) }
        defer { close(descriptor) }
        try FileBytes.read(path) { try SpoolWriter.writeAll($0, to: descriptor, path: target) }
    }
}
