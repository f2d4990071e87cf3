internal import Dispatch
import FundCore
internal import Glibc
import PostgreSQLRoom
internal import Synchronization

/// The engine that holds the rows of a store.
enum RowEngine {
    /// SQLite, in the store's folder.
    case file(ConnectionPool)
    /// PostgreSQL, for processes on several machines.
    case server(PostgreSQLRows)
}

/// The database of a store, with the locks and threads for its use.
///
/// Every write transaction, checkpoint, open and close of any process stands under `write.lock`, because SQLite up to
/// 3.51.2 can corrupt a database that two connections write and checkpoint at the same moment.
final class StoreConnection: RowDatabase {
    /// Short writes of another process take milliseconds, a batch at most seconds.
    static let writeLockWait = Duration.seconds(30)

    let location: StoreLocation
    let space: StoreSpace
    private let limits: Mutex<StorageLimits>
    /// Owner of the files that are made; nil for that of the process.
    let owner: FileOwner?
    var leases: Leases { Leases(location: location, owner: owner) }
    let queues = StoreQueues()
    let readers = ReaderShares()
    let engine: RowEngine
    /// Nil when the store is on a file system that takes no writes, and has none.
    let writeLock: FileLock?
    /// See `StoreLocation.useLock`; nil for reading only.
    let useLock: FileLock?
    private let snapshot: SnapshotDatabase?
    let isReadOnly: Bool
    private static let versionOperation = "ask whether anything changed"
    private let notedLockWaits = Mutex(DurationHistogram.ofWaits)
    let commits = Signal()
    /// Opened when it is first asked for, like the next one.
    private let commitWatch = Mutex<CommitWatch?>(nil)
    private let commitListener = Mutex<PostgreSQLListener?>(nil)
    /// Each opened when it is first asked. For `version`, which only the server wants, and for `ask`.
    private let versionConnection = Mutex<QuestionConnection?>(nil)
    private let questionConnection = Mutex<QuestionConnection?>(nil)

    init(
        path: String, mode: OpenMode, storageLimits: StorageLimits, update: UpdateOptions = .usual,
        faults: FaultInjection = .none
    ) throws {
        let root = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        var location = StoreLocation(root: root)
        if mode == .rebuild { location.databaseName = StoreLocation.draftName }
        let operation = "open the store in \(path)"
        let ground = StoreGround(location: location, operation: operation)
        if mode != .rebuild { try ground.checkFile(mode) }
        // Also of an existing one: a backup that came back may lack the folders that were empty.
        // The log's folder only when the rows need none, see `StoreGround.checkRows`.
        if mode != .readOnly { try location.create(hasLog: !mode.isExisting) }
        if mode != .readOnly { try location.checkDisks(operation) }
        let owner = FileOwner(of: root)
        let writeLock = try Self.writeLock(location, owner, mode)
        guard try writeLock?.acquire(waitingUpTo: Self.writeLockWait) ?? true else {
            throw StoreError(.held, operation, "another process keeps writing")
        }
        defer { writeLock?.release() }
        let space = StoreSpace(location: location, owner: owner, isReadOnly: mode == .readOnly)
        if mode == .readOnly {
            let (pool, snapshot) = try Self.openToRead(location, on: ground)
            (engine, self.snapshot) = (.file(pool), snapshot)
            useLock = nil
        } else {
            let useLock = try FileLock(path: location.useLock, owner: owner)
            if mode == .rebuild { try Self.removeDraft(location, useLock, operation) }
            if mode == .create || mode == .rebuild {
                Glibc.close(try DiskFile.open(location.database, owner: owner))
            }
            let update = StoreUpdate(location, space, owner: owner, update, faults: faults)
            engine = try Self.withReserve(of: space, location, operation) {
                .file(try Self.openPool(location.database, mode, writing: (useLock, update), on: ground))
            }
            self.useLock = useLock
            self.snapshot = nil
            if mode.isExisting { try location.create() }
        }
        self.location = location
        self.space = space
        limits = Mutex(storageLimits)
        self.owner = owner
        self.writeLock = writeLock
        self.isReadOnly = mode == .readOnly
    }

