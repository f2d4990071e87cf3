package import FundCore

/// Letters on their way out. `LetterQueue` writes them, in the transactions that cause them.
package struct SQLOutboxStore: OutboxRegister {
    let connection: StoreConnection

    static func letter(_ id: OutboxLetter.ID, _ db: Database, _ operation: String) throws -> OutboxLetter {
        try db.rows("SELECT \(OutboxRows.columns) FROM outbox WHERE id = ?", [id], as: OutboxLetter.init(row:))
            .one(operation, "there is no letter \(id)")
    }
}

extension OutboxLetter: ListedItem {
    var cursor: ListCursor { ListCursor(id.rawValue) }
    var textBytes: Int { note?.utf8.count ?? 0 }
}
