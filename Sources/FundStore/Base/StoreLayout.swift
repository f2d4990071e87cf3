internal import Glibc
import FundCore

/// The paths in a store's folder. Folders have mode 0700 and files 0600, whatever the umask.
struct StoreLayout: Sendable {
    static let databaseName = "fundmail.sqlite"
    /// A database that is being made from the log, see `DatabaseRebuild`.
    static let draftName = "fundmail.sqlite.rebuild"

    let root: String
    /// Name of the file with the rows.
    var databaseName = databaseName

    var database: String { "\(root)/\(databaseName)" }
    var temporary: String { "\(root)/tmp" }
    var lost: String { "\(root)/lost" }
    var serverKey: String { "\(root)/server.key" }
    /// Held, shared, by each process that has the store open for writing.
    var useLock: String { "\(root)/use.lock" }
    var leases: String { "\(root)/leases" }

    /// Named by hash: names of mailboxes may hold slashes.
    func lease(of mailbox: String) -> String {
        "\(leases)/\(ContentDigest.of(Array(mailbox.utf8)).hex.prefix(32)).lock"
    }

    var writeLock: String { "\(root)/write.lock" }
    var reclaimLock: String { "\(root)/reclaim.lock" }
    /// Bytes that are kept back for when the disk is full, see `StoreSpace`.
    var reserve: String { "\(root)/reserve" }
    var lastReserve: String { "\(root)/reserve.last" }
    var log: String { "\(root)/log" }
    /// What can be made again at any time: not in backups, and may be deleted while nothing uses the store.
    var cache: String { "\(root)/cache" }
    var previewDatabase: String { "\(cache)/previews.sqlite" }
    var renditions: String { "\(cache)/renditions" }

    /// Whether a directory, which need not be there yet, is the store's or lies in it.
    func contains(_ directory: String) -> Bool {
        guard let real = DiskDirectory.realPath(directory), let root = DiskDirectory.realPath(root) else {
            return false
        }
        return real == root || real.hasPrefix(root + "/")
    }

    /// Makes what is missing of the folders.
    ///
    /// - Parameter hasLog: false leaves `log` out.
    func create(hasLog: Bool = true) throws(SpoolError) {
        try DiskDirectory.makeAll(upTo: root, isPrivate: true)
        let owner = FileOwner(of: root)
        for name in ["tmp", "lost"] + (hasLog ? ["log"] : []) {
            try DiskDirectory.make("\(root)/\(name)", isPrivate: true, owner: owner)
        }
    }

    /// Checks that a large file, which comes into `tmp`, can get its name in `log` by link(2), which knows no way to
    /// another disk. Throws `invalid` where it cannot.
    func checkDisks(_ operation: String) throws {
        var (first, second) = (stat(), stat())
        guard stat(temporary, &first) == 0, stat(log, &second) == 0, first.st_dev != second.st_dev else { return }
        throw Self.otherDisk(log, operation, .invalid)
    }

    /// The error for a log to which no file of the store can be linked.
    static func otherDisk(_ log: String, _ operation: String, _ code: StoreError.Code) -> StoreError {
        StoreError(
            code, operation,
            "\(log) is on another disk than the rest of the store, or mounted by itself, and files could not be moved "
                + "there in one step: move all of the store to that disk (a link to its folder will do)")
    }

    /// A file of the store that has one name for ever, to read and write; made with mode 0600 if it is not there,
    /// whatever the umask says. SQLite gives the mode and owner of the database to its -wal and -shm files.
    static func open(_ path: String, owner: FileOwner?) throws(SpoolError) -> Int32 {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW
        let made = Glibc.open(path, flags | O_CREAT | O_EXCL, 0o600)
        guard made >= 0 else {
            guard errno == EEXIST else { throw SpoolError("create", path) }
            let found = Glibc.open(path, flags, 0)
            guard found >= 0 else { throw SpoolError("open", path) }
            return found
        }
        do throws(SpoolError) {
            guard fchmod(made, 0o600) == 0 else { throw SpoolError("set the mode of", path) }
            try owner?.take(made, path: path)
            return made
        } catch {
            close(made)
            throw error
        }
    }

    /// Bytes of a regular file, nil when there is none.
    static func size(of path: String) -> Int64? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    /// Bytes that a file takes of the disk, its holes left out; 0 when there is none.
    static func diskBytes(of path: String) -> Int64 {
        var status = stat()
        return lstat(path, &status) == 0 ? Int64(status.st_blocks) * 512 : 0
    }

    /// A folder itself, not a link to one.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
