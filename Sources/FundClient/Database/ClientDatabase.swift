internal import Foundation
internal import GRDB
#if canImport(SQLiteRoom)
    internal import SQLiteRoom
#endif

/// The local database of one account: catalogue, transfers and cache. Several processes may have it open at once, and
/// each may die at any moment: every change is one transaction in a write-ahead log.
final class ClientDatabase: Sendable {
    /// Folder of the account, with the database and all that belongs to it.
    let folder: String
    private let pool: DatabasePool

    /// Makes the folder and the tables that are missing.
    init(in folder: String) throws(ClientError) {
        self.folder = folder
        do {
            try LocalFiles.makeFolders(folder)
            // Two processes that make the tables at once would stumble over each other.
            let lock = try OpenFile(folder + "/catalogue.lock", .write)
            try lock.waitForLock()
            pool = try DatabasePool(path: folder + "/catalogue.sqlite", configuration: Self.configuration)
            try Self.migrator.migrate(pool)
        } catch {
            throw ClientError(local: error)
        }
    }

    private static var configuration: Configuration {
        #if canImport(SQLiteRoom)
            SharedMemoryRoom.install()
        #endif
        var configuration = Configuration()
        configuration.label = "FundClient"
        // Longer than any transaction here takes, also on a slow disk.
        configuration.busyMode = .timeout(30)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { db in
            // A power cut may take the last transactions, never the file: the server and the disk still have what they
            // told.
            try db.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4000; PRAGMA temp_store = FILE")
        }
        return configuration
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("catalogue") { try $0.execute(sql: CatalogueSchema.script) }
        migrator.registerMigration("transfers") { try $0.execute(sql: TransferSchema.script) }
        migrator.registerMigration("cache") { try $0.execute(sql: CacheSchema.script) }
        migrator.registerMigration("batches") { try $0.execute(sql: TransferSchema.batches) }
        migrator.registerMigration("places") { try $0.execute(sql: CatalogueSchema.places) }
        migrator.registerMigration("histories") { try $0.execute(sql: CatalogueSchema.histories) }
        return migrator
    }

    /// Reads one state of the database.
    func read<Value: Sendable>(
        _ body: @Sendable @escaping (Database) throws -> Value
    ) async throws(ClientError) -> Value {
        do { return try await pool.read(body) } catch { throw ClientError(local: error) }
    }

    /// The database as it is now, whatever is written later.
    func snapshot() throws(ClientError) -> DatabaseSnapshot {
        do { return try pool.makeSnapshot() } catch { throw ClientError(local: error) }
    }

    /// All of what the closure does, or nothing.
    func write<Value: Sendable>(
        _ body: @Sendable @escaping (Database) throws -> Value
    ) async throws(ClientError) -> Value {
        do { return try await pool.write(body) } catch { throw ClientError(local: error) }
    }

    func close() throws(ClientError) {
        do { try pool.close() } catch { throw ClientError(local: error) }
    }
}
