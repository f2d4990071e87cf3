import FundCore

extension StoreLog {
    /// Errors after which the rows may be there all the same.
    private static let leaveOpen: Set<StoreError.Code> = [.io, .uncertain]

    /// Makes appended records durable, writes rows for them in one transaction, and marks them as committed. Blocks.
    ///
    /// - Parameters:
    ///   - generations: when the records were appended, see `sync`.
    ///   - records: the records that have rows now.
    ///   - takeBack: gives the records up after a failure. It is not called after an error of the disk, or of the line
    ///     to the server of the rows: the rows may be there after all.
    func committing<Value, Records: Sequence<AppendedRecord>>(
        _ operation: String, _ room: WriteRoom = .free, appendedIn generations: [Int],
        _ write: (Database) throws -> Value, records: (Value) -> Records, orElse takeBack: () -> Void = {}
    ) throws -> Value {
        do {
            try sync(appendedIn: generations)
            faults.reach(.beforeCommit)
            let (value, step) = try connection.write(operation, room) { db in
                let start = try LogPosition.of(db)
                let value = try write(db)
                return (value, LogStep(start: start, end: try LogPosition.of(db)))
            }
            faults.reach(.afterCommit)
            let used = Array(records(value))
            for record in used { record.noteCommit(step) }
            noteCommits(used)
            return value
        } catch {
            let mayHaveRows = (error as? StoreError).map { Self.leaveOpen.contains($0.code) } ?? false
            if !mayHaveRows { takeBack() }
            throw error
        }
    }
}