    /// Opens a store whose rows are on a server; its folder has the bytes. Throws `notAStore`, `newerVersion` and
    /// `invalid` for rows that are not those of this version, or of another store; `held` while another process updates
    /// the store; `logLost`; `unreachable`.
    ///
    /// - Parameters:
    ///   - store: identity of the store; nil for any.
    ///   - size: connections to the server at a time.
    init(
        path: String, rows settings: PostgreSQLSettings, of store: Int64?, size: Int, mode: OpenMode,
        storageLimits: StorageLimits
    ) throws {
        let location = StoreLocation(root: path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path)
        let operation = "open the store in \(path)"
        let isReadOnly = mode == .readOnly
        let server = PostgreSQLRows(settings, size: size)
        try server.checkStore(store, operation)
        try StoreGround(location: location, operation: operation).checkRows(on: server, mode)
        if !isReadOnly {
            try location.create()
            try location.checkDisks(operation)
        }
        let owner = FileOwner(of: location.root)
        let useLock = isReadOnly ? nil : try FileLock(path: location.useLock, owner: owner)
        guard useLock?.share() ?? true else {
            throw StoreError(.held, operation, "another process updates the store")
        }
        (self.location, self.owner, self.useLock) = (location, owner, useLock)
        space = StoreSpace(location: location, owner: owner, isReadOnly: isReadOnly)
        limits = Mutex(storageLimits)
        (engine, snapshot, writeLock, self.isReadOnly) = (.server(server), nil, nil, isReadOnly)
    }

    deinit { try? close() }

    /// The limits of what people may have. Each transaction asks for them when it begins.
    var storageLimits: StorageLimits {
        get { limits.withLock { $0 } }
        set { limits.withLock { $0 = newValue } }
    }

    /// Opens the write lock. A store that takes no writes need not have one; if it has, it can be held all the same.
    static func writeLock(
        _ location: StoreLocation, _ owner: FileOwner?, _ mode: OpenMode
    ) throws -> FileLock? {
        do throws(DiskError) { return try FileLock(path: location.writeLock, owner: owner) } catch {
            guard mode == .readOnly, [EROFS, EACCES, EPERM].contains(error.code) else { throw error }
            if DiskFile.size(of: location.writeLock) == nil, errno == ENOENT { return nil }
            return try FileLock(readOnly: location.writeLock)
        }
    }

    /// Takes the store for this process alone, and removes what one left that was killed.
    private static func removeDraft(_ location: StoreLocation, _ useLock: FileLock?, _ operation: String) throws {
        guard try useLock?.acquire(waitingUpTo: .zero) ?? false else {
            throw StoreError(
                .held, operation, "another process uses the store: end `fundmail serve`, `watch` and what else runs")
        }
        StoreLocation.removeDatabase(location.database)
    }

    /// Opens the database to read, beside it where that can be written and the disk has room.
    private static func openToRead(
        _ location: StoreLocation, on ground: StoreGround
    ) throws -> (ConnectionPool, SnapshotDatabase?) {
        if access(location.root, W_OK) == 0, try hasRoomToRead(location) {
            do { return (try openPool(location.database, .readOnly, writing: nil, on: ground), nil) } catch
                where StoreError.isOutOfSpace(error)
            {}  // then as on a disk that takes no writes
        }
        let snapshot = try SnapshotDatabase(of: location)
        return (try snapshot.open { try openPool($0, .readOnly, writing: nil, on: ground) }, snapshot)
    }

    /// - Parameter writing: nil for reading only.
    private static func openPool(
        _ path: String, _ mode: OpenMode, writing: (useLock: FileLock, update: StoreUpdate)?, on ground: StoreGround
    ) throws -> ConnectionPool {
        do { return try openDatabase(path, mode, writing: writing, on: ground) } catch {
            if ConnectionPool.isNoDatabase(error) { try ground.refuseLostRows("fundmail.sqlite is no database") }
            throw error
        }
    }

    /// Throws `notAStore` for the database of another program, `newerVersion` for one of a later version of this one.
    static func checkProgram(_ db: Database, _ migrations: Migrations, _ operation: String) throws {
        guard try db.applicationID == Schema.applicationID || db.hasNoTables else {
            throw StoreError(.notAStore, operation, "fundmail.sqlite is the database of another program")
        }
        if try RowsElsewhere.isMarked(db) {
            throw StoreError(
                .rowsLost, operation,
                "its rows are on a server, and \(StoreLocation.placesName), which says where, is missing. Bring it "
                    + "back from a copy")
        }
        if try migrations.areSuperseded(in: db) {
            throw StoreError(
                .newerVersion, operation,
                "it was written by a later version of fundmail; `fundmail update --back` gives it the rows of before")
        }
    }

