import FundCore

/// Rows of items that came from a backup in the place of lost ones, settled by what was not lost: what indexes say of
/// them, the feed of changes, and what became of their messages. What was removed since does not come back, and
/// nothing comes into a fund of another person.
struct StaleItems {
    let db: Database
    let losses: [TableLoss]
    let known: LostItems
    var notes: [RepairNote] = []

    init(db: Database, losses: [TableLoss]) throws {
        (self.db, self.losses) = (db, losses)
        known = try LostItems(db, losses)
        // The owners of funds, before anything is settled by them.
        var funds = LostFunds(db: db, losses: losses)
        try funds.settle()
        notes = funds.notes
        try FundMembers.complete(db)
        try ChangeFeed.complete(db)
        try ChangeFeed.complete(db, .fund)
    }

    /// Settles the items. Funds have their owners by then, and other rows are derived of these later.
    mutating func settle() throws {
        try nameOwners(.email)
        try settleDeletions()
        var removed = 0
        var remade = RemadeItems(db: db, losses: losses, known: known)
        for kind in ItemKind.inFunds {
            if kind == .file { try remade.remakeAttachments() }
            guard losses.concern(kind.table) else { continue }
            if known.kinds.contains(kind) {
                var indexed = IndexedItems(db: db, losses: losses, known: known)
                removed += try indexed.settle(kind)
                notes += indexed.notes
                try remade.remake(kind)
            } else {
                // Whose trash it comes into.
                try nameOwners(kind)
                removed += try settleDoubtful(kind)
            }
            try nameOwners(kind)
            if kind == .file || kind == .folder { try numberEqualNames(kind) }
        }
        notes += remade.notes
        try emptyPurged()
        if let made = try LostMisroutes(db: db, losses: losses).remake() { notes.append(made) }
        let settled = try StaleMisroutes(db: db, losses: losses).settle()
        if settled > 0 {
            notes.add(
                "misrouted messages that were filed, put aside or taken back since the backup count so: \(settled)",
                isWhole: true)
        }
        guard removed > 0 else { return }
        notes.add("emails, files and notes that were removed since the backup stay away: \(removed)", isWhole: true)
    }

    /// In SQL, whether `id` is of a row that came from the backup.
    func isFromBackup(_ table: String, _ id: String) -> String { losses.contain(sql: id, of: table) }

    // MARK: By the feed of changes

    /// Settles items of which no index is left: what changed since the backup may have been removed, and goes to the
    /// trash. Returns how many are known to have been removed.
    private mutating func settleDoubtful(_ kind: ItemKind) throws -> Int {
        var removed = 0
        if kind == .email {
            removed = try db.execute(
                """
                DELETE FROM main.email WHERE \(isFromBackup("email", "id"))
                    AND message_id IN (SELECT id FROM main.message
                        WHERE outcome <> 'filed' AND NOT \(isFromBackup("message", "id")))
                """)
        }
        // A folder is empty without what lies in it, and checksums tell of notes.
        guard kind != .folder, kind != .note || losses.concern("row_check") else { return removed }
        let count = try trash(kind, where: isFromBackup(kind.table, "id"))
        if count > 0 {
            notes.add(
                "\(count) rows of \(kind.table) changed since the backup and may have been deleted: they are in the "
                    + "trash of their owners, who can restore them")
        }
        return removed
    }

    /// Puts live items that changed since the backup, see `ChangeFeed.Point`, into the trash of the owner whom the
    /// feeds name.
    func trash(_ kind: ItemKind, where condition: String) throws -> Int {
        let isLive = kind == .email ? "true" : "deleted_at IS NULL"
        let isItem = "change.kind = \(kind.rawValue) AND change.item_id = \(kind.table).id"
        let person = try ChangeFeed.personColumn(db, in: "backup")
        let ids: [Int64] = try db.values(
            """
            SELECT id FROM main.\(kind.table) WHERE \(condition) AND \(isLive)
                AND id IN (SELECT id FROM backup.\(kind.table))
                AND (EXISTS (SELECT 1 FROM main.change WHERE \(isItem))
                    OR EXISTS (SELECT 1 FROM backup.change WHERE \(isItem)))
                AND NOT EXISTS (SELECT user_id, seq FROM main.change WHERE \(isItem)
                    INTERSECT SELECT \(person), seq FROM backup.change WHERE \(isItem))
                AND NOT EXISTS (SELECT 1 FROM main.deletion WHERE kind = \(kind.rawValue) AND item_id = id)
            """)
        for id in ids {
            if kind != .email {
                try db.execute("UPDATE main.\(kind.table) SET deleted_at = ? WHERE id = ?", [Timestamp.now, id])
            }
            try db.execute(
                """
                INSERT INTO main.deletion (kind, item_id, owner_id, at, root_kind, root_id)
                SELECT ?1, id, coalesce(\(owner(kind)), (SELECT owner_id FROM main.fund WHERE fund.id = fund_id)),
                    ?3, ?1, id
                FROM main.\(kind.table) WHERE id = ?2
                """, [kind.rawValue, id, Timestamp.now])
        }
        return ids.count
    }

