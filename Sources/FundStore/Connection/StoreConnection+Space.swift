import FundCore
internal import Glibc

/// The part of a nearly full disk that a transaction may use, see `StoreSpace`.
enum WriteRoom {
    /// The free space without the reserve: for every transaction that adds something.
    case free
    /// The reserve as well: for logins, for deletions and purges, and for the state of mailboxes, all of it small.
    case reserve
    /// The last reserve as well: for locking a user out.
    case lastReserve
}

extension StoreConnection {
    /// Runs one transaction. The caller holds the write lock.
    func transact<Value>(
        _ operation: String, _ room: WriteRoom, _ db: Database, _ body: (Database) throws -> Value
    ) throws -> Value {
        try checkRoom(room, operation)
        var hasTruncatedWAL = false
        while true {
            do {
                return try db.transaction {
                    let value = try body(db)
                    try ChangeFeed.publish(db)
                    return value
                }
            } catch  where room != .free && StoreError.isOutOfSpace(error) {
                // The log is most of what was written. To cut it off its pages go into the database, which may have to
                // grow for that. Once: later the log holds only what the failed attempt itself wrote.
                if !hasTruncatedWAL, truncateWAL(db) {
                    hasTruncatedWAL = true
                    continue
                }
                if space.giveUpStep() {
                    truncateWAL(db)
                } else {
                    guard room == .lastReserve, space.giveUpLastStep() else { throw error }
                    // The log's pages are moved only where all of them fit: a part would take this room for nothing.
                    let growth = growth(db)
                    guard growth <= space.free + space.lastHeld else { continue }
                    while growth > space.free, space.giveUpLastStep() {}
                    truncateWAL(db)
                }
            }
        }
    }

    func checkRoom(_ room: WriteRoom, _ operation: String) throws {
        guard room != .free || space.room > 0 else {
            throw StoreError(.outOfSpace, operation, "what is left of the disk is kept for signing in and deleting")
        }
    }

    /// Opens the database, and updates it, also on a full disk: the reserve is given up in steps first. The caller
    /// holds the write lock. Throws `outOfSpace` with what to do when the reserve is not enough.
    static func withReserve<Value>(
        of space: StoreSpace, _ location: StoreLocation, _ operation: String, _ body: () throws -> Value
    ) throws -> Value {
        while true {
            do { return try body() } catch  where StoreError.isOutOfSpace(error) {
                guard !space.giveUpStep(), !space.giveUpLastStep(isOpening: true) else { continue }
                let cache =
                    DiskFile.isFolder(location.cache) ? "\(location.cache) (previews, which are made again) or " : ""
                throw StoreError(
                    .outOfSpace, operation,
                    "opening or updating it takes more than is left of the disk, the store's reserve included: delete "
                        + "\(cache)other files on that disk")
            }
        }
    }

    /// Whether the disk has room for the file that SQLite makes beside a database which no process uses, to read it.
    static func hasRoomToRead(_ location: StoreLocation) throws -> Bool {
        var disk = statvfs()
        guard DiskFile.size(of: location.sharedMemory) == nil, statvfs(location.root, &disk) == 0 else {
            return true
        }
        return Int64(disk.f_bavail) * Int64(disk.f_frsize) >= sharedMemoryBytes
            && (disk.f_files == 0 || disk.f_favail > 0)
    }

    /// The first piece of that file, and as much again.
    private static let sharedMemoryBytes: Int64 = 64 << 10

    /// Time to wait for readers that may still need pages of the log.
    private static let walWaitMilliseconds = 500

    /// Bytes by which the database grows when what the write-ahead log holds is moved into it.
    private func growth(_ db: Database) -> Int64 {
        max(0, db.byteCount - (DiskFile.size(of: location.database) ?? 0))
    }

    /// Moves what the write-ahead log holds into the database and gives the log's bytes back to the disk. The caller
    /// holds the write lock. False when that gave nothing back: readers needed it, or there was no log.
    @discardableResult
    func truncateWAL(_ db: Database) -> Bool {
        let path = location.writeAheadLog
        let size = DiskFile.size(of: path) ?? 0
        guard size > 0 else { return false }
        db.truncateWAL(waitingUpTo: Self.walWaitMilliseconds)
        return (DiskFile.size(of: path) ?? 0) < size
    }

    /// Bytes that a process may leave in the write-ahead log: fewer are not worth a checkpoint at its end.
    private static let maxWALLeft: Int64 = 1 << 20

    /// SQLite itself would do it with the last connection, if that were one that writes: the pool closes its readers
    /// last. Left to others while another process uses the store. The caller holds the write lock.
    func tidyUp(_ pool: ConnectionPool) {
        guard !isReadOnly, let useLock, DiskFile.size(of: location.writeAheadLog) ?? 0 > Self.maxWALLeft
        else { return }
        guard (try? useLock.acquire(waitingUpTo: .zero)) ?? false else {
            // flock(2) gives up what was shared when it cannot have all.
            _ = useLock.share()
            return
        }
        try? pool.withWriter { $0.truncateWAL(waitingUpTo: 0) }
    }

    /// Does early what `tidyUp` would have to do: cutting the log off takes as long as moving its pages. Where a reader
    /// needs the log nothing is cut off. Other writers wait meanwhile.
    func settle() async {
        guard case .file = engine, !isReadOnly, DiskFile.size(of: location.writeAheadLog) ?? 0 > Self.maxWALLeft
        else { return }
        await queues.shared.run { [self] in
            try? locked("move the write-ahead log into the database") { $0.truncateWAL(waitingUpTo: 0) }
        }
    }

    /// Gives pages of the log that are no longer needed back to the disk, then fills the reserve up from them.
    func giveBackSpace() throws {
        guard case .file = engine else { return space.refill() }
        try locked("give back space") { db in
            truncateWAL(db)
            space.refill()
        }
    }

    func freeBytes() async throws -> Int64 { await queues.shared.run { [self] in max(0, space.intakeRoom) } }
}
