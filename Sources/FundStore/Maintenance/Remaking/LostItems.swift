import FundCore

/// Items of a damaged database whose rows cannot be read, as its indexes name them: which ones there are, in which
/// fund, under which name, and with which content. An index has pages of its own.
struct LostItems {
    /// Kinds whose indexes name every item, and of folders every live one.
    private(set) var kinds: Set<ItemKind> = []
    /// Further indexes of these kinds that could be read.
    private(set) var details: Set<Detail> = []
    /// Whether `temp.known_attachment` has all attachments.
    private(set) var hasAttachments = false
    /// Whether `temp.known_deletion` has all deletions.
    private(set) var hasDeletions = false

    /// An index that says more of items than those by which they are known.
    enum Detail: CaseIterable {
        case fileNames, fileTimes, fileAttachments, emailMessages, emailFingerprints

        var kind: ItemKind { [.emailMessages, .emailFingerprints].contains(self) ? .email : .file }

        /// The columns of `temp.known`, the index, and what it has for them.
        fileprivate var source: (columns: [String], index: String, values: [String], condition: String) {
            switch self {
            case .fileNames:
                (
                    ["place", "name_key"], "file_name", [SQL.parent("folder_id"), "name_key"], "deleted_at IS NULL"
                )
            case .fileTimes: (["modified_at"], "file_modified", ["modified_at"], "deleted_at IS NULL")
            case .fileAttachments:
                (["attachment_id"], "file_attachment", ["attachment_id"], "attachment_id IS NOT NULL")
            case .emailMessages: (["message_id"], SQL.constraintIndex(1, of: "email"), ["message_id"], "true")
            case .emailFingerprints: (["fingerprint"], SQL.constraintIndex(2, of: "email"), ["fingerprint"], "true")
            }
        }
    }

    /// Whether indexes say all of the rows of a table that can change, or name each that cannot be made again.
    func hasAll(of table: String) -> Bool {
        switch table {
        case "attachment": hasAttachments
        case "file": kinds.contains(.file) && details.isSuperset(of: [.fileNames, .fileAttachments])
        default: false
        }
    }

    /// Fills `temp.known`, of which `fund_id` is NULL for a deleted file, and `place` the folder in which a file or a
    /// folder lies, or 0.
    init(_ db: Database, _ losses: [TableLoss]) throws {
        try db.run(
            script: """
                CREATE TABLE temp.known (
                    kind INTEGER NOT NULL, id INTEGER NOT NULL, fund_id INTEGER, owner_id INTEGER, blob_id INTEGER,
                    place INTEGER, name_key TEXT, attachment_id INTEGER, modified_at INTEGER, message_id INTEGER,
                    fingerprint BLOB, from_address TEXT, PRIMARY KEY (kind, id));
                CREATE TABLE temp.known_attachment (id INTEGER PRIMARY KEY, email_id INTEGER, blob_id INTEGER);
                """)
        for (kind, statements) in Self.sources where losses.concern(kind.table) {
            let isRead = try Self.isRead { for sql in statements { try db.execute(sql) } }
            if try isRead && Self.agrees(kind, db, losses) {
                kinds.insert(kind)
            } else {
                try db.execute("DELETE FROM temp.known WHERE kind = \(kind.rawValue)")
            }
        }
        for detail in Detail.allCases where kinds.contains(detail.kind) {
            if try Self.isRead({ try db.execute(Self.sql(detail)) }) { details.insert(detail) }
        }
        if losses.concern("attachment") {
            hasAttachments = try Self.isRead { for sql in Self.attachments { try db.execute(sql) } }
        }
        guard losses.concern("deletion") else { return }
        hasDeletions = try Self.isRead { for sql in Self.deletions { try db.execute(sql) } }
    }

