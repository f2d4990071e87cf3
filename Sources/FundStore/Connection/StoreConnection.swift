internal import Dispatch
internal import GRDB
internal import Glibc
package import FundCore
internal import Synchronization

/// The store in one folder: SQLite rows, raw messages and attachment bytes (design.md §5).
///
/// Every write transaction, checkpoint, open and close of any process stands under `write.lock`, because SQLite up to 3.51.2
/// can corrupt a database that two connections write and checkpoint at the same moment. Runs that take in mail hold `run.lock`
/// besides, for as long as they last.
package final class FundStore: IngestStore, Sendable {
    package enum OpenMode: Sendable {
        /// Makes what is missing.
        case create
        case existing
        /// Nothing is written, not even a migration.
        case readOnly
    }

    /// Short writes of another process take milliseconds, a batch at most seconds.
    private static let writeLockWait = Duration.seconds(30)
    static let busyTimeoutMilliseconds = 10_000

    package let path: String
    package let spool: SpoolDirectory
    let layout: StoreLayout
    let pool: DatabasePool
    let faults: FaultInjection
    let barrier: DurabilityBarrier
    let space: StoreSpace
    /// Of the files that are made; nil for that of the process.
    let owner: FileOwner?
    /// Opened when it is first asked for; only the server does.
    let openDataVersion = Mutex<DataVersion?>(nil)
    let directoryCache = Mutex(DirectoryCache())
    let accountVersionCache = Mutex(AccountVersionCache())
    let staging = Mutex(StagingState())
    let lockWaits = Mutex(BarrierStatistics())
    /// The batch that is being indexed: whoever asks meanwhile waits for it.
    let indexing = Mutex<Task<Int, any Error>?>(nil)
    /// Documents that were taken apart for the index.
    let indexedDocuments = Atomic<Int>(0)
    let readers = ReaderShares()
    /// Taking documents apart works for long without a pause: on a thread of its own.
    let indexQueue = DispatchQueue(label: "fundmail.store.index", qos: .utility)
    /// Nil when the store is on a file system that takes no writes, and has none.
    private let writeLock: FileLock?
    private let snapshot: SnapshotDatabase?
    private let isReadOnly: Bool
    /// Blocking work of asynchronous calls, off Swift's own threads.
    private let blockingQueue = DispatchQueue(label: "fundmail.store.blocking", attributes: .concurrent)
    /// Batches one after the other: a duplicate's raw file is dropped before the next batch looks at it.
    private let commitQueue = DispatchQueue(label: "fundmail.store.commit")
    /// Users' changes, which wait for each other anyway. Serial queues have threads of their own, while a concurrent one has as
    /// many as there are processors: two changes that wait for another process would hold up everybody's reading.
    private let changeQueue = DispatchQueue(label: "fundmail.store.change")
    /// A few uploads at a time become durable, for the same reason not on the concurrent queue.
    private let uploadQueues = (0..<4).map { DispatchQueue(label: "fundmail.store.upload.\($0)") }
    private let uploadCount = Atomic<Int>(0)

    /// Throws `notAStore`, `newerVersion`, `held` (another process keeps `write.lock`), `outOfSpace`, `io`.
    package static func open(
        at path: String, mode: OpenMode, faults: FaultInjection = .none
    ) throws -> FundStore {
        try open(at: path, mode: mode, faults: faults, syncFileSystem: DurabilityBarrier.syncFileSystem)
    }

    static func open(
        at path: String, mode: OpenMode, faults: FaultInjection = .none,
        syncFileSystem: @escaping @Sendable (Int32) -> Int32
    ) throws -> FundStore {
        do {
            return try FundStore(path: path, mode: mode, faults: faults, syncFileSystem: syncFileSystem)
        } catch {
            let operation = "open the store in \(path)"
            // SQLite does not say why it cannot open a file.
            let error = StoreError.wrap(error, operation)
            guard (error as? StoreError)?.code == .io, let problem = StoreOwnership.problem(of: path, isThorough: false)
            else { throw error }
            throw StoreError(.io, operation, problem)
        }
    }

    private init(
        path: String, mode: OpenMode, faults: FaultInjection, syncFileSystem: @escaping @Sendable (Int32) -> Int32
    ) throws {
        let root = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        let layout = StoreLayout(root: root)
        let operation = "open the store in \(path)"
        if mode == .create {
            try layout.create()
        } else if StoreLayout.size(of: layout.database) == nil {
            if [EACCES, EPERM].contains(errno) { throw SpoolError("look into", root) }
            throw StoreError(.notAStore, operation, "there is no fundmail.sqlite; `fundmail init` makes a store")
        } else if mode != .readOnly {
            try layout.create()  // a backup that came back may lack the folders that were empty
        }
        let owner = FileOwner(of: root)
        let writeLock = try Self.writeLock(layout, owner, mode)
        guard try writeLock?.acquire(waitingUpTo: Self.writeLockWait) ?? true else {
            throw StoreError(.held, operation, "another process keeps writing")
        }
        defer { writeLock?.release() }
        if mode == .create { Glibc.close(try StoreLayout.open(layout.database, owner: owner)) }
        if mode == .readOnly, access(root, W_OK) != 0 {
            let snapshot = try SnapshotDatabase(of: layout)
            self.pool = try snapshot.open { try Self.openPool($0, layout, isReadOnly: true, operation: operation) }
            self.snapshot = snapshot
        } else {
            self.pool = try Self.openPool(
                layout.database, layout, isReadOnly: mode == .readOnly, operation: operation)
            self.snapshot = nil
        }
        self.path = root
        self.layout = layout
        let space = StoreSpace(layout: layout, owner: owner, isReadOnly: mode == .readOnly)
        self.space = space
        self.owner = owner
        self.spool = SpoolDirectory(path: layout.temporary, faults: faults, owner: owner) { bytes throws(SpoolError) in
            try space.require(bytes)
        }
        self.faults = faults
        self.writeLock = writeLock
        self.isReadOnly = mode == .readOnly
        self.barrier = try DurabilityBarrier(layout: layout, syncFileSystem: syncFileSystem)
    }

    deinit { try? close() }

    /// Where nothing can be written there need not be a lock, and one that is there can be held all the same.
    private static func writeLock(
        _ layout: StoreLayout, _ owner: FileOwner?, _ mode: OpenMode
    ) throws -> FileLock? {
        do throws(SpoolError) { return try FileLock(path: layout.writeLock, owner: owner) } catch {
            guard mode == .readOnly, [EROFS, EACCES, EPERM].contains(error.code) else { throw error }
            if StoreLayout.size(of: layout.writeLock) == nil, errno == ENOENT { return nil }
            return try FileLock(readOnly: layout.writeLock)
        }
    }

    private static func openPool(_ path: String, _ layout: StoreLayout, isReadOnly: Bool, operation: String) throws
        -> DatabasePool
    {
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(Double(busyTimeoutMilliseconds) / 1000)
        // Half of them for users' readers (`ReaderShares`), so that logins, uploads and indexing never wait for those.
        configuration.maximumReaderCount = 8
        configuration.persistentReadOnlyConnections = true
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -4096") }
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.read { db in
            let id = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
            let isEmpty = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
            guard id == Schema.applicationID || (isEmpty && !isReadOnly) else {
                throw StoreError(.notAStore, operation, "fundmail.sqlite is the database of another program")
            }
            if try Schema.migrator.hasBeenSuperseded(db) {
                throw StoreError(.newerVersion, operation, "it was written by a later version of fundmail")
            }
            if isReadOnly, try !Schema.migrator.hasCompletedMigrations(db) {
                throw StoreError(
                    .invalid, operation, "it was written by an older version; any other command updates it")
            }
        }
        guard !isReadOnly else { return pool }
        try pool.writeWithoutTransaction { db in
            // After GRDB's own set-up, which says NORMAL: the last commits would be lost with the power.
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // 16 MiB: a checkpoint every few batches, each page written once however often it changed.
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 4096")
            try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
            // Holds the index pages of 200,000 emails.
            try db.execute(sql: "PRAGMA cache_size = -32768")
        }
        try Schema.migrator.migrate(pool)
        try FingerprintUpdate.run(pool, layout)
        return pool
    }

    /// Waits for what is running. Afterwards the store cannot be used. Closing twice is harmless.
    package func close() throws {
        do {
            guard try writeLock?.acquire(waitingUpTo: Self.writeLockWait) ?? true else {
                throw StoreError(.held, "close the store", "another process keeps writing")
            }
            defer { writeLock?.release() }
            // First: SQLite tidies up when the last connection goes, which must be one that may write.
            try openDataVersion.withLock { version in
                try version?.close()
                version = nil
            }
            try pool.close()
        } catch {
            throw StoreError.wrap(error, "close the store")
        }
    }

    /// Waits for the run lock; nil waits not at all. Then sweeps what a crash left in `tmp`. Throws `held`, naming the holder.
    package func acquireRunLock(holder: String, waitingUpTo wait: Duration? = nil) throws -> RunLock {
        do {
            let lock = try RunLock(path: layout.runLock, owner: owner, holder: holder, waitingUpTo: wait ?? .zero)
            guard StoreLayout.isFolder(layout.temporary) else {
                throw SpoolError("sweep", layout.temporary, code: ENOTDIR)  // a link would have others' files deleted
            }
            for name in try DiskDirectory.names(in: layout.temporary) {
                let path = "\(layout.temporary)/\(name)"
                // Uploads are taken without the run lock.
                if !name.hasPrefix(UploadFile.namePrefix) || !UploadFile.isInUse(path) { unlink(path) }
            }
            // Nobody else takes in mail now, and uploads are locked.
            if lock.wasAbandoned { _ = try sweepBlobs(before: .max) }
            return lock
        } catch {
            throw StoreError.wrap(error, "use the store")
        }
    }

    /// Where a raw message stands, or stood before retention.
    package func rawPath(_ digest: ContentDigest) -> String { layout.raw(digest) }

    // MARK: Access

    func read<Value>(_ operation: String, _ body: (Database) throws -> Value) throws -> Value {
        do {
            return try pool.read(body)
        } catch {
            throw StoreError.wrap(error, operation)
        }
    }

    /// The same for what may take long: throws `tookTooLong` when it takes more than `limit`.
    func read<Value>(_ operation: String, within limit: Duration, _ body: (Database) throws -> Value) throws -> Value {
        try read(operation) { db in
            do {
                return try TimeLimit.run(limit, on: db) { try body(db) }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
                throw StoreError(.tookTooLong, operation, "it took longer than \(limit)")
            }
        }
    }

    /// One transaction under the write lock. `beforeUnlocking` comes after the transaction is durable. Runs `body` again when the disk
    /// is full and `room` gives way to it. Blocks.
    func write<Value>(
        _ operation: String, _ room: WriteRoom = .free, _ body: (Database) throws -> Value,
        beforeUnlocking: (Value) -> Void = { _ in }
    ) throws -> Value {
        do {
            let value = try locked(operation) { db in
                let value = try transact(operation, room, db, body)
                if let value { beforeUnlocking(value) }
                return value
            }
            directoryCache.withLock { $0.checkedAt = nil }
            accountVersionCache.withLock { cache in
                cache.checkedAt = nil
                cache.writes += 1
            }
            guard let value else { throw StoreError(.io, operation, "the transaction gave nothing") }
            return value
        } catch {
            throw StoreError.wrap(error, operation)
        }
    }

    /// Runs `body` on the writing connection under the write lock.
    func locked<Value>(_ operation: String, _ body: (Database) throws -> Value) throws -> Value {
        guard !isReadOnly else { throw StoreError(.invalid, operation, "the store is open for reading only") }
        let start = ContinuousClock.now
        return try pool.writeWithoutTransaction { db in
            let isAcquired = try writeLock?.acquire(waitingUpTo: Self.writeLockWait) ?? true
            lockWaits.withLock { $0.note(ContinuousClock.now - start) }
            guard isAcquired else {
                throw StoreError(.held, operation, "another process keeps writing")
            }
            defer { writeLock?.release() }
            return try body(db)
        }
    }

    func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await run(on: blockingQueue, body)
    }

    func indexing<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await run(on: indexQueue, body)
    }

    func committing<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await run(on: commitQueue, body)
    }

    func changing<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await run(on: changeQueue, body)
    }

    func uploading<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let number = uploadCount.wrappingAdd(1, ordering: .relaxed).oldValue
        return try await run(on: uploadQueues[number & 3], body)
    }

    /// Work that nobody waits for.
    func afterwards(_ body: @escaping @Sendable () -> Void) { blockingQueue.async(execute: body) }

    private func run<Value: Sendable>(
        on queue: DispatchQueue, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}

/// Seconds since 1970.
func currentSeconds() -> Int64 { Int64(time(nil)) }
