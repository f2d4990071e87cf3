import FundCore

/// Version 8: names are compared with full case folding, so that `STRAẞE`, `Straße` and `strasse` are one. Keys that
/// mean something else from now on are worked out again. Where two names become one nothing is lost:
/// - The file or folder that came later gets a number, as if it came now.
/// - The fund or alias that came later keeps its old key and its name. Mail with a tag that fits two funds is misrouted
///   as `ambiguous_fund` until one is renamed.
enum NameKeySchema {
    static func migrate(_ db: Database) throws {
        for table in ["folder", "file"] { try migrateItems(db, table) }
        try migrateFunds(db)
    }

    private static func migrateItems(_ db: Database, _ table: String) throws {
        let parent = table == "folder" ? "parent_id" : "folder_id"
        // Keys of ASCII stay what they are.
        let rows = try db.rows(
            """
            SELECT id, fund_id, \(parent), name, name_key, deleted_at IS NULL FROM \(table)
            WHERE length(name) <> \(SQL.bytes("name")) ORDER BY id
            """)
        for row in rows {
            let (id, old, isLive): (Int64, String, Bool) = (row[0], row[4], row[5])
            var name: String = row[3]
            guard FileName.key(name) != old else { continue }
            if isLive {
                let place = LibraryPlace(fund: row[1], folder: row[2])
                name = try LibraryName.free(name) { try LibraryName.isTaken(db, $0, in: place) }
            }
            try db.execute("UPDATE \(table) SET name = ?, name_key = ? WHERE id = ?", [name, FileName.key(name), id])
        }
    }

    private static func migrateFunds(_ db: Database) throws {
        let names = try db.rows(
            """
            SELECT owner_id, id, name FROM fund WHERE id IN (SELECT fund_id FROM fund_key)
            UNION ALL SELECT fund.owner_id, fund.id, fund_alias.name FROM fund_alias
                JOIN fund ON fund.id = fund_alias.fund_id WHERE fund.id IN (SELECT fund_id FROM fund_key)
            """)
        let keys = names.reduce(into: [Fund.ID: Set<String>]()) { $0[$1[1], default: []].insert(FundName.key($1[2])) }
        for row in try db.rows("SELECT owner_id, key, fund_id FROM fund_key ORDER BY fund_id") {
            let (owner, old, fund): (User.ID, String, Fund.ID) = (row[0], row[1], row[2])
            // Case folding changes nothing but the letters that are folded now and were not.
            let new = FundName.key(old)
            guard new != old, keys[fund]?.contains(new) == true else { continue }
            let holder: Fund.ID? = try db.value(
                "SELECT fund_id FROM fund_key WHERE owner_id = ? AND key = ?", [owner, new])
            if let holder, holder != fund { continue }
            try db.execute("DELETE FROM fund_key WHERE owner_id = ? AND key = ?", [owner, old])
            if holder == nil {
                try db.execute("INSERT INTO fund_key (owner_id, key, fund_id) VALUES (?, ?, ?)", [owner, new, fund])
            }
        }
    }
}
