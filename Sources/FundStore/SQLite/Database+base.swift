internal import GRDB

extension Database {
    init(base: GRDB.Database) { self = .sqlite(SQLiteConnection(base: base)) }

    /// GRDB's connection. Throws `invalid` for another engine.
    var base: GRDB.Database { get throws { try file.base } }
}
