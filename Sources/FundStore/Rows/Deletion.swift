import FundCore

/// The future of a deleted item, as the column `at` of its row of `deletion` has it.
enum Deletion {
    /// An item that can be restored; deleted then.
    case restorable(since: Timestamp)
    /// It goes for good and cannot be restored. A purge that was interrupted is finished by the next purge of the same
    /// user's items, retention among them, since all else was deleted later.
    case final

    var column: Timestamp {
        switch self {
        case .restorable(let time): time
        case .final: Timestamp(0)
        }
    }

    /// Conditions on rows of `deletion`.
    static let isRestorable = "purged_at IS NULL AND at > \(Deletion.final.column)"
    static let isFinal = "at = \(Deletion.final.column)"
    /// Whether the item was deleted from a fund that is archived now.
    static let isInArchive = """
        EXISTS (SELECT 1 FROM fund WHERE archived_at IS NOT NULL AND deleted_at IS NULL
            AND id = CASE deletion.kind \(ItemKind.inFunds.map(fundOfDeleted).joined(separator: " ")) END)
        """

    private static func fundOfDeleted(_ kind: ItemKind) -> String {
        "WHEN \(kind.rawValue) THEN (SELECT fund_id FROM \(kind.table) WHERE id = deletion.item_id)"
    }

    /// Condition on rows of `email`: whether there is a row of `deletion`, purged or not.
    static let hasEmail = "EXISTS (\(ofEmail))"
    static let hasRestorableEmail = "EXISTS (\(ofEmail) AND \(isRestorable))"
    private static let ofEmail =
        "SELECT 1 FROM deletion WHERE kind = \(ItemKind.email.rawValue) AND item_id = email.id"

    /// Writes the row of an item that was deleted with `root`.
    ///
    /// - Parameter column: of the deletion, see `column`.
    static func note(
        _ item: LibraryItemID, of owner: User.ID, _ column: Timestamp, root: LibraryItemID, _ db: Database
    ) throws {
        try db.execute(
            """
            INSERT INTO deletion (kind, item_id, owner_id, at, root_kind, root_id) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (kind, item_id) DO UPDATE SET at = excluded.at, root_kind = excluded.root_kind,
                root_id = excluded.root_id
            """, item.arguments + [owner, column] + root.arguments)
    }

    static func forget(_ item: LibraryItemID, _ db: Database) throws {
        try db.execute("DELETE FROM deletion WHERE kind = ? AND item_id = ?", item.arguments)
    }

    /// Removes what users and clients noted of an item, and takes it out of share links.
    static func dropMarks(of item: LibraryItemID, _ db: Database) throws {
        try db.execute("DELETE FROM share_item WHERE kind = ? AND item_id = ?", item.arguments)
        try db.execute("DELETE FROM favourite WHERE kind = ? AND item_id = ?", item.arguments)
        try db.execute("DELETE FROM property WHERE kind = ? AND item_id = ?", item.arguments)
    }
}

extension LibraryItemID {
    /// The columns by which tables name an item of any kind.
    var arguments: SQLArguments { [kind.rawValue, number] }
}

extension ItemKind {
    /// The kinds of what is in a fund, folders before what lies in them.
    static let inFunds: [ItemKind] = [.folder, .email, .file, .note]

    /// Its table. All but `email` have a column `deleted_at`.
    var table: String {
        switch self {
        case .fund: "fund"
        case .folder: "folder"
        case .file: "file"
        case .email: "email"
        case .note: "note"
        }
    }

    /// The column of `folder` or `file` that names the folder in which a row lies.
    var parentColumn: String { self == .folder ? "parent_id" : "folder_id" }

    /// The folder that holds a row of `folder` or `file`, see `SQL.parent`.
    var parent: String { SQL.parent("\(table).\(parentColumn)") }
}

extension LibraryPlace {
    /// Arguments for a fund, and for a folder as `ItemKind.parent` has it.
    var arguments: SQLArguments { [fund, folder ?? 0] }
}
