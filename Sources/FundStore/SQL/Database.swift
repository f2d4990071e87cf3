/// The engine that holds the rows. Code above it speaks of `Database`, `Row`, `SQL` and `WordIndex`, and uses what
/// `SQLConnection` and `SQLDialect` promise; the folder `SQLite` alone knows more.
typealias Database = SQLiteConnection
typealias Row = SQLiteRow
typealias SQL = SQLiteDialect
typealias WordIndex = FTSWordIndex

extension SQLiteConnection: SQLConnection {}
extension SQLiteDialect: SQLDialect {}
