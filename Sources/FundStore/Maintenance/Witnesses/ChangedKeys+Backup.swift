import FundCore

extension ChangedKeys {
    /// Decides by the backup, which tells the truth only of what has not changed since.
    mutating func decideByBackup(_ key: Key, mayChange: Bool) throws {
        guard let backup else { return undecided.append(Undecided(row: key.row, text: key.description)) }
        let (table, isThere) = (key.row.table, key.column == RowWitnesses.existence)
        let kept: [String]? = try DatabaseFile.read(backup) { kept in
            try kept.row(
                """
                SELECT \(isThere ? "'1'" : "quote(\(key.column))"), \(try Self.rest(of: table, but: key.column, db))
                FROM \(Database.quoted(table)) WHERE \(key.row.condition())
                """
            ).map { [$0[0], $0[1]] }
        }
        guard let kept else {
            return undecided.append(Undecided(row: key.row, text: key.description, kept: .missing))
        }
        let rest: String? = try db.value(
            "SELECT \(try Self.rest(of: table, but: key.column, db)) FROM \(SQL.scan(Database.quoted(table))) "
                + "WHERE \(key.row.condition())")
        let isSame = rest == kept[1]
        // A name that is as its key says, and another than that of the backup, was given since.
        if key.column == "name_key", kept[0] == key.inIndex,
            let name: String = try db.value("SELECT name FROM \(SQL.scan(table)) WHERE id = ?", [key.row.values[0]]),
            try db.value("SELECT quote(?)", [FileName.key(name)]) == key.inRow
        {
            return
        }
        if isThere {
            // Its indexes once had it: they are newer than the row.
            if isSame, mayChange { return changed.append(key) }
        } else if isSame, let isUnchanged = try isUnchangedInFeed(key, backup) {
            // The row is as in the backup, though the feed has changes since: it is an old one.
            if kept[0] == key.inRow, !isUnchanged, mayChange, try canSet(key, 1) { return changed.append(key) }
            if kept[0] == key.inRow, isUnchanged { return }  // the index is what is damaged
            if kept[0] == key.inIndex, isUnchanged, mayChange, try canSet(key, 1) { return changed.append(key) }
        }
        undecided.append(Undecided(row: key.row, text: key.description, kept: .other(kept[0])))
    }

    /// All other columns of a row as one text.
    private static func rest(of table: String, but column: String, _ db: Database) throws -> String {
        try db.columns(of: table).filter { $0 != column }.map { "quote(\(Database.quoted($0)))" }
            .joined(separator: " || ',' || ")
    }

    /// Whether the feed of changes has nothing newer of an item than the backup: what was moved, given away or
    /// overwritten stands there. Nil where a row of another kind may have changed.
    private func isUnchangedInFeed(_ key: Key, _ backup: String) throws -> Bool? {
        var items = ItemKind.allCases.filter { $0.table == key.row.table }.map { ($0, "\(key.row.values[0])") }
        if key.row.table == "attachment", key.column == "email_id" {
            items = [(.email, key.inRow), (.email, key.inIndex)]
        }
        let isUnchanged = try items.allSatisfy { kind, id in
            let then = try DatabaseFile.read(backup) { try ChangeFeed.points(of: kind, id, $0) }
            let now = try ChangeFeed.points(of: kind, id, db)
            return then.isEmpty && now.isEmpty || !then.isDisjoint(with: now)
        }
        return isUnchanged || key.row.table != "attachment" ? isUnchanged : nil
    }
}
