internal import Glibc
import FundCore
import PostgreSQLRoom

/// The move of rows from a server to the folder.
struct MoveToFolder: RowMove {
    let places: StorePlaces

    func plan(_ migration: EngineMigration, _ owner: FileOwner?) throws -> MigrationPlan {
        try looking(migration) { rows, bytes in
            let outline = try Schema.migrations.outline()
            let count = try rows.read(migration.operation) { try Database.postgreSQL($0).countRows(of: outline.tables) }
            return .moves(
                rows: count, bytes: bytes, isContinued: DiskFile.size(of: migration.location.migrationDraft) != nil)
        }
    }

    func run(_ migration: EngineMigration, _ owner: FileOwner?) throws -> MigrationReport {
        let (location, operation) = (migration.location, migration.operation)
        return try looking(migration) { rows, _ in
            let draft = location.migrationDraft
            let copy = FileCopy(
                path: draft, owner: owner, outline: try Schema.migrations.outline(), counter: migration.counter,
                faults: migration.faults)
            _ = try rows.read(operation) { try copy.run(from: .postgreSQL($0)) }
            migration.faults.reach(.afterCopiedRows)
            // Rows as they are now: a change on the way is found on either side.
            var report = try rows.read(operation) { server in
                var differing: StoreTable?
                do {
                    return try DatabaseFile.read(draft) { file in
                        try migration.compare(.postgreSQL(server), with: file, copy.outline) { differing = $0 }
                    }
                } catch {
                    if let differing { try DatabaseFile.change(draft) { try CopyMarks(db: $0).forget(differing) } }
                    throw error
                }
            }
            try copy.finish()
            migration.faults.reach(.afterComparedRows)
            try DiskFile.rename(draft, to: location.database)
            try DiskFile.syncNames(in: location.root)
            migration.faults.reach(.afterOtherEngine)
            try forgetServer(in: location, owner)
            report.kept = places.rows
            return report
        }
    }

    /// From now on the rows are in the folder.
    private func forgetServer(in location: StoreLocation, _ owner: FileOwner?) throws {
        var others = places
        others.rows = nil
        guard others.bytes == nil else { return try others.write(to: location, owner: owner) }
        guard unlink(location.places) == 0 else { throw DiskError("remove", location.places) }
        try DiskFile.syncNames(in: location.root)
    }

    /// Hands over the server, whose rows are those of the store and of this version, and the size of its database, for
    /// which the folder has room.
    private func looking<Value>(
        _ migration: EngineMigration, _ body: (PostgreSQLRows, Int64) throws -> Value
    ) throws -> Value {
        let (location, operation) = (migration.location, migration.operation)
        guard let settings = try places.rowSettings(operation) else {
            throw StoreError(.invalid, operation, "no database is named")
        }
        migration.counter.begin(.looking)
        let rows = PostgreSQLRows(settings.patient, size: 1)
        defer { rows.close() }
        try rows.checkStore(places.store, operation)
        let bytes: Int64 = try rows.ask(operation) { try $0.value("SELECT pg_database_size(current_database())") ?? 0 }
        let space = StoreSpace(location: location, owner: nil, isReadOnly: true)
        let needed = max(0, bytes - (DiskFile.size(of: location.migrationDraft) ?? 0))
        guard space.room >= needed else {
            throw StoreError(
                .outOfSpace, operation, "the rows take up to \(needed) bytes, and the disk has \(max(0, space.room))")
        }
        return try body(rows, bytes)
    }
}
