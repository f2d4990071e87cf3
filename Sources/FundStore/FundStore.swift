package import FundCore
internal import Glibc
import PostgreSQLRoom

/// A store in one folder: the log of the bytes of mail and uploads, and the rows, unless `StorePlaces` says that these
/// are on a server. It opens the store and gives its parts, which share one connection. Any number of processes may use
/// it at the same time; a mailbox belongs to one run (`MailboxRegister.lease`).
package final class FundStore: Sendable {
    package let mail: SQLMailStore
    package let library: SQLLibraryStore
    package let accounts: SQLAccountStore
    package let administration: SQLAdministrationStore
    package let maintenance: StoreMaintenance
    package let previews: SQLPreviewStore
    package let quarantine: SQLQuarantineStore
    package let outbox: SQLOutboxStore
    package let digests: SQLDigestStore
    package let letters: SQLLetterStore
    package let links: SQLShareLinkStore
    package let contacts: SQLContactStore
    package let news: SQLNewsStore
    package let drives: SQLDriveStore
    package let webhooks: SQLWebhookStore
    /// The bucket with the segments that are sealed; nil where all of the log lies in the folder.
    package let bucket: StoreBucket?

    /// Words for a log that has what the database does not know: at the one opening that finds it, or at each where no
    /// row can know it; and where it could not be looked for. Nil otherwise.
    package let notice: String?

    let connection: StoreConnection
    let log: StoreLog

    package var path: String { connection.location.root }
    /// Folder of files that can be made again at any time; it may be missing.
    package var cacheFolder: String { connection.location.cache }

    /// A search waits up to `searchWait` until what came in just now is indexed. Throws `notAStore`, `newerVersion`,
    /// `held` (another process keeps `write.lock`), `outOfSpace`, `io`.
    ///
    /// - Parameter environment: has the key to the bucket of a store that has one, see `AccessKeySource`.
    package static func open(
        at path: String, mode: OpenMode, faults: FaultInjection = .none, searchWait: Duration = .milliseconds(100),
        letterLimits: OutboxLimits = .usual, storageLimits: StorageLimits = .none, update: UpdateOptions = .usual,
        environment: [String: String] = [:]
    ) throws -> FundStore {
        try open(
            at: path, mode: mode, faults: faults, searchWait: searchWait, letterLimits: letterLimits,
            storageLimits: storageLimits, update: update, environment: environment,
            syncFile: StoreLog.syncFile)
    }

    static func open(
        at path: String, mode: OpenMode, faults: FaultInjection, searchWait: Duration,
        letterLimits: OutboxLimits = .usual, storageLimits: StorageLimits = .none, update: UpdateOptions = .usual,
        environment: [String: String] = [:], syncFile: @escaping @Sendable (Int32) -> Int32
    ) throws -> FundStore {
        let operation = "open the store in \(path)"
        let places = try StoreError.wrapping(operation) {
            try StorePlaces.read(StoreLocation(root: path), operation)
        }
        let bytes = places?.bytes.map { BytesAccess(place: $0, environment: environment) }
        if let rows = try places?.rowSettings(operation) {
            let store = try open(
                at: path, rows: rows, of: places?.store, mode: mode, faults: faults, searchWait: searchWait,
                letterLimits: letterLimits, storageLimits: storageLimits, bytes: bytes, syncFile: syncFile)
            try require(places, at: path, operation, orElse: { try store.close() })
            return store
        }
        do {
            let connection = try StoreConnection(
                path: path, mode: mode, storageLimits: storageLimits, update: update, faults: faults)
            try require(places, at: path, operation, orElse: { try connection.close() })
            return try FundStore(
                connection, faults: faults, searchWait: searchWait, letterLimits: letterLimits, bytes: bytes,
                syncFile: syncFile)
        } catch {
            // SQLite does not say why it cannot open a file.
            let error = StoreError.wrap(error, operation)
            if (error as? StoreError)?.code == .io, DiskInodes.areUsedUp(at: path) {
                throw StoreError(.outOfSpace, operation, DiskInodes.advice)
            }
            guard (error as? StoreError)?.code == .io, let problem = StoreOwnership.problem(of: path, isThorough: false)
            else { throw error }
            throw StoreError(.io, operation, problem)
        }
    }

    /// Throws `held` where the places of a store are others than just now: a migration ended after they were read and
    /// before the store was held, and no process reads what is written into the rows of before.
    private static func require(
        _ places: StorePlaces?, at path: String, _ operation: String, orElse close: () throws -> Void
    ) throws {
        guard try StorePlaces.read(StoreLocation(root: path), operation) != places else { return }
        try close()
        throw StoreError(.held, operation, "the place of its rows or bytes was changed just now: run the command again")
    }

    /// Makes a store whose rows are in an empty database of PostgreSQL, for `open` to find; leaves one that is whole as
    /// it is. Throws `alreadyExists` where the folder or the database has another store, `notAStore` for a database
    /// that cannot have one, `invalid` for the address, `rowsLost`, `unreachable`, `held`, `io`.
    ///
    /// - Parameter address: as libpq reads it, without a password.
    package static func makeRows(on address: String, at path: String) throws {
        let operation = "make the store in \(path)"
        try StoreError.wrapping(operation) {
            try ServerRowsSetup(location: StoreLocation(root: path), address: address, operation: operation).run()
        }
    }

    /// Opens a store whose rows are on a server of PostgreSQL, and whose folder has the bytes. Throws `notAStore`,
    /// `newerVersion`, `invalid` (rows of an older version), `held`, `logLost`, `unreachable`, `outOfSpace`, `io`.
    ///
    /// - Parameters:
    ///   - store: identity of the store; nil for any.
    ///   - size: connections to the server at a time.
    static func open(
        at path: String, rows settings: PostgreSQLSettings, of store: Int64? = nil, size: Int = 8,
        mode: OpenMode = .existing, faults: FaultInjection = .none, searchWait: Duration = .milliseconds(100),
        letterLimits: OutboxLimits = .usual, storageLimits: StorageLimits = .none, bytes: BytesAccess? = nil,
        syncFile: @escaping @Sendable (Int32) -> Int32 = StoreLog.syncFile
    ) throws -> FundStore {
        try StoreError.wrapping("open the store in \(path)") {
            let connection = try StoreConnection(
                path: path, rows: settings, of: store, size: size, mode: mode, storageLimits: storageLimits)
            return try FundStore(
                connection, faults: faults, searchWait: searchWait, letterLimits: letterLimits, bytes: bytes,
                syncFile: syncFile)
        }
    }

    /// The update that opening the store to write would make; nil where it needs none. Changes nothing. Throws as
    /// `open`.
    package static func pendingUpdate(at path: String) throws -> UpdatePlan? {
        try StoreError.wrapping("open the store in \(path)") { try StoreConnection.pendingUpdate(of: path) }
    }

    /// Gives a store the rows from before its last update, for an earlier version of the program; the present rows
    /// stay in `lost/`. Gives the number of their schema, and the name in the store of those that were there. Throws
    /// `notFound` without a copy by that update, `corrupted` for one that is damaged, `held` while a process uses the
    /// store, `outOfSpace`, `io`.
    package static func goBack(at path: String) throws -> (schema: Int, kept: String) {
        let (location, operation) = (StoreLocation(root: path), "go back to the rows from before the update")
        return try StoreError.wrapping(operation) {
            try StorePlaces.requireRowsInFolder(location, operation, instead: "bring the server's own backup back")
            return try UpdateReversal(location: location).run()
        }
    }

    private init(
        _ connection: StoreConnection, faults: FaultInjection, searchWait: Duration, letterLimits: OutboxLimits,
        bytes: BytesAccess?, syncFile: @escaping @Sendable (Int32) -> Int32
    ) throws {
        self.connection = connection
        log = try StoreLog(connection: connection, faults: faults, bytes: bytes, syncFile: syncFile)
        bucket = StoreBucket(of: log)
        notice = connection.isReadOnly ? nil : log.lookAtOpening()
        let kept = Quarantine(rows: connection)
        let previews = SQLPreviewStore(connection: connection, quarantine: kept)
        let texts = TextSource(
            text: { try? previews.text(of: $0) }, unindexed: { try previews.unindexedTexts(limit: $0) },
            noteIndexed: { try previews.noteIndexed($0) })
        let index = SearchIndex(connection: connection, texts: texts, catchUpTime: searchWait)
        let purge = Purge(connection: connection, log: log)
        mail = SQLMailStore(connection: connection, log: log, letterLimits: letterLimits)
        outbox = SQLOutboxStore(connection: connection)
        digests = SQLDigestStore(connection: connection)
        letters = SQLLetterStore(connection: connection, log: log, quarantine: kept)
        contacts = SQLContactStore(connection: connection)
        news = SQLNewsStore(connection: connection)
        drives = SQLDriveStore(connection: connection, log: log)
        webhooks = SQLWebhookStore(connection: connection)
        library = SQLLibraryStore(
            connection: connection, log: log, index: index, purge: purge, quarantine: kept,
            version: RowCache(connection))
        links = SQLShareLinkStore(connection: connection, log: log, quarantine: kept)
        accounts = SQLAccountStore(connection: connection)
        administration = SQLAdministrationStore(connection: connection, purge: purge)
        maintenance = StoreMaintenance(
            connection: connection, log: log, index: index, purge: purge, quarantine: kept)
        quarantine = SQLQuarantineStore(connection: connection, kept: kept)
        self.previews = previews
    }

    /// Changes the limits of what people may have, for what this process adds from now on.
    package func limitStorage(_ limits: StorageLimits) { connection.storageLimits = limits }

    /// From now on this process gives people no content that no scanner has looked at, unless it was released.
    package func holdUnscanned() {
        let scanned = ScannedContents(rows: connection) { [previews, kept = quarantine.kept] in
            try previews.isScanned($0, since: $1) || kept.isReleased($0)
        }
        quarantine.kept.hold(allBut: scanned)
    }

    /// Has a process that runs for long hear of the server with the rows: while that is silent, all that asks for rows
    /// fails at once with `unreachable`. Nothing for rows in the folder.
    package func watchServer() { if hasRowsOnServer { connection.watchCommits() } }

    package var hasRowsOnServer: Bool { if case .server = connection.engine { true } else { false } }

    /// Whether an attachment, an upload or a raw message has this digest, damaged or not.
    package func holdsContent(_ digest: ContentDigest) throws -> Bool { try !log.locations(of: digest).isEmpty }

    /// A content also where it is kept from people: for what looks into it.
    package func unguardedContent(of digest: ContentDigest, size: Int64) throws -> any StoredContent {
        try log.content(of: digest, size: size)
    }

    /// Has the store keep its sealed segments in a bucket from the next opening on, see `BucketJoining.join`.
    package func add(_ bucket: BucketJoining, takesOver: Bool) throws { try bucket.join(log, takesOver: takesOver) }

    /// Waits for what is running. Afterwards the store cannot be used. Closing twice is harmless.
    package func close() throws {
        log.settle()
        let closing = Result { try StoreError.wrapping("close the cache of previews") { try previews.close() } }
        try connection.close()
        try closing.get()
    }

    /// Removes what killed processes left in `tmp`. To be called when a run begins.
    package func sweepTemporary() throws {
        try StoreError.wrapping("use the store") {
            guard DiskFile.isFolder(connection.location.temporary) else {
                throw DiskError("sweep", connection.location.temporary, code: ENOTDIR)
            }
            _ = try LargeRecord.sweep(connection.location.temporary)
        }
    }
}
