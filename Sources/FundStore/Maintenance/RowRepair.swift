import FundCore

/// Mends rows that are not what was written, as their checksums say: a backup has what the checksum proves, or a person
/// takes them as they are.
struct RowRepair {
    let log: StoreLog
    /// The backup that was named; nil for none.
    let named: NamedBackup?
    let accepts: Bool

    /// Mends rows, and gives what was mended; the rest is found by `StoreCheck`.
    func run() throws -> [VerifyFinding] {
        let connection = log.connection
        let changes = try connection.readAroundDamage("check rows") { try RowChecks.readableChanges($0) }
        guard !changes.isEmpty, named != nil || accepts else { return [] }
        let backup = try named?.database(for: log)
        return try connection.locked("mend rows") { db in
            if let backup { try db.execute("ATTACH ? AS backup", [backup]) }
            defer { if backup != nil { _ = try? db.execute("DETACH backup") } }
            return try db.transaction {
                let mended = try changes.compactMap { try mend($0, db) }
                try db.writeAudit(of: mended)
                return mended
            }
        }
    }

    private func mend(_ change: RowChecks.Change, _ db: Database) throws -> VerifyFinding? {
        if named != nil, try RowChecks.restore(change, db) {
            return finding(.restored, "\(change); the backup has what was written")
        }
        guard accepts else { return nil }
        try RowChecks.accept([change], db)
        return finding(.settled, "\(change); it is taken as it is now")
    }

    private func finding(_ action: VerifyFinding.Action, _ text: String) -> VerifyFinding {
        VerifyFinding(kind: .changedRow, path: "fundmail.sqlite", digest: nil, action: action, detail: text)
    }
}
