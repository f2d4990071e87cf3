import FundCore

/// Rows of items that came from a backup and whose indexes were not lost: they become what the indexes say of them.
struct IndexedItems {
    let db: Database
    let losses: [TableLoss]
    let known: LostItems
    private(set) var notes: [RepairNote] = []

    /// Gives the count of rows that were removed since the backup.
    mutating func settle(_ kind: ItemKind) throws -> Int {
        if kind == .folder { return try settleFolders() }
        let removed = try db.execute(
            "DELETE FROM main.\(kind.table) WHERE \(isStale(kind)) AND NOT EXISTS (SELECT 1 FROM \(entry(kind)))")
        try db.execute(
            """
            UPDATE main.\(kind.table) SET fund_id = known.fund_id FROM \(entry(kind)) AND \(isStale(kind))
                AND known.fund_id IN (SELECT id FROM main.fund)
            """)
        if kind == .email, known.details.contains(.emailFingerprints) {
            // One may have given its fingerprint up to another email since.
            try db.execute(
                """
                UPDATE main.email SET fingerprint = known.fingerprint FROM \(entry(.email)) AND \(isStale(.email))
                    AND known.fingerprint IS NOT NULL AND email.fingerprint <> known.fingerprint
                """)
        }
        if kind == .file { try settleFiles() }
        return removed
    }

    /// In SQL, whether a row came from the backup.
    private func isStale(_ kind: ItemKind) -> String { losses.contain(sql: "\(kind.table).id", of: kind.table) }

    /// In SQL, what the indexes say of a row.
    private func entry(_ kind: ItemKind) -> String {
        "temp.known WHERE known.kind = \(kind.rawValue) AND known.id = \(kind.table).id"
    }

    /// The index has those that are live.
    private mutating func settleFolders() throws -> Int {
        let isGone = "\(isStale(.folder)) AND NOT EXISTS (SELECT 1 FROM \(entry(.folder)))"
        let deletion = "FROM main.deletion WHERE kind = \(ItemKind.folder.rawValue) AND item_id = folder.id"
        var removed = 0
        if !losses.concern("deletion") {
            removed = try db.execute("DELETE FROM main.folder WHERE \(isGone) AND NOT EXISTS (SELECT 1 \(deletion))")
        }
        try db.execute(
            "UPDATE main.folder SET deleted_at = coalesce((SELECT at \(deletion)), deleted_at, ?) WHERE \(isGone)",
            [Timestamp.now])
        try db.execute(
            """
            UPDATE main.folder SET fund_id = known.fund_id, parent_id = nullif(known.place, 0), deleted_at = NULL
            FROM \(entry(.folder)) AND \(isStale(.folder)) AND known.fund_id IN (SELECT id FROM main.fund)
            """)
        try rename(.folder)
        return removed
    }

    /// Settles the folder of each file, a content that was replaced, and whether the file is in the trash. What it
    /// refers to may be gone.
    private mutating func settleFiles() throws {
        try db.execute(
            """
            UPDATE main.file SET blob_id = blob.id, size = blob.size FROM main.blob, \(entry(.file))
                AND \(isStale(.file)) AND blob.id = known.blob_id AND file.blob_id <> blob.id
            """)
        try db.execute(
            """
            UPDATE main.file SET deleted_at = CASE WHEN known.fund_id IS NULL THEN coalesce(deleted_at, ?) END
            FROM \(entry(.file)) AND \(isStale(.file))
            """, [Timestamp.now])
        if known.details.contains(.fileNames) {
            try db.execute(
                """
                UPDATE main.file SET folder_id = nullif(known.place, 0)
                FROM \(entry(.file)) AND \(isStale(.file)) AND known.place IS NOT NULL
                """)
            try rename(.file)
        }
        if known.details.contains(.fileAttachments) {
            try db.execute(
                """
                UPDATE main.file SET attachment_id = known.attachment_id FROM \(entry(.file)) AND \(isStale(.file))
                """)
        }
    }

    /// Gives them the names that they got since.
    private mutating func rename(_ kind: ItemKind) throws {
        let table = kind.table
        let sent =
            kind == .file
            ? "SELECT display_name FROM main.attachment WHERE attachment.id = known.attachment_id" : "NULL"
        let rows = try db.rows(
            """
            SELECT \(table).id, \(table).fund_id, \(table).\(kind.parentColumn), \(table).name, known.name_key,
                (\(sent))
            FROM main.\(table), \(entry(kind)) AND \(isStale(kind)) AND known.name_key IS NOT NULL
            """)
        var renamed: [String] = []
        for row in rows {
            let (id, old, key): (Int64, String, String) = (row[0], row[3], row[4])
            let isSame = FileName.key(old) == key
            let sent = (row[5] as String?).flatMap { LostNames.numbered($0, as: key) }
            let proved =
                try kind == .file
                ? nil
                : ([old] + LostNames.likely(key, FileName.key)).first {
                    try RowChecks.prove(table, id, [row[1] as Fund.ID, row[2] as Int64?, $0, key, nil], db)
                }
            let name = proved ?? (isSame ? old : sent ?? key)
            guard name != old || !isSame else { continue }
            try db.execute("UPDATE main.\(table) SET name = ?, name_key = ? WHERE id = ?", [name, key, id])
            if proved == nil && sent == nil { renamed.append("\(table) \(id) “\(name)”, which was “\(old)”") }
        }
        guard !renamed.isEmpty else { return }
        notes.add(
            "\(renamed.count) were renamed since the backup, and are called now as names are compared, without capital "
                + "letters: \(renamed.joined(separator: "; "))")
    }
}
