import FundCore

extension StoreConnection {
    /// Mends rows beside whatever else uses the store, where a look says that this is needed; not where the rows cannot
    /// be read. Gives what was done.
    func mend(
        _ operation: String, if isNeeded: (Database) throws -> Bool, _ body: (Database) throws -> [VerifyFinding]
    ) throws -> [VerifyFinding] {
        let isNeeded = try readAroundDamage(operation) { db in try Database.readable(or: false) { try isNeeded(db) } }
        return isNeeded ? try write(operation, .reserve, body) : []
    }
}
