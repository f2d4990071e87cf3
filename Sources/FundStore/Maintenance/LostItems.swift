import FundCore

/// Items of a damaged database whose rows cannot be read, as its indexes name them: which ones there are, in which
/// fund, and with which content. An index has pages of its own.
struct LostItems {
    /// Kinds whose indexes name every item.
    private(set) var kinds: Set<ItemKind> = []
    /// Whether `temp.known_deletion` has all deletions.
    private(set) var hasDeletions = false

    /// Fills `temp.known (kind, id, fund_id, owner_id, blob_id)`; `fund_id` is NULL for a deleted file.
    init(_ db: Database, _ losses: [TableLoss]) throws {
        try db.run(
            script: """
                CREATE TABLE temp.known (
                    kind INTEGER NOT NULL, id INTEGER NOT NULL, fund_id INTEGER, owner_id INTEGER, blob_id INTEGER,
                    PRIMARY KEY (kind, id));
                """)
        for (kind, statements) in Self.sources where losses.concern(kind.table) {
            let isRead = try Self.isRead { for sql in statements { try db.execute(sql) } }
            if try isRead && Self.agrees(kind, db, losses) {
                kinds.insert(kind)
            } else {
                try db.execute("DELETE FROM temp.known WHERE kind = \(kind.rawValue)")
            }
        }
        guard losses.concern("deletion") else { return }
        hasDeletions = try Self.isRead { for sql in Self.deletions { try db.execute(sql) } }
    }

    private static let sources: KeyValuePairs<ItemKind, [String]> = [
        .fund: [
            """
            INSERT INTO temp.known (kind, id, owner_id)
            SELECT \(ItemKind.fund.rawValue), id, owner_id FROM old.fund INDEXED BY fund_owner
            """
        ],
        .file: [
            """
            INSERT INTO temp.known (kind, id, blob_id)
            SELECT \(ItemKind.file.rawValue), id, blob_id FROM old.file INDEXED BY file_blob
            """,
            """
            INSERT INTO temp.known (kind, id, fund_id)
            SELECT \(ItemKind.file.rawValue), id, fund_id FROM old.file INDEXED BY file_live WHERE deleted_at IS NULL
            ON CONFLICT (kind, id) DO UPDATE SET fund_id = excluded.fund_id
            """,
        ],
        .email: [
            """
            INSERT INTO temp.known (kind, id, fund_id, owner_id)
            SELECT \(ItemKind.email.rawValue), id, fund_id, user_id FROM old.email INDEXED BY email_user
            """
        ],
        .note: [
            """
            INSERT INTO temp.known (kind, id, fund_id)
            SELECT \(ItemKind.note.rawValue), id, fund_id FROM old.note INDEXED BY note_fund
            """
        ],
    ]

    private static let deletions = [
        """
        CREATE TABLE temp.known_deletion AS
        SELECT kind, item_id, owner_id, at, kind AS root_kind, item_id AS root_id
        FROM old.deletion INDEXED BY deletion_owner
        """,
        "CREATE UNIQUE INDEX temp.known_deletion_item ON known_deletion (kind, item_id)",
        """
        UPDATE temp.known_deletion AS known SET root_kind = root.root_kind, root_id = root.root_id
        FROM (SELECT kind, item_id, root_kind, root_id FROM old.deletion INDEXED BY deletion_root) AS root
        WHERE root.kind = known.kind AND root.item_id = known.item_id
        """,
    ]

    private static func isRead(_ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return true
        } catch let error where SoundDatabase.isOfRows(error) { return false }
    }

    /// Whether the index names all rows that could be read: one that does not is damaged, too.
    private static func agrees(_ kind: ItemKind, _ db: Database, _ losses: [TableLoss]) throws -> Bool {
        let lost = losses.rows(of: kind.table)
        let unknown: [Int64] = try db.values(
            """
            SELECT id FROM main.\(kind.table)
            WHERE id NOT IN (SELECT id FROM temp.known WHERE kind = \(kind.rawValue))
            """)
        return unknown.allSatisfy { id in lost.contains { $0.contains(id) } }
    }
}
