import FundCore

/// Items in a fund of another person than the feed of changes names, as rows of an old backup may be. They are
/// moved into a fund of the owner whom the feed names.
struct StrayItems {
    let db: Database

    /// Rows of a table whose fund is another person's. Where the feed names another owner of the fund itself, that is
    /// what is wrong, and its items say nothing. What the owner of the fund has, too, is theirs: the other person was a
    /// member.
    static func strays(_ kind: ItemKind) -> String {
        """
        SELECT item.id, item_change.user_id FROM \(kind.table) AS item JOIN fund ON fund.id = item.fund_id
            JOIN change AS item_change ON item_change.kind = \(kind.rawValue) AND item_change.item_id = item.id
            JOIN change AS fund_change ON fund_change.kind = \(ItemKind.fund.rawValue)
                AND fund_change.item_id = fund.id AND fund_change.user_id = fund.owner_id
            JOIN "user" ON "user".id = item_change.user_id
        WHERE item_change.user_id <> fund.owner_id AND NOT EXISTS (SELECT 1 FROM fund_member
            WHERE fund_member.user_id = item_change.user_id AND fund_member.fund_id = fund.id)
            AND NOT EXISTS (SELECT 1 FROM change AS own WHERE own.kind = \(kind.rawValue) AND own.item_id = item.id
                AND own.user_id = fund.owner_id)
        """
    }

    /// Stray items of which the feed's index says the same as its row, and which that owner has not given away since:
    /// where anything contradicts the feed, nothing is moved.
    private static func provenStrays(_ kind: ItemKind) -> String {
        """
        \(strays(kind)) AND EXISTS (SELECT 1 FROM \(SQL.table("change AS entry", using: "change_user"))
            WHERE entry.user_id = item_change.user_id AND entry.seq = item_change.seq)
            AND NOT EXISTS (SELECT 1 FROM departure WHERE departure.owner_id = item_change.user_id
                AND departure.kind = item_change.kind AND departure.item_id = item_change.item_id
                AND departure.seq > item_change.seq)
        """
    }

    /// Live files or folders in a folder that is deleted or of another fund.
    static func misplaced(_ kind: ItemKind) -> String {
        """
        SELECT item.id FROM \(kind.table) AS item JOIN folder AS holder ON holder.id = item.\(kind.parentColumn)
        WHERE item.deleted_at IS NULL AND (holder.deleted_at IS NOT NULL OR holder.fund_id <> item.fund_id)
        """
    }

    /// Mends the store in use, and gives what was done.
    static func repair(_ connection: StoreConnection) throws -> [VerifyFinding] {
        let queries = ItemKind.inFunds.map(provenStrays) + [ItemKind.folder, .file].map(misplaced)
        // Rows that cannot be read were told of before.
        return try Database.readable(or: []) {
            try connection.mend("settle stray items") { db in
                try queries.contains { try db.row("\($0) LIMIT 1") != nil }
            } _: { db in
                try StrayItems(db: db).settle().map { VerifyFinding(rows: .library, .settled, $0) }
            }
        }
    }

    /// Moves them, and says so, a sentence for each owner. To be called where indexes and triggers are.
    func settle() throws -> [String] {
        var counts: [User.ID: Int] = [:]
        var funds: [User.ID: Fund.ID] = [:]
        let rows = FundRows(db: db, actor: "fundmail")
        for kind in ItemKind.inFunds {
            let strays: [(Int64, User.ID)] = try db.rows(Self.provenStrays(kind)) { ($0[0], $0[1]) }
            for (id, owner) in strays {
                let fund = try funds[owner] ?? rows.findOrInsert(FundRows.recovered, owner: owner)
                funds[owner] = fund
                try move(kind, id, to: fund, of: owner)
                counts[owner, default: 0] += 1
            }
        }
        var notes = try counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { owner, count in
            let email = try UserRows.email(of: owner, db, "settle items")
            return "\(count) items of \(email) lay in a fund of another person: they are in the fund "
                + "“\(FundRows.recovered)” of \(email) now, who may move them on"
        }
        let misplaced = try takeOutOfFolders()
        if misplaced > 0 {
            notes.append(
                "\(misplaced) files and folders lay in a folder of another fund, or in a deleted one: they lie "
                    + "at the top of their fund now")
        }
        return notes
    }

    private func move(_ kind: ItemKind, _ id: Int64, to fund: Fund.ID, of owner: User.ID) throws {
        switch kind {
        case .fund: break
        case .email, .note:
            try db.execute("UPDATE \(kind.table) SET fund_id = ?, user_id = ? WHERE id = ?", [fund, owner, id])
        case .file, .folder: try put(kind, id, atTopOf: fund)
        }
        try db.execute("UPDATE deletion SET owner_id = ? WHERE kind = \(kind.rawValue) AND item_id = ?", [owner, id])
    }

    private func takeOutOfFolders() throws -> Int {
        var count = 0
        for kind in [ItemKind.folder, .file] {
            for id: Int64 in try db.values(Self.misplaced(kind)) {
                guard let fund: Fund.ID = try db.value("SELECT fund_id FROM \(kind.table) WHERE id = ?", [id]) else {
                    continue
                }
                try put(kind, id, atTopOf: fund)
                count += 1
            }
        }
        return count
    }

    func put(_ kind: ItemKind, _ id: Int64, atTopOf fund: Fund.ID) throws {
        let row = try db.row("SELECT name, deleted_at IS NULL FROM \(kind.table) WHERE id = ?", [id])
        guard let row else { return }
        var name: String = row[0]
        if row[1] as Bool {
            name = try LibraryName.free(name) { try LibraryName.isTaken(db, $0, in: LibraryPlace(fund: fund)) }
        }
        try db.execute(
            "UPDATE \(kind.table) SET fund_id = ?, \(kind.parentColumn) = NULL, name = ?, name_key = ? WHERE id = ?",
            [fund, name, FileName.key(name), id])
    }
}
