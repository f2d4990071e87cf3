import FundCore

/// References to folders, mail and items of which the rows are gone: what is not needed is let go, so that nothing else
/// goes with it.
struct LooseReferences {
    let db: Database
    let losses: [TableLoss]

    /// Gives what is to be said. To be called when all rows that can be had are there, before the rest is dropped.
    func settle() throws -> [RepairNote] {
        guard ["file", "folder", "attachment"].contains(where: losses.concern) else { return [] }
        let sent = try db.execute(
            """
            UPDATE main.file SET attachment_id = NULL
            WHERE attachment_id IS NOT NULL AND attachment_id NOT IN (SELECT id FROM main.attachment)
            """)
        var notes: [RepairNote] = []
        if sent > 0 && losses.concern("attachment") {
            notes.add("\(sent) files do not know any more with which mail they came")
        }
        var items: [String] = []
        for kind in [ItemKind.folder, .file] {
            let rows: [(Int64, Fund.ID, String)] = try db.rows(
                """
                SELECT id, fund_id, name FROM main.\(kind.table) WHERE \(kind.parentColumn) IS NOT NULL
                    AND \(kind.parentColumn) NOT IN (SELECT id FROM main.folder)
                """
            ) { ($0[0], $0[1], $0[2]) }
            for (id, fund, name) in rows {
                try StrayItems(db: db).put(kind, id, atTopOf: fund)
                items.append("\(kind.table) \(id) “\(name)”")
            }
        }
        if !items.isEmpty {
            notes.add(
                "\(items.count) files and folders lay in a folder that is gone: they lie at the top of their fund now: "
                    + items.joined(separator: "; "))
        }
        return notes
    }

    // MARK: Deletions

    /// Tables that name items of all kinds by `kind` and `item_id`.
    private static let tables = ["deletion", "favourite", "property", "share_item"]

    /// Deletions of items that are not there.
    static func dangling(_ kind: ItemKind, in table: String = "deletion") -> String {
        """
        SELECT item_id FROM \(table) WHERE kind = \(kind.rawValue)
            AND item_id NOT IN (SELECT id FROM \(kind.table))
        """
    }

    /// Drops what names items that are not there: another item of that number would be deleted with it.
    @discardableResult
    static func drop(_ db: Database) throws -> Int {
        var count = 0
        for table in tables {
            for kind in ItemKind.allCases {
                count += try db.execute(
                    "DELETE FROM \(table) WHERE kind = \(kind.rawValue) AND item_id IN (\(dangling(kind, in: table)))")
            }
        }
        return count
    }

    /// Mends the store in use, and gives what was done.
    static func repair(_ connection: StoreConnection) throws -> [VerifyFinding] {
        try connection.mend("drop deletions of nothing") { db in
            try ItemKind.allCases.contains { try db.row("\(dangling($0)) LIMIT 1") != nil }
        } _: { db in
            let count = try drop(db)
            try StoreHistory.passIDs(db)
            return [
                VerifyFinding(
                    rows: .library, .settled, "\(count) rows named items that are not there, and were removed")
            ]
        }
    }
}
