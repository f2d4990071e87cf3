/// The positions of the database, see `LogPosition`, before and after one transaction.
struct LogStep {
    var start: Int64
    /// Equal to `start` where the transaction gave no record a row.
    var end: Int64
}
