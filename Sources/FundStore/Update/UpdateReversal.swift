internal import Glibc
import FundCore

/// The way back to an earlier version: the rows that an update copied take the place of the present ones, which are
/// kept in `lost/`. The log stays as it is, so that the earlier version finds the mail there that came since.
struct UpdateReversal {
    let location: StoreLocation
    private let operation = "give the store its earlier rows"

    /// Gives the number of the schema of the rows that are there now, and the name in the store of those that were.
    /// Throws `notFound` without a copy of an earlier schema than the present one, `held` while a process uses the
    /// store. Nothing was changed then.
    func run() throws -> (schema: Int, kept: String) {
        let owner = FileOwner(of: location.root)
        let (writeLock, useLock) = (
            try FileLock(path: location.writeLock, owner: owner), try FileLock(path: location.useLock, owner: owner)
        )
        defer {
            useLock.close()
            writeLock.close()
        }
        guard try writeLock.acquire(waitingUpTo: .zero), try useLock.acquire(waitingUpTo: .zero) else {
            throw StoreError(
                .held, operation, "a process uses it: end `fundmail serve`, `watch` and what else runs")
        }
        let (schema, copy) = try latestCopy()
        try prepare(forSchema: schema)
        let draft = location.updateCopy + ".back"
        unlink(draft)
        try DiskFile.copy(copy, to: draft, owner: owner, isNew: true)
        let kept = try location.keepInLost(location.databaseName, owner: owner)
        // SQLite must not take them for those of the other database. They hold nothing any more.
        for path in [location.writeAheadLog, location.sharedMemory] { unlink(path) }
        try DiskFile.rename(draft, to: location.database)
        for folder in [location.root, location.lost] { try DiskFile.syncNames(in: folder) }
        return (schema, kept)
    }

    /// The copy of an update that has not ended is the latest.
    private func latestCopy() throws -> (schema: Int, path: String) {
        let migrations = Schema.migrations
        if let schema = StoreUpdate.schemaOfCopy(location, migrations) { return (schema, location.updateCopy) }
        guard let schema = StoreUpdate.copies(in: location).last(where: { $0 <= migrations.steps.count }) else {
            throw StoreError(
                .notFound, operation,
                "there is no copy of earlier rows (fundmail.sqlite.schema-N) in \(location.root); make a store of a "
                    + "backup (`fundmail restore`)")
        }
        return (schema, location.earlierRows(ofSchema: schema))
    }

    /// Checks that the present rows are later, and moves all of them into the one file.
    private func prepare(forSchema schema: Int) throws {
        let (pool, migrations) = (try ConnectionPool(path: location.database, isReadOnly: false), Schema.migrations)
        let isLater = try pool.withWriter { db in
            db.truncateWAL(waitingUpTo: 1000)
            let present = try migrations.steps.count - migrations.pending(in: db).count
            return try present > schema || migrations.areSuperseded(in: db)
        }
        try pool.close()
        guard isLater else {
            throw StoreError(.notFound, operation, "its rows are of no later schema than the copy (\(schema))")
        }
        guard DiskFile.size(of: location.writeAheadLog) ?? 0 == 0 else {
            throw StoreError(.held, operation, "a process reads it: end what runs")
        }
    }
}
