import FundCore
internal import Dispatch
internal import Synchronization

/// Renditions and their queue, in the folder `cache` of a store. Opened at the first use.
package final class SQLPreviewStore: Sendable {
    let connection: StoreConnection
    let files: PreviewFiles
    private let opened = Mutex(Opened())
    private let quarantine: Quarantine
    /// The queue of writes: of its own, so that one that waits for another process holds up no reading of the store.
    private let writes = DispatchQueue(label: "fundmail.store.previews")
    /// Renditions that were used since that was written the last time.
    let used = Mutex<[RenditionKey: Timestamp]>([:])

    private struct Opened {
        var database: PreviewDatabase?
        var isClosed = false
        /// Is to be made anew when it is opened next.
        var isDamaged = false
    }

    init(connection: StoreConnection, quarantine: Quarantine) {
        self.connection = connection
        self.quarantine = quarantine
        files = PreviewFiles(location: connection.location, owner: connection.owner)
    }

    /// Whether anything was made for the store: to look into a cache need not make one.
    var hasDatabase: Bool { DiskFile.size(of: connection.location.previewDatabase) != nil }

    func database() throws -> PreviewDatabase {
        try opened.withLock { opened in
            if let database = opened.database { return database }
            guard !opened.isClosed else { throw StoreError(.io, "use the cache of previews", "the store is closed") }
            let made = try PreviewDatabase(
                connection.location, owner: connection.owner, isReadOnly: connection.isReadOnly,
                isDamaged: opened.isDamaged)
            opened.database = made
            opened.isDamaged = false
            return made
        }
    }

    /// Has the cache opened anew at its next use: it was deleted, or the disk has changed it.
    func reopen(isDamaged: Bool) {
        opened.withLock { opened in
            opened.isDamaged = opened.isDamaged || isDamaged
            try? opened.database.take()?.close()
        }
    }

    /// Runs `body`, which uses the database. A damaged one is made anew at its next use: it is a cache.
    private func noticingDamage<Value>(_ operation: String, _ body: () throws -> Value) throws -> Value {
        try StoreError.wrapping(operation) {
            do { return try body() } catch  where ConnectionPool.isDamage(error) {
                reopen(isDamaged: true)
                throw StoreError(.io, operation, "the cache of previews is damaged, and is made anew")
            }
        }
    }

    /// Closes the cache for good. Closing twice is harmless.
    func close() throws {
        try opened.withLock { opened in
            opened.isClosed = true
            try opened.database.take()?.close()
        }
    }

    /// Whether a scanner has looked at all of a content, as far as it can: in SQL, of a row of `verdict`.
    static let isLookedAt = "verdict NOT IN ('unscanned', 'limit')"

    static func isLookedAt(_ content: ContentDigest, _ db: Database) throws -> Bool {
        try db.exists("SELECT 1 FROM verdict WHERE digest = ? AND \(isLookedAt)", [content])
    }

    /// Whether files are held back at which no scanner has looked.
    var isHolding: Bool { quarantine.isHolding }

    /// Whether a content is refused to all users now. Blocks.
    func isQuarantined(_ content: ContentDigest) throws -> Bool { try quarantine.malware(in: content) != nil }

    /// Whether a scanner has looked at a content since a loss of scans, and at all of it as far as it can. Blocks.
    func isScanned(_ content: ContentDigest, since loss: ScanLoss) throws -> Bool {
        guard hasDatabase else { return false }
        return try noticingDamage("look for a verdict") {
            try database().pool.read { db in
                guard try ScanLoss.of(db) == loss else { return false }
                return try Self.isLookedAt(content, db)
            }
        }
    }

    func reading<Value: Sendable>(
        _ operation: String, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await connection.queues.shared.run { [self] in
            try noticingDamage(operation) { try database().pool.read(body) }
        }
    }

    /// Runs one transaction.
    @discardableResult
    func writing<Value: Sendable>(
        _ operation: String, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await writes.run { [self] in
            try noticingDamage(operation) { try database().write(body) }
        }
    }

    /// Runs `body`, which may wait for the disk, apart from Swift's own threads.
    func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await connection.queues.shared.run(body)
    }
}

extension RenditionKey {
    var arguments: SQLArguments { [content, kind.rawValue, page] }

    /// The columns digest, kind and page, from number `index` on; nil for a kind of another version.
    init?(_ row: Row, at index: Int) throws {
        guard let kind = RenditionKind(rawValue: row[index + 1]) else { return nil }
        self.init(try row.digest(index), kind, page: row[index + 2])
    }
}
