import FundCore
internal import Glibc
internal import Synchronization

/// The database of `cache/`, open. Each write stands under a lock of its own: see `StoreConnection` for why.
final class PreviewDatabase: Sendable {
    private static let lockWait = Duration.seconds(10)

    let pool: ConnectionPool
    private let lock: FileLock?
    private let leases: Leases
    /// Held by the process that makes renditions.
    private let work = Mutex<Lease?>(nil)

    /// Makes the cache where it is missing, of another version, or damaged; not for reading only. Throws `StoreError`
    /// and what SQLite throws.
    /// - Parameter isDamaged: it was found out in use, since opening looks at its beginning alone.
    init(_ location: StoreLocation, owner: FileOwner?, isReadOnly: Bool, isDamaged: Bool) throws {
        let path = location.previewDatabase
        leases = Leases(location: location, owner: owner)
        guard !isReadOnly else {
            lock = nil
            pool = try ConnectionPool(path: path, isReadOnly: true)
            return
        }
        for folder in [location.cache, location.renditions] {
            try DiskDirectory.make(folder, isPrivate: true, owner: owner)
        }
        let lock = try FileLock(path: location.previewWriteLock, owner: owner)
        guard try lock.acquire(waitingUpTo: Self.lockWait) else {
            throw StoreError(.held, "open the cache of previews", "another process keeps writing")
        }
        defer { lock.release() }
        Glibc.close(try DiskFile.open(path, owner: owner))
        let opened = isDamaged ? nil : try Self.opened(path)
        pool = try opened ?? Self.made(anew: path, location, owner)
        self.lock = lock
    }

    /// Nil for what is of another version or damaged. What else hinders, as a full disk, is thrown: it may pass.
    private static func opened(_ path: String) throws -> ConnectionPool? {
        var pool: ConnectionPool?
        do {
            let opened = try ConnectionPool(path: path, isReadOnly: false)
            pool = opened
            let (version, isNew) = try opened.read { (try $0.userVersion, try $0.hasNoTables) }
            if version == PreviewSchema.version {
                if try !opened.read({ try $0.columns(of: "job") }).contains("user") {
                    try opened.withWriter { try $0.run(script: PreviewSchema.userColumn) }
                }
                try opened.withWriter { try $0.run(script: PreviewSchema.feedMarks) }
                // On a full disk it is slower without them.
                try? opened.withWriter { try $0.run(script: PreviewSchema.indexes) }
                return opened
            }
            if isNew {
                try opened.withWriter { try $0.run(script: PreviewSchema.script) }
                return opened
            }
        } catch {
            guard ConnectionPool.isDamage(error) else {
                try? pool?.close()
                throw error
            }
        }
        try? pool?.close()
        return nil
    }

    private static func made(anew path: String, _ location: StoreLocation, _ owner: FileOwner?) throws -> ConnectionPool
    {
        StoreLocation.removeDatabase(path)
        PreviewFiles(location: location, owner: owner).removeAll()
        Glibc.close(try DiskFile.open(path, owner: owner))
        guard let pool = try opened(path) else {
            throw StoreError(.io, "make the cache of previews", "\(path) cannot be used")
        }
        return pool
    }

    func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        guard let lock else {
            throw StoreError(.invalid, "change the cache of previews", "the store is open for reading only")
        }
        return try pool.withWriter { db in
            guard try lock.acquire(waitingUpTo: Self.lockWait) else {
                throw StoreError(.held, "change the cache of previews", "another process keeps writing")
            }
            defer { lock.release() }
            return try db.transaction { try body(db) }
        }
    }

    /// Claims the making of renditions. False when another process has it.
    func claimWork() throws -> Bool {
        guard lock != nil else { return false }
        return try work.withLock { work in
            if work == nil { work = try leases.take(.previews, waitingUpTo: .zero) }
            return work != nil
        }
    }

    func close() throws {
        // Closing writes what the write-ahead log holds.
        let isLocked = try lock?.acquire(waitingUpTo: Self.lockWait) ?? false
        defer { if isLocked { lock?.release() } }
        try pool.close()
        work.withLock { $0 = nil }
    }
}
