internal import Dispatch
internal import GRDB
internal import GRDBSQLite
import FundCore

extension SQLiteConnection {
    /// Instructions between two looks at the clock: some 10 µs of work.
    private static let instructions: Int32 = 1000

    /// Ends what `body` asks of the database, and throws `tookTooLong`, once `limit` is over
    /// (https://www.sqlite.org/c3ref/progress_handler.html).
    func limited<Value>(to limit: Duration, _ operation: String, _ body: () throws -> Value) throws -> Value {
        let (seconds, attoseconds) = limit.components
        let nanoseconds = UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000)
        var end = DispatchTime.now().uptimeNanoseconds + nanoseconds
        do {
            return try withUnsafeMutablePointer(to: &end) { end in
                sqlite3_progress_handler(
                    base.sqliteConnection, Self.instructions,
                    { context in
                        guard let end = context?.assumingMemoryBound(to: UInt64.self) else { return 0 }
                        return DispatchTime.now().uptimeNanoseconds >= end.pointee ? 1 : 0
                    }, end)
                defer { sqlite3_progress_handler(base.sqliteConnection, 0, nil, nil) }
                return try body()
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            throw StoreError(.tookTooLong, operation, "it took longer than \(limit)")
        }
    }
}
