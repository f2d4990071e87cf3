internal import Dispatch
internal import GRDB
internal import GRDBSQLite

/// Ends statements that take too long (https://www.sqlite.org/c3ref/progress_handler.html).
enum TimeLimit {
    /// Between two looks at the clock: some 10 µs of work.
    private static let instructions: Int32 = 1000

    /// Whatever `body` asks of the database fails with `SQLITE_INTERRUPT` once the time is over.
    static func run<Value>(_ limit: Duration, on db: Database, _ body: () throws -> Value) rethrows -> Value {
        let (seconds, attoseconds) = limit.components
        let nanoseconds = UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000)
        var end = DispatchTime.now().uptimeNanoseconds + nanoseconds
        return try withUnsafeMutablePointer(to: &end) { end in
            sqlite3_progress_handler(
                db.sqliteConnection, instructions,
                { context in
                    guard let end = context?.assumingMemoryBound(to: UInt64.self) else { return 0 }
                    return DispatchTime.now().uptimeNanoseconds >= end.pointee ? 1 : 0
                }, end)
            defer { sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil) }
            return try body()
        }
    }
}
