internal import Glibc
import FundCore

/// The way back to an earlier version: the rows that an update copied take the place of the present ones, which are
/// kept in `lost/`. The log stays as it is, so that the earlier version finds the mail there that came since.
struct UpdateReversal {
    let location: StoreLocation
    private let operation = "give the store its earlier rows"

    /// Gives the number of the schema of the rows that are there now, and the name in the store of those that were.
    /// Throws `notFound` without a copy by the last update, `corrupted` for one that is damaged, `held` while a process
    /// uses the store. Nothing was changed then.
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
        let copy = try latestCopy()
        try prepare(forSchema: copy.schema)
        let draft = location.updateCopy + ".back"
        unlink(draft)
        do {
            try DiskFile.copy(copy.path, to: draft, owner: owner, isNew: true)
            try check(draft, of: copy)
        } catch {
            unlink(draft)
            throw error
        }
        let kept = try location.keepInLost(location.databaseName, owner: owner)
        // SQLite must not take them for those of the other database. They hold nothing any more.
        for path in [location.writeAheadLog, location.sharedMemory] { unlink(path) }
        try DiskFile.rename(draft, to: location.database)
        for folder in [location.root, location.lost] { try DiskFile.syncNames(in: folder) }
        return (copy.schema, kept)
    }

    /// The copy of the last update, which may not have ended; of an update that gave no number the latest.
    private func latestCopy() throws -> CopiedRows {
        let migrations = Schema.migrations
        let schemas = StoreUpdate.copies(in: location).filter { $0 <= migrations.steps.count }
        let paths = [location.updateCopy] + schemas.reversed().map { location.earlierRows(ofSchema: $0) }
        let mark = try? DatabaseFile.read(location.database) { try UpdateMark.last($0) }
        let copies = paths.compactMap { CopiedRows($0, migrations) }.filter { copy in
            copy.path == location.updateCopy || copy.path == location.earlierRows(ofSchema: copy.schema)
        }
        if let copy = copies.first(where: { mark == nil || $0.mark == mark }) { return copy }
        let names = schemas.map { location.earlierRows(ofSchema: $0) }.joined(separator: ", ")
        let found =
            schemas.isEmpty
            ? "there is no copy of earlier rows (fundmail.sqlite.schema-N) in \(location.root)"
            : "\(names) has not the rows from before the last update, or cannot be read"
        throw StoreError(.notFound, operation, "\(found); make a store of a backup (`fundmail restore`)")
    }

    /// Copies lie for months: looks for damage by the disk before the present rows go.
    private func check(_ draft: String, of copy: CopiedRows) throws {
        do {
            let problem = try DatabaseFile.read(draft) { try $0.integrityProblems().first }
            guard let problem else { return }
            throw StoreError(.corrupted, operation, damage(copy, problem.text))
        } catch let error where ConnectionPool.isDamage(error) {
            throw StoreError(.corrupted, operation, damage(copy, "\(error)"))
        }
    }

    private func damage(_ copy: CopiedRows, _ problem: String) -> String {
        "\(copy.path) is damaged (\(problem)), and nothing was changed; make a store of a backup (`fundmail restore`)"
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