    private static func openDatabase(
        _ path: String, _ mode: OpenMode, writing: (useLock: FileLock, update: StoreUpdate)?, on ground: StoreGround
    ) throws -> ConnectionPool {
        let (isReadOnly, operation) = (writing == nil, ground.operation)
        let (pool, migrations) = (try ConnectionPool(path: path, isReadOnly: isReadOnly), Schema.migrations)
        let isOlder = try pool.readAroundDamage { db in
            try checkProgram(db, migrations, operation)
            if mode != .rebuild { try ground.checkRows(db, mode) }
            let isComplete = try migrations.areComplete(in: db)
            if isReadOnly, !isComplete {
                throw StoreError(
                    .invalid, operation,
                    "it was written by an older version; `fundmail update` brings it up to date, and `fundmail update "
                        + "--dry-run` says how (of a snapshot or a backup make a copy first)")
            }
            return try !isComplete && !db.hasNoTables
        }
        guard let (useLock, update) = writing else { return pool }
        // A process of the older version would go on under a schema that it does not know.
        if isOlder, try !useLock.acquire(waitingUpTo: .zero) {
            throw StoreError(
                .held, operation,
                "this version has to update the store first, but another process uses it: end `fundmail serve`, "
                    + "`watch` and what else runs")
        }
        try pool.prepareWriter()
        try update.run(migrations, on: pool, isOlder: isOlder)
        // Before anything is written to a store that was restored. On a full disk the mark stays for the next time.
        do {
            if try pool.read({ try StoreHistory.isCopy($0) }) { try? pool.write { try StoreHistory.beginIfCopy($0) } }
        } catch let error where ConnectionPool.isDamage(error) {}  // `StoreLog` appends nothing to such a store
        if mode == .acceptingLoss {
            do { _ = try pool.write { try NeededSegments(location: ground.location, db: $0).giveUp() } } catch let error
                where ConnectionPool.isDamage(error)
            {}  // the database is mended first; then the same command gives them up
        }
        // Opening stands under the write lock, so no other process updates the store just now.
        guard mode == .rebuild || useLock.share() else {
            throw StoreError(.held, operation, "another process updates the store")
        }
        return pool
    }

    /// Waits for what is running. Closing twice is harmless.
    ///
    /// - Parameter finish: called once the database is closed, while other processes wait.
    func close(_ finish: () throws -> Void = {}) throws {
        try StoreError.wrapping("close the store") {
            guard try writeLock?.acquire(waitingUpTo: Self.writeLockWait) ?? true else {
                throw StoreError(.held, "close the store", "another process keeps writing")
            }
            defer { writeLock?.release() }
            commitWatch.withLock { $0 = nil }
            commitListener.withLock { $0.take()?.stop() }
            try questionConnection.withLock { try $0.take()?.close() }
            try versionConnection.withLock { try $0.take()?.close() }
            switch engine {
            case .file(let pool):
                tidyUp(pool)
                try pool.close()
            case .server(let server): server.close()
            }
            try finish()
            // Not when this object goes: a closed store that is still referred to would keep others from opening it.
            useLock?.release()
        }
    }

    // MARK: Reading

    func read<Value>(_ operation: String, _ body: (Database) throws -> Value) throws -> Value {
        switch engine {
        case .file(let pool): try StoreError.wrapping(operation) { try pool.read(body) }
        case .server(let server): try server.read(operation) { try body(.postgreSQL($0)) }
        }
    }

    /// Reads also where pages are damaged, if `body` goes on there: then it runs a second time. Blocks.
    func readAroundDamage<Value>(_ operation: String, _ body: (Database) throws -> Value) throws -> Value {
        guard case .file(let pool) = engine else { return try read(operation, body) }
        return try StoreError.wrapping(operation) { try pool.readAroundDamage(body) }
    }