    /// In SQL, the owner of a row of an item's table among the people in whose feeds the item is: that of the fund in
    /// which the row says that it lies, else of one whose members all have it, else any of them. NULL for an item in no
    /// feed.
    private func owner(_ kind: ItemKind) -> String {
        let people =
            "SELECT user_id FROM main.change WHERE kind = \(kind.rawValue) AND item_id = \(kind.table).id"
        return """
            coalesce(
                (SELECT owner_id FROM main.fund WHERE fund.id = \(kind.table).fund_id AND owner_id IN (\(people))),
                (SELECT min(own.user_id) FROM main.fund_member AS own
                    WHERE own.role = '\(FundRole.owner.rawValue)' AND own.user_id IN (\(people))
                    AND NOT EXISTS (\(people) EXCEPT SELECT user_id FROM main.fund_member AS member
                        WHERE member.fund_id = own.fund_id)),
                (SELECT min(user_id) FROM (\(people))))
            """
    }

    /// Names the people of items of which the feeds say nothing: the members of the fund in which an index says that
    /// the item lay last, else the owner of its fund in the backup, who saw it then.
    func nameOwners(_ kind: ItemKind) throws {
        guard losses.concern(kind.table) else { return }
        let table = kind.table
        let isFeedless = """
            \(isFromBackup(table, "item.id")) AND NOT EXISTS (
                SELECT 1 FROM main.change WHERE kind = \(kind.rawValue) AND item_id = item.id)
            """
        let known = """
            temp.known JOIN main.fund_member AS member ON member.fund_id = known.fund_id
            WHERE known.kind = \(kind.rawValue) AND known.id = item.id
            """
        try ChangeFeed.add(
            db,
            """
            SELECT member.user_id, \(kind.rawValue) AS kind, item.id AS item_id
            FROM main.\(table) AS item, \(known) AND \(isFeedless)
            UNION ALL SELECT kept.owner_id, \(kind.rawValue), item.id
            FROM main.\(table) AS item JOIN backup.\(table) AS old ON old.id = item.id
                JOIN backup.fund AS kept ON kept.id = old.fund_id
            WHERE \(isFeedless) AND NOT EXISTS (SELECT 1 FROM \(known))
            """)
        guard kind == .email || kind == .note else { return }
        try db.execute(
            """
            UPDATE main.\(table) SET user_id = \(owner(kind))
            WHERE \(isFromBackup(table, "id")) AND \(owner(kind)) IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM main.change AS own WHERE own.kind = \(kind.rawValue)
                    AND own.item_id = \(table).id AND own.user_id = \(table).user_id)
            """)
    }

    /// A name of the backup may have been given to another item since. (No index is there yet that would refuse it.)
    private func numberEqualNames(_ kind: ItemKind) throws {
        let stale: [(Int64, String)] = try db.rows(
            """
            SELECT id, name FROM main.\(kind.table)
            WHERE \(isFromBackup(kind.table, "id")) AND deleted_at IS NULL
                AND (fund_id, \(SQL.parent(kind.parentColumn)), name_key) IN (
                    SELECT fund_id, place, name_key FROM (
                        SELECT fund_id, \(SQL.parent("folder_id")) AS place, name_key FROM main.file
                        WHERE deleted_at IS NULL
                        UNION ALL SELECT fund_id, \(SQL.parent("parent_id")), name_key FROM main.folder
                        WHERE deleted_at IS NULL)
                    GROUP BY 1, 2, 3 HAVING count(*) > 1)
            """
        ) { ($0[0], $0[1]) }
        for (id, name) in stale {
            let parts = FileNameParts(name)
            let free = "\(parts.stem)(\(kind.table) \(id))\(parts.suffix)"
            try db.execute(
                "UPDATE main.\(kind.table) SET name = ?, name_key = ? WHERE id = ?", [free, FileName.key(free), id])
        }
    }
}
