import FundCore
import PostgreSQLRoom

/// The move of rows from the folder to a server.
struct MoveToServer: RowMove {
    /// Address of the database.
    let address: String

    func plan(_ migration: EngineMigration, _ owner: FileOwner?) throws -> MigrationPlan {
        try looking(migration) { pool, copy, ground in
            let isBegun = if case .empty = ground { false } else { true }
            return try pool.read { source in
                let rows = try source.countRows(of: copy.outline.tables)
                return .moves(rows: rows, bytes: try source.neededBytes, isContinued: isBegun)
            }
        }
    }

    func run(_ migration: EngineMigration, _ owner: FileOwner?) throws -> MigrationReport {
        var report = try looking(migration) { pool, copy, ground in
            var isOwn = true
            if case .complete = ground { isOwn = false } else { try pool.read { try copy.run(from: $0, on: ground) } }
            // Rows as they are now: a change on the way is found on either side.
            let report = try pool.read { try compare($0, copy, isOwn: isOwn, migration) }
            try copy.end()
            migration.faults.reach(.afterComparedRows)
            var places = try StorePlaces(store: copy.store, rows: address)
            places.bytes = try StorePlaces.read(migration.location, migration.operation)?.bytes
            try places.write(to: migration.location, owner: owner)
            migration.faults.reach(.afterOtherEngine)
            return report
        }
        report.kept = try migration.putAside(owner)
        return report
    }

    /// Hands over both sides, of which each is what it has to be.
    private func looking<Value>(
        _ migration: EngineMigration, _ body: (ConnectionPool, ServerCopy, ServerCopy.Ground) throws -> Value
    ) throws -> Value {
        let operation = migration.operation
        let pool = try ConnectionPool(path: migration.location.database, isReadOnly: false)
        defer { try? pool.close() }
        migration.counter.begin(.looking)
        // The rows that are kept afterwards are one file then.
        try pool.withWriter { $0.truncateWAL(waitingUpTo: 1000) }
        let store = try pool.read { try check($0, operation) }
        guard let settings = try StorePlaces(store: store, rows: address).rowSettings(operation) else {
            throw StoreError(.invalid, operation, "no database is named")
        }
        let rows = PostgreSQLRows(settings.patient, size: 1)
        defer { rows.close() }
        let outline = try Schema.migrations.outline()
        let ground = try ServerCopy.ground(rows, for: store, outline)
        switch ground {
        case .empty, .begun: break
        case .complete(let found) where found == store: try rows.checkSchema(operation)
        case .complete: throw refusal("the rows of another store", operation)
        case .other: throw refusal("other tables", operation)
        }
        let copy = ServerCopy(
            rows: rows, store: store, outline: outline, counter: migration.counter, faults: migration.faults)
        return try body(pool, copy, ground)
    }

    private func refusal(_ what: String, _ operation: String) -> StoreError {
        StoreError(
            .invalid, operation,
            "\(address) has \(what). Nothing was changed: name an empty database (`createdb -E UTF8 NAME`)")
    }

    /// Gives the identity of a store of this version whose rows are whole.
    private func check(_ source: Database, _ operation: String) throws -> Int64 {
        try StoreConnection.checkProgram(source, Schema.migrations, operation)
        guard try !source.hasNoTables else {
            throw StoreError(.notAStore, operation, "fundmail.sqlite has no tables; `fundmail init` makes a store")
        }
        guard try Schema.migrations.areComplete(in: source) else {
            throw StoreError(.invalid, operation, "it was written by an older version: run `fundmail update` first")
        }
        let problems = try source.problems()
        let changed = try RowChecks.readableChanges(source).map(\.description)
        if let problem = (problems.integrity + problems.references + changed).first {
            throw StoreError(
                .corrupted, operation,
                "its rows are not whole (\(problem)), and they go nowhere before they are mended")
        }
        return try StoreIdentity.of(source) ?? 0
    }

    /// - Parameter isOwn: whether this migration copied the rows.
    private func compare(
        _ source: Database, _ copy: ServerCopy, isOwn: Bool, _ migration: EngineMigration
    ) throws -> MigrationReport {
        var differing: StoreTable?
        do {
            return try copy.rows.read(migration.operation) { server in
                try migration.compare(source, with: .postgreSQL(server), copy.outline) { differing = $0 }
            }
        } catch {
            guard isOwn else {
                throw differing == nil ? error : refusal("rows of this store of another time", migration.operation)
            }
            if let differing {
                try copy.rows.write(migration.operation, .readCommitted) {
                    try CopyMarks(db: .postgreSQL($0)).forget(differing)
                }
            }
            throw error
        }
    }
}
