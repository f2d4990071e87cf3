internal import GRDB

/// The history of the server that the rows are of. All calls throw `SyncLocalError`, but for what a body throws.
extension SyncState {
    private static let historyName = "history"

    /// Whether the rows are of another history than that. It is noted where none is.
    func isOther(_ history: RemoteHistory) throws -> Bool {
        guard let known = try setting(Self.historyName).flatMap(RemoteHistory.init) else {
            // Written before histories were noted: one refusal at least means that the rows may be of another.
            if history.round > 1, try hasRows { return true }
            try set(Self.historyName, to: history.text)
            return false
        }
        guard known.isSame(as: history) else { return true }
        if known != history, history.server != nil { try set(Self.historyName, to: history.text) }
        return false
    }

    private var hasRows: Bool {
        get throws {
            return try reading { try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM item)") ?? false }
        }
    }

    /// Forgets what is known by the server's ids; which bytes the files here have stays known.
    func forgetServer(for history: RemoteHistory) throws {
        try writing { db in
            try Self.forgetServer(db)
            try db.execute(
                sql: "INSERT OR REPLACE INTO setting VALUES (?, ?)", arguments: [Self.historyName, history.text])
        }
    }

    /// Calls the body with what there would be after `forgetServer`, and forgets nothing.
    func readWithoutServer<Value>(_ body: (BasePlaces) throws -> Value) throws -> Value {
        try queue.writeWithoutTransaction { db in
            try db.beginTransaction()
            defer { try? db.rollback() }
            try Self.forgetServer(db)
            return try body(BasePlaces(db))
        }
    }

    private static func forgetServer(_ db: Database) throws {
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO former
                    SELECT inode, size, modified, changed, digest FROM item WHERE digest IS NOT NULL;
                DELETE FROM item; DELETE FROM deleting; DELETE FROM unrecorded;
                DELETE FROM setting WHERE name LIKE 'upload %'
                """)
    }

    /// Forgets what `forgetServer` kept, once both sides are in step: the rows have the digests then.
    func forgetFormer() throws {
        // A transaction that writes costs more than a look.
        let isEmpty = try reading {
            try Bool.fetchOne($0, sql: "SELECT NOT EXISTS (SELECT 1 FROM former)") ?? true
        }
        if isEmpty { return }
        try writing { try $0.execute(sql: "DELETE FROM former") }
    }
}
