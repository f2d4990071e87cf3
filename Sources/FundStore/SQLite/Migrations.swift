internal import GRDB

/// The numbered steps from an empty database to the present schema. The database records those that were taken.
struct Migrations {
    private(set) var migrator = DatabaseMigrator()
    private(set) var steps: [SchemaStep] = []

    /// Adds the next step. It leaves its number in the header of the file, where an installer finds it without SQLite
    /// (https://www.sqlite.org/fileformat.html#user_version_number).
    ///
    /// - Parameters:
    ///   - title: see `SchemaStep.title`; every step of a store has one.
    ///   - rewrites: see `SchemaStep.rewrites`.
    mutating func add(
        _ name: String, _ title: String = "", rewrites: Bool = false,
        _ migrate: @escaping @Sendable (Database) throws -> Void
    ) {
        let number = steps.count + 1
        steps.append(SchemaStep(number: number, name: name, title: title, rewrites: rewrites))
        migrator.registerMigration(name) {
            let db = Database(base: $0)
            try migrate(db)
            try db.run(script: "PRAGMA user_version = \(number)")
        }
    }

    /// Takes the steps that the database has not taken, each in a transaction.
    func run(on pool: ConnectionPool) throws { try migrator.migrate(pool.base) }

    func run(on pool: ConnectionPool, afterEach: () -> Void) throws {
        let pending = try pool.withWriter(pending)
        // GRDB takes no single step before one that was taken already.
        guard pending == Array(steps.suffix(pending.count)) else { return try run(on: pool) }
        for step in pending {
            try migrator.migrate(pool.base, upTo: step.name)
            afterEach()
        }
    }

    /// The database was written by a later version.
    func areSuperseded(in db: Database) throws -> Bool { try migrator.hasBeenSuperseded(db.base) }

    func areComplete(in db: Database) throws -> Bool { try migrator.hasCompletedMigrations(db.base) }

    /// The steps that the database has not taken yet, in their order.
    func pending(in db: Database) throws -> [SchemaStep] {
        let taken = try migrator.appliedIdentifiers(db.base)
        return steps.filter { !taken.contains($0.name) }
    }
}
