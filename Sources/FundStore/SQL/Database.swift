/// The engine that holds the rows. Code above it speaks of `Database`, `Row`, `SQL` and `WordIndex`, and uses what
/// `SQLConnection` and `SQLDialect` promise, beside scripts of the schema, damage and room on the disk.
typealias Database = SQLiteConnection
typealias Row = SQLiteRow
typealias SQL = SQLiteDialect
typealias WordIndex = FTSWordIndex

extension SQLiteConnection: SQLConnection {}
extension SQLiteDialect: SQLDialect {}
