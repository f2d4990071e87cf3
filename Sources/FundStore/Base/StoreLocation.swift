internal import Glibc
import FundCore

/// The folder of a store, with the names of all that lies in it. Folders have mode 0700 and files 0600, whatever the
/// umask.
struct StoreLocation: Sendable {
    static let databaseName = "fundmail.sqlite"
    /// Name of a database that is being made from the log, see `DatabaseRebuild`.
    static let draftName = "\(databaseName).rebuild"
    static let keyName = "server.key"
    static let (logName, lostName) = ("log", "lost")
    /// Name of the file that says where rows are which are not in the folder, see `StorePlaces`.
    static let placesName = "places.json"
    private static let (temporaryName, cacheName, statesName, leasesName) = ("tmp", "cache", "states", "leases")
    private static let (reserveName, lastReserveName) = ("reserve", "reserve.last")
    private static let lockSuffix = ".lock"

    let root: String
    /// Name of the file with the rows.
    var databaseName = databaseName

    var database: String { path(databaseName) }
    /// Rows that SQLite has not moved into the database yet.
    var writeAheadLog: String { "\(database)-wal" }
    /// Memory that SQLite shares among processes.
    var sharedMemory: String { "\(database)-shm" }
    /// Rows as they were before an update of which the last step is not known to be taken, see `StoreUpdate`.
    var updateCopy: String { "\(database).update" }
    /// Rows on their way from a server into the folder, see `FileCopy`.
    var migrationDraft: String { "\(database).migrating" }
    /// Rows as they were before the update from this schema.
    func earlierRows(ofSchema number: Int) -> String { "\(database)\(Self.earlierRowsInfix)\(number)" }
    /// The number in the name of such a file; nil for another name.
    static func schema(ofEarlierRows name: String) -> Int? {
        let prefix = databaseName + earlierRowsInfix
        return name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)) : nil
    }
    private static let earlierRowsInfix = ".schema-"
    var places: String { path(Self.placesName) }
    /// Segments, one file each.
    var log: String { path(Self.logName) }
    /// `log` without links.
    var realLog: String { DiskDirectory.realPath(log) ?? log }
    /// Large records and uploads while they come; swept when a run begins.
    var temporary: String { path(Self.temporaryName) }
    /// Files that a repair has put aside.
    var lost: String { path(Self.lostName) }
    var serverKey: String { path(Self.keyName) }
    /// Bytes that are kept back for when the disk is full, see `StoreSpace`.
    var reserve: String { path(Self.reserveName) }
    var lastReserve: String { path(Self.lastReserveName) }
    /// Files that can be made again at any time: not in backups, and may be deleted while nothing uses the store.
    var cache: String { path(Self.cacheName) }
    var previewDatabase: String { "\(cache)/previews.sqlite" }
    /// Lock of each transaction of the previews' database.
    var previewWriteLock: String { "\(cache)/write.lock" }
    /// Lock of making previews.
    var previewWorkLock: String { "\(cache)/work.lock" }
    /// Blocks of segments that lie in an object store.
    var segmentCache: String { "\(cache)/segments" }
    /// Segments that are on their way from an object store.
    var fetched: String { "\(temporary)/fetched" }
    var renditions: String { "\(cache)/renditions" }
    /// Older states of the database, in the folder of a backup.
    var states: String { path(Self.statesName) }

    /// Lock of each transaction, checkpoint, opening and closing.
    var writeLock: String { path("write\(Self.lockSuffix)") }
    /// Lock of each process that has the store open for writing, shared.
    var useLock: String { path("use\(Self.lockSuffix)") }
    /// Lock of giving bytes of the log back to the disk.
    var reclaimLock: String { path("reclaim\(Self.lockSuffix)") }
    /// Lock of handing letters to a server.
    var outboxLock: String { path("outbox\(Self.lockSuffix)") }
    var newsLock: String { path("news\(Self.lockSuffix)") }
    /// Held by the process that carries out transfers between drives and funds.
    var drivesLock: String { path("drives\(Self.lockSuffix)") }
    /// Held by the process that delivers to webhooks.
    var webhooksLock: String { path("webhooks\(Self.lockSuffix)") }
    /// Held by the process that brings segments to an object store and back.
    var bucketLock: String { path("bucket\(Self.lockSuffix)") }
    /// Held by the process that asks for new tokens of a drive.
    func driveTokensLock(of drive: Drive.ID) -> String { "\(leases)/drive-\(drive)\(Self.lockSuffix)" }
    var leases: String { path(Self.leasesName) }

    /// Path of a mailbox's lease, which is named by hash: names of mailboxes may hold slashes.
    func lease(of mailbox: String) -> String {
        "\(leases)/\(ContentDigest.of(Array(mailbox.utf8)).hex.prefix(32))\(Self.lockSuffix)"
    }

    /// Path of an upload that can be resumed, in `temporary`.
    func upload(_ key: String) -> String { "\(temporary)/\(Self.uploadPrefix)\(key)" }

    /// Beginning of the names of such files. No sweep of `temporary` takes them away without asking for their rows.
    static let uploadPrefix = "upload-"
    /// Beginning of the names of `PulledPart`s.
    static let pulledPartPrefix = "pull-"

    /// - Parameter name: in the store, as `log/000003.seg`.
    func path(_ name: String) -> String { "\(root)/\(name)" }

    /// Suffixes of the files of one SQLite database.
    static let databaseSuffixes = ["", "-wal", "-shm"]

    /// Removes a database, where it is there, with the files that SQLite made beside it.
    static func removeDatabase(_ path: String) { for suffix in databaseSuffixes { unlink(path + suffix) } }

    /// Whether a name is that of something which a store or a backup of one has at its top.
    static func isKnown(_ name: String) -> Bool {
        let known = [
            logName, lostName, keyName, temporaryName, cacheName, statesName, leasesName, reserveName, lastReserveName,
        ]
        return known.contains(name) || [databaseName, placesName].contains { name.hasPrefix($0) }
            || name.hasSuffix(lockSuffix)
    }

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
    func create(hasLog: Bool = true) throws(DiskError) {
        try DiskDirectory.makeAll(upTo: root, isPrivate: true)
        let owner = FileOwner(of: root)
        for folder in [temporary, lost] + (hasLog ? [log] : []) {
            try DiskDirectory.make(folder, isPrivate: true, owner: owner)
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
}
