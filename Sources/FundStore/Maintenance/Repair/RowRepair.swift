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
        guard !changes.isEmpty else { return [] }
        let backup = try named?.database(for: log)
        return try connection.locked("mend rows") { db in
            try db.attaching(backup, as: "backup") {
                // Rows that cannot be read were told of with the indexes.
                try Database.readable(or: []) {
                    try db.transaction {
                        let mended = try changes.compactMap { try mend($0, db) }
                        try ChangeFeed.publish(db)
                        try db.writeAudit(of: mended)
                        return mended
                    }
                }
            }
        }
    }

    private func mend(_ change: RowChecks.Change, _ db: Database) throws -> VerifyFinding? {
        if named != nil, try RowChecks.restore(change, db) {
            return finding(.restored, "\(change); the backup has what was written")
        }
        guard accepts else { return try leaveOut(change, db) ?? hide(change, db) }
        try RowChecks.accept([change], db)
        return finding(.settled, "\(change); it is taken as it is now")
    }

    /// No mail is filed by an address that may be another person's by now. The one by which a user is called stays
    /// theirs.
    private func leaveOut(_ change: RowChecks.Change, _ db: Database) throws -> VerifyFinding? {
        guard change.isOfSender else { return nil }
        let address: String? = try db.withoutIndexChecks {
            try db.value(
                """
                DELETE FROM address WHERE id = ? AND NOT EXISTS (
                    SELECT 1 FROM "user" WHERE "user".id = user_id AND email = address)
                RETURNING address || ' of ' || coalesce((SELECT email FROM "user" WHERE "user".id = user_id), 'nobody')
                """, [change.row])
        }
        return address.map {
            finding(
                .unrepairable,
                "\(change): \($0) is left out, and mail from there waits at the desk; "
                    + "`fundmail user address add EMAIL ADDRESS` registers it again")
        }
    }

    /// Deletes again what other rows say was deleted, and gives a note back to the owner of its fund whom the feed
    /// names.
    private func hide(_ change: RowChecks.Change, _ db: Database) throws -> VerifyFinding? {
        guard !change.isMissing, !change.isBack,
            let kind = [ItemKind.note, .folder].first(where: { $0.table == change.table })
        else { return nil }
        let (table, id) = (change.table, change.row)
        let isPurged: Bool? = try db.value(
            "SELECT purged_at IS NOT NULL FROM deletion WHERE kind = ? AND item_id = ?", [kind.rawValue, id])
        let emptied = kind == .note ? ", title = '', body = ''" : ", parent_id = NULL, name = '', name_key = ''"
        let hasText = kind == .note ? "title <> '' OR body <> ''" : "name <> ''"
        var isChanged = false
        try db.changeBack(table, id) {
            if kind == .note {
                isChanged =
                    try db.execute(
                        """
                        UPDATE note SET user_id = change.user_id FROM change, fund
                        WHERE note.id = ?1 AND kind = \(kind.rawValue) AND item_id = ?1 AND fund.id = note.fund_id
                            AND change.user_id = fund.owner_id AND note.user_id <> fund.owner_id
                        """, [id]) > 0
            }
            guard let isPurged else { return }
            let count = try db.execute(
                """
                UPDATE \(table) SET deleted_at = coalesce(deleted_at, deletion.at)\(isPurged ? emptied : "")
                FROM deletion WHERE \(table).id = ?1 AND (deleted_at IS NULL\(isPurged ? " OR \(hasText)" : ""))
                    AND kind = \(kind.rawValue) AND item_id = ?1
                """, [id])
            isChanged = isChanged || count > 0
        }
        guard isChanged else { return nil }
        return try RowChecks.isProved(id, of: table, db) == true
            ? finding(.restored, "\(change); deletions and the feed of changes tell what was written")
            : finding(.settled, "\(change); it is deleted and whose it was again, as other rows say")
    }

    private func finding(_ action: VerifyFinding.Action, _ text: String) -> VerifyFinding {
        VerifyFinding(rows: .changedRow, action, text)
    }
}
