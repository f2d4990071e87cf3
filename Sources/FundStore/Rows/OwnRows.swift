import FundCore

/// Rows of things that one user has and names, such as drives, within one transaction.
protocol OwnRows {
    var db: Database { get }
    var user: User.ID { get }
}

extension OwnRows {
    /// Throws `alreadyExists` where another thing of the user has the name.
    /// - Parameters:
    ///   - table: one with the columns `id`, `user_id` and `name_key`.
    ///   - thing: the one that is to have the name; nil for a new one.
    func checkFree<Thing>(
        _ name: String, in table: String, besides thing: ID<Thing>?, _ operation: String
    ) throws {
        let isTaken = try db.exists(
            "SELECT 1 FROM \(table) WHERE user_id = ? AND name_key = ? AND id <> ?",
            [user, FileName.key(name), thing ?? ID(0)])
        if isTaken { throw StoreError(.alreadyExists, operation, "the name \(name) is taken") }
    }

    /// - Parameter actor: the one who does it; nil for the user.
    func writeAudit(
        _ action: AuditAction, of name: String, _ detail: String, by actor: String? = nil, _ operation: String
    ) throws {
        let actor = try actor ?? UserRows.email(of: user, db, operation)
        try db.writeAudit(action, of: name, detail, by: actor)
    }
}