    private static let sources: KeyValuePairs<ItemKind, [String]> = [
        .fund: [
            """
            INSERT INTO temp.known (kind, id, owner_id)
            SELECT \(ItemKind.fund.rawValue), id, owner_id FROM \(SQL.table("old.fund", using: "fund_owner"))
            """
        ],
        .folder: [
            """
            INSERT INTO temp.known (kind, id, fund_id, place, name_key)
            SELECT \(ItemKind.folder.rawValue), id, fund_id, \(SQL.parent("parent_id")), name_key
            FROM \(SQL.table("old.folder", using: "folder_name")) WHERE deleted_at IS NULL
            """
        ],
        .file: [
            """
            INSERT INTO temp.known (kind, id, blob_id)
            SELECT \(ItemKind.file.rawValue), id, blob_id FROM \(SQL.table("old.file", using: "file_blob"))
            """,
            """
            INSERT INTO temp.known (kind, id, fund_id)
            SELECT \(ItemKind.file.rawValue), id, fund_id FROM \(SQL.table("old.file", using: "file_live"))
            WHERE deleted_at IS NULL
            ON CONFLICT (kind, id) DO UPDATE SET fund_id = excluded.fund_id
            """,
        ],
        .email: [
            """
            INSERT INTO temp.known (kind, id, fund_id, owner_id, modified_at, from_address)
            SELECT \(ItemKind.email.rawValue), id, fund_id, user_id, received_at, from_address
            FROM \(SQL.table("old.email", using: "email_user"))
            """
        ],
        .note: [
            """
            INSERT INTO temp.known (kind, id, fund_id, modified_at)
            SELECT \(ItemKind.note.rawValue), id, fund_id, modified_at FROM \(SQL.table("old.note", using: "note_fund"))
            """
        ],
    ]

    private static func sql(_ detail: Detail) -> String {
        let source = detail.source
        let found = zip(source.values, source.columns).map { "\($0) AS \($1)" }.joined(separator: ", ")
        let table = SQL.table("old.\(detail.kind.table)", using: source.index)
        return """
            WITH found AS MATERIALIZED (
                SELECT id, \(found) FROM \(table) WHERE \(source.condition))
            UPDATE temp.known SET \(source.columns.map { "\($0) = found.\($0)" }.joined(separator: ", "))
            FROM found WHERE known.kind = \(detail.kind.rawValue) AND known.id = found.id
            """
    }

    private static let attachments = [
        """
        INSERT INTO temp.known_attachment (id, email_id)
        SELECT id, email_id FROM \(SQL.table("old.attachment", using: "attachment_email"))
        """,
        """
        INSERT INTO temp.known_attachment (id, blob_id)
        SELECT id, blob_id FROM \(SQL.table("old.attachment", using: "attachment_blob")) WHERE true
        ON CONFLICT (id) DO UPDATE SET blob_id = excluded.blob_id
        """,
    ]

    private static let deletions = [
        """
        CREATE TABLE temp.known_deletion AS
        SELECT kind, item_id, owner_id, at, kind AS root_kind, item_id AS root_id
        FROM \(SQL.table("old.deletion", using: "deletion_owner"))
        """,
        "CREATE UNIQUE INDEX temp.known_deletion_item ON known_deletion (kind, item_id)",
        """
        UPDATE temp.known_deletion AS known SET root_kind = root.root_kind, root_id = root.root_id
        FROM (SELECT kind, item_id, root_kind, root_id
            FROM \(SQL.table("old.deletion", using: "deletion_root"))) AS root
        WHERE root.kind = known.kind AND root.item_id = known.item_id
        """,
    ]

    private static func isRead(_ body: () throws -> Void) throws -> Bool { try SoundDatabase.readable(body) != nil }

    /// Whether the index names all rows that could be read: one that does not is damaged, too.
    private static func agrees(_ kind: ItemKind, _ db: Database, _ losses: [TableLoss]) throws -> Bool {
        let lost = losses.rows(of: kind.table)
        let unknown: [Int64] = try db.values(
            """
            SELECT id FROM main.\(kind.table) WHERE \(kind == .folder ? "deleted_at IS NULL" : "true")
                AND id NOT IN (SELECT id FROM temp.known WHERE kind = \(kind.rawValue))
            """)
        return unknown.allSatisfy { id in lost.contains { $0.contains(id) } }
    }
}