    /// `read` for what may take long: throws `tookTooLong` when it takes more than `limit`.
    func read<Value>(_ operation: String, within limit: Duration, _ body: (Database) throws -> Value) throws -> Value {
        try read(operation) { db in try db.limited(to: limit, operation) { try body(db) } }
    }

    /// `read` on a thread that may block.
    func reading<Value: Sendable>(
        _ operation: String, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await queues.shared.run { [self] in try read(operation, body) }
    }

    /// Runs `body`, which blocks, on a thread that may. Its errors become a `StoreError`.
    func running<Value: Sendable>(
        _ operation: String, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await queues.shared.run { try StoreError.wrapping(operation, body) }
    }

    func version() throws -> Int64 {
        switch engine {
        case .file: try StoreError.wrapping(Self.versionOperation) { try open(versionConnection).dataVersion() }
        case .server(let server): try server.version(Self.versionOperation)
        }
    }

    func ask<Value>(
        _ operation: String, atOneMoment: Bool, _ body: (Database) throws -> Value
    ) throws -> Value {
        if case .server(let server) = engine {
            return try atOneMoment ? read(operation, body) : server.ask(operation) { try body(.postgreSQL($0)) }
        }
        // A store on a disk that takes no writes is read through a copy, which has the readers' connections alone.
        guard !isReadOnly else { return try read(operation, body) }
        return try StoreError.wrapping(operation) {
            try open(questionConnection).ask { db in
                try atOneMoment ? db.readTransaction { try body(db) } : body(db)
            }
        }
    }

    private func open(_ connection: borrowing Mutex<QuestionConnection?>) throws -> QuestionConnection {
        try connection.withLock { connection in
            let open = try connection ?? QuestionConnection(path: location.database)
            connection = open
            return open
        }
    }

    // MARK: Writing

    func watchCommits() {
        if case .server(let server) = engine {
            return commitListener.withLock { listener in
                if listener == nil { listener = server.listen(raising: commits) }
            }
        }
        commitWatch.withLock { watch in
            if watch == nil { watch = CommitWatch(lockFile: location.writeLock, raising: commits) }
        }
    }

    var lockWaits: DurationHistogram { notedLockWaits.withLock { $0 } }

    /// Runs `body` under the write lock, and again when the disk is full and `room` gives way to it.
    @discardableResult
    func write<Value>(
        _ operation: String, _ room: WriteRoom, _ body: (Database) throws -> Value
    ) throws -> Value {
        if case .server(let server) = engine {
            guard !isReadOnly else { throw Self.isReadOnlyError(operation) }
            try checkRoom(room, operation)
            let value = try server.write(operation) { connection in
                let db = Database.postgreSQL(connection)
                let value = try body(db)
                if try ChangeFeed.publish(db) { try connection.notify() }
                return value
            }
            commits.raise()
            return value
        }
        return try StoreError.wrapping(operation) {
            let value = try locked(operation) { db in
                let value = try transact(operation, room, db, body)
                writeLock?.announce()
                return value
            }
            commits.raise()
            return value
        }
    }

    private static func isReadOnlyError(_ operation: String) -> StoreError {
        StoreError(.invalid, operation, "the store is open for reading only")
    }

    /// `write` on a thread that may block: of `queue`, or of the shared one.
    @discardableResult
    func writing<Value: Sendable>(
        _ operation: String, _ room: WriteRoom = .free, on queue: DispatchQueue? = nil,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await (queue ?? queues.shared).run { [self] in try write(operation, room, body) }
    }

    /// Runs `body` on the writing connection under the write lock. Blocks. Throws `invalid` for rows on a server.
    func locked<Value>(_ operation: String, _ body: (Database) throws -> Value) throws -> Value {
        guard !isReadOnly else { throw Self.isReadOnlyError(operation) }
        guard case .file(let pool) = engine else {
            throw StorePlaces.onServer(operation, instead: "bring the server's own backup back")
        }
        let start = ContinuousClock.now
        return try pool.withWriter { db in
            let isAcquired = try writeLock?.acquire(waitingUpTo: Self.writeLockWait) ?? true
            notedLockWaits.withLock { $0.note(ContinuousClock.now - start) }
            guard isAcquired else { throw StoreError(.held, operation, "another process keeps writing") }
            defer { writeLock?.release() }
            return try body(db)
        }
    }
}
