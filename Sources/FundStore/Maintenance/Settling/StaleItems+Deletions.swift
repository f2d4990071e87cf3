import FundCore

extension StaleItems {
    mutating func settleDeletions() throws {
        guard losses.concern("deletion") else { return }
        if known.hasDeletions {
            try db.run(
                script: """
                    DELETE FROM main.deletion WHERE NOT EXISTS (SELECT 1 FROM temp.known_deletion AS known
                        WHERE known.kind = deletion.kind AND known.item_id = deletion.item_id);
                    INSERT INTO main.deletion (kind, item_id, owner_id, at, root_kind, root_id)
                    SELECT kind, item_id, owner_id, at, root_kind, root_id FROM temp.known_deletion WHERE true
                    ON CONFLICT (kind, item_id) DO UPDATE SET owner_id = excluded.owner_id, at = excluded.at,
                        root_kind = excluded.root_kind, root_id = excluded.root_id;
                    """)
        } else {
            // That an email is deleted stands nowhere else.
            let count = try trash(.email, where: "(text IS NOT NULL OR html IS NOT NULL OR subject IS NOT NULL)")
            notes.add(
                "deletions since the backup are lost: \(count) emails that changed since are in the trash of their "
                    + "owners, who can restore them; newer ones that were deleted may be back")
        }
        try markPurged()
    }

    /// Columns that a purge empties, by which a row is known that is kept only for its id.
    private static let emptied: KeyValuePairs<ItemKind, String> = [
        .email: "subject IS NULL AND from_address IS NULL AND text IS NULL AND html IS NULL",
        .note: "title = '' AND body = '' AND deleted_at IS NOT NULL", .file: "name = '' AND deleted_at IS NOT NULL",
        .folder: "name = '' AND deleted_at IS NOT NULL",
    ]

    /// Marks the deletions of emptied rows as purged, which is told by the rows alone.
    private func markPurged() throws {
        for (kind, condition) in Self.emptied {
            // Mail that never had a text looks the same: where all deletions are known, these alone tell.
            if kind == .email && !known.hasDeletions {
                try db.execute(
                    """
                    INSERT INTO main.deletion (kind, item_id, owner_id, at, root_kind, root_id)
                    SELECT \(kind.rawValue), id, user_id, ?, \(kind.rawValue), id FROM main.email WHERE \(condition)
                    ON CONFLICT DO NOTHING
                    """, [Deletion.final.column])
            }
            try db.execute(
                """
                UPDATE main.deletion SET purged_at = coalesce(purged_at, ?) WHERE kind = \(kind.rawValue)
                    AND item_id IN (SELECT id FROM main.\(kind.table) WHERE \(condition))
                """, [Timestamp.now])
        }
    }

    /// Empties rows of the backup that were purged since.
    func emptyPurged() throws {
        for (kind, sql) in [
            (ItemKind.email, "subject = NULL, from_address = NULL, text = NULL, html = NULL, defects = ''"),
            (.note, "title = '', body = ''"),
        ] where losses.concern(kind.table) {
            try db.execute(
                """
                UPDATE main.\(kind.table) SET \(sql) WHERE \(isFromBackup(kind.table, "id")) AND EXISTS (
                    SELECT 1 FROM main.deletion
                    WHERE kind = \(kind.rawValue) AND item_id = \(kind.table).id AND purged_at IS NOT NULL)
                """)
        }
    }
}
