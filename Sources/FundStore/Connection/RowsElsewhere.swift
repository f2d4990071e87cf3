internal import Glibc
import FundCore

/// The file in place of a store's database whose rows are on a server. Versions that know no such stores find the
/// database of a later version there, and refuse the folder instead of making an empty store in it.
enum RowsElsewhere {
    /// Step that no version takes: GRDB takes a database with it for one of a later version.
    private static let step = "rows are on a server"

    /// Puts it where no database is, in one step, durably. Throws `DiskError`, and the errors of SQLite.
    static func put(at location: StoreLocation, owner: FileOwner?) throws {
        let draft = "\(location.database).new"
        StoreLocation.removeDatabase(draft)
        close(try DiskFile.open(draft, owner: owner))
        try DatabaseFile.change(draft) { db in
            try db.sign(Schema.applicationID, version: Schema.migrations.steps.count)
            try db.run(script: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            try db.execute("INSERT INTO grdb_migrations (identifier) VALUES (?)", [step])
        }
        try DiskFile.sync(draft)
        try DiskFile.rename(draft, to: location.database)
        try DiskFile.syncNames(in: location.root)
    }

    /// Whether a database is such a file.
    static func isMarked(_ db: Database) throws -> Bool {
        try db.hasTable("grdb_migrations")
            && db.exists("SELECT 1 FROM grdb_migrations WHERE identifier = ?", [step])
    }
}
