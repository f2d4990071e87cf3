import FundCore

/// Items that came after the backup and whose rows could not be read. Those of which whole indexes say the fund, the
/// content and the name, and of which the feed of changes names no other owner, are made again; the others are named.
struct RemadeItems {
    let db: Database
    let losses: [TableLoss]
    let known: LostItems
    private(set) var notes: [RepairNote] = []

    /// Makes items of a kind again. Kinds come in the order of `ItemKind.inFunds`, each when its rows of the backup are
    /// settled.
    mutating func remake(_ kind: ItemKind) throws {
        guard known.kinds.contains(kind) else { return }
        switch kind {
        case .folder: try remakeFolders()
        case .email: try remakeEmails()
        case .file: try remakeFiles()
        case .fund, .note: break
        }
        try nameLost(kind)
    }

    private mutating func note(_ count: Int, _ what: String, _ items: [String]) {
        guard count > 0 else { return }
        let rest = count > items.count ? " and \(count - items.count) more" : ""
        notes.add("\(count) \(what): \(items.joined(separator: "; "))\(rest)")
    }

    /// Limit of items that a sentence names.
    private static let maxNamed = 1000

    /// In SQL, the items of `temp.known` without a row, in a fund that is there and of no other owner than the feed
    /// names. `owner` is that of the fund.
    private func missing(_ kind: ItemKind) -> String {
        """
        SELECT known.*, fund.owner_id AS fund_owner, fund.name AS fund_name,
            (SELECT email FROM main."user" WHERE "user".id = fund.owner_id) AS owner_email
        FROM temp.known JOIN main.fund ON fund.id = known.fund_id
        WHERE known.kind = \(kind.rawValue) AND \(losses.contain(sql: "known.id", of: kind.table))
            AND NOT EXISTS (SELECT 1 FROM main.\(kind.table) AS item WHERE item.id = known.id)
            AND NOT EXISTS (SELECT 1 FROM main.change WHERE change.kind = known.kind AND item_id = known.id
                AND change.user_id <> fund.owner_id)
        """
    }

    // MARK: Folders

    private mutating func remakeFolders() throws {
        let rows = try db.rows(
            "SELECT id, fund_id, place, name_key, fund_name, owner_email FROM (\(missing(.folder))) ORDER BY id")
        var made: [String] = []
        for row in rows {
            let (id, fund, place, key): (Int64, Fund.ID, Int64, String) = (row[0], row[1], row[2], row[3])
            let parent = place == 0 ? nil : place
            let name =
                try LostNames.likely(key, FileName.key).first {
                    try RowChecks.prove("folder", id, [fund, parent, $0, key, nil], db)
                } ?? key
            try db.execute(
                """
                INSERT INTO main.folder (id, fund_id, parent_id, name, name_key, created_at)
                VALUES (?, ?, ?, ?, ?, ?)
                """, [id, fund, parent, name, key, Timestamp.now])
            made.append("folder \(id) “\(name)” in \(row[4] as String) of \(row[5] as String)")
        }
        note(made.count, "folders are newer than the backup, and made again of their index", made)
    }

    // MARK: Mail

    /// Makes emails again without their texts, which their raw messages have.
    private mutating func remakeEmails() throws {
        guard known.details.isSuperset(of: [.emailMessages, .emailFingerprints]) else { return }
        let rows = try db.rows(
            """
            INSERT INTO main.email (id, message_id, fingerprint, user_id, fund_id, from_address, defects, received_at,
                source)
            SELECT lost.id, message_id, lost.fingerprint, owner_id, fund_id, from_address,
                '\(UnreadMail.mark)', modified_at,
                coalesce(coalesce(message.mailbox || '/', '') || message.place, '')
            FROM (\(missing(.email))) AS lost LEFT JOIN main.message ON message.id = message_id
            WHERE owner_id = fund_owner AND lost.fingerprint IS NOT NULL
            RETURNING id, (SELECT name FROM main.fund WHERE fund.id = fund_id),
                (SELECT email FROM main."user" WHERE "user".id = user_id)
            """)
        note(
            rows.count,
            "emails are newer than the backup, and made again of their indexes, without subjects and texts: their raw "
                + "messages have these",
            rows.map { "email \($0[0] as Int64) in \($0[1] as String) of \($0[2] as String)" })
    }

    // MARK: Files

    private mutating func remakeFiles() throws {
        guard known.details.contains(.fileNames) else { return }
        let rows = try db.rows(
            """
            SELECT lost.id, lost.fund_id, folder.id, lost.name_key, blob.id, attachment.id, blob.size,
                coalesce(attachment.content_type,
                    (SELECT content_type FROM main.file WHERE file.blob_id = blob.id), 'application/octet-stream'),
                lost.modified_at, attachment.display_name, fund_name, owner_email
            FROM (\(missing(.file))) AS lost JOIN main.blob ON blob.id = lost.blob_id
                LEFT JOIN main.attachment ON attachment.id = lost.attachment_id AND attachment.blob_id = lost.blob_id
                LEFT JOIN main.folder ON folder.id = lost.place AND folder.fund_id = lost.fund_id
            WHERE lost.name_key IS NOT NULL ORDER BY lost.id
            """)
        var made: [String] = []
        for row in rows {
            let (id, key, time): (Int64, String, Timestamp) = (row[0], row[3], row[8] ?? .now)
            let name = (row[9] as String?).flatMap { LostNames.numbered($0, as: key) } ?? key
            try db.execute(
                """
                INSERT INTO main.file (id, fund_id, folder_id, name, name_key, blob_id, attachment_id, size,
                    content_type, created_at, modified_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    id, row[1] as Fund.ID, row[2] as Int64?, name, key, row[4] as BlobRows.ID, row[5] as Int64?,
                    row[6] as Int64, row[7] as String, time, time,
                ])
            made.append("file \(id) “\(name)” in \(row[10] as String) of \(row[11] as String)")
        }
        note(made.count, "files are newer than the backup, and made again of their indexes", made)
        try remakeDeletedFiles()
    }

    /// Makes deleted files again. No index says where they lay: each comes into the trash of the owner whom its
    /// deletion names, and from there into a fund of theirs.
    private mutating func remakeDeletedFiles() throws {
        let rows = try db.rows(
            """
            INSERT INTO main.file (id, fund_id, name, name_key, blob_id, attachment_id, size, content_type, created_at,
                modified_at, deleted_at)
            SELECT lost.id, fund.id, 'file ' || lost.id, 'file ' || lost.id, blob.id, attachment.id, blob.size,
                coalesce(attachment.content_type, 'application/octet-stream'), deletion.at, deletion.at, deletion.at
            FROM temp.known AS lost
                JOIN main.deletion ON deletion.kind = lost.kind AND item_id = lost.id AND purged_at IS NULL
                JOIN main.fund ON fund.id = (SELECT min(id) FROM main.fund WHERE owner_id = deletion.owner_id
                    AND deleted_at IS NULL AND archived_at IS NULL)
                JOIN main.blob ON blob.id = lost.blob_id
                LEFT JOIN main.attachment ON attachment.id = lost.attachment_id AND attachment.blob_id = lost.blob_id
            WHERE lost.kind = \(ItemKind.file.rawValue) AND lost.fund_id IS NULL
                AND \(losses.contain(sql: "lost.id", of: "file"))
                AND NOT EXISTS (SELECT 1 FROM main.file AS item WHERE item.id = lost.id)
                AND NOT EXISTS (SELECT 1 FROM main.change WHERE change.kind = lost.kind AND change.item_id = lost.id
                    AND change.user_id <> deletion.owner_id)
            RETURNING id, (SELECT email FROM main."user" WHERE "user".id =
                (SELECT owner_id FROM main.fund WHERE fund.id = fund_id))
            """)
        note(
            rows.count, "deleted files are newer than the backup, and in the trash of their owners again without names",
            rows.map { "file \($0[0] as Int64) of \($0[1] as String)" })
    }

    // MARK: What cannot be made again

    /// Names the items that indexes know and of which nothing is there now. What was purged has left nothing.
    private mutating func nameLost(_ kind: ItemKind) throws {
        let lost = """
            FROM temp.known WHERE known.kind = \(kind.rawValue)
                AND NOT EXISTS (SELECT 1 FROM main.\(kind.table) AS item WHERE item.id = known.id)
                AND NOT EXISTS (SELECT 1 FROM main.deletion WHERE deletion.kind = known.kind
                    AND item_id = known.id AND purged_at IS NOT NULL)
            """
        let rows = try db.rows(
            """
            SELECT known.id, name_key, (SELECT name FROM main.fund WHERE fund.id = fund_id),
                (SELECT email FROM main."user" WHERE "user".id = coalesce(
                    (SELECT owner_id FROM main.deletion WHERE deletion.kind = known.kind AND item_id = known.id),
                    (SELECT fund.owner_id FROM main.fund WHERE fund.id = fund_id))),
                (SELECT lower(hex(digest)) FROM main.blob WHERE blob.id = blob_id),
                EXISTS (SELECT 1 FROM main.deletion WHERE deletion.kind = known.kind AND item_id = known.id)
            \(lost) ORDER BY known.id LIMIT \(Self.maxNamed)
            """)
        let items = rows.map { row in
            let (name, fund, owner): (String?, String?, String?) = (row[1], row[2], row[3])
            return [
                "\(kind.table) \(row[0] as Int64)", name.map { "“\($0)”" }, fund.map { "in \($0)" },
                (row[5] as Bool) ? "deleted" : nil, owner.map { "of \($0)" },
                (row[4] as String?).map { "with the content \($0)" },
            ].compactMap { $0 }.joined(separator: " ")
        }
        let count: Int = try db.value("SELECT count(*) \(lost)") ?? 0
        let help = kind == .file ? " (`fundmail salvage` writes contents out)" : ""
        note(count, "rows of \(kind.table) are newer than the backup and lost\(help)", items)
    }

    // MARK: Attachments

    /// Makes attachments again of their indexes, and of the files that came with them. To be called before files are
    /// settled, and when emails are.
    mutating func remakeAttachments() throws {
        guard known.hasAttachments else { return }
        try db.execute(
            """
            DELETE FROM main.attachment WHERE \(losses.contain(sql: "id", of: "attachment"))
                AND id NOT IN (SELECT id FROM temp.known_attachment)
            """)
        // The last row of those that were purged is kept for its id.
        try db.execute(
            """
            UPDATE main.attachment SET blob_id = blob.id, size = blob.size, sent_name = NULL, display_name = ''
            FROM temp.known_attachment AS known JOIN main.blob ON blob.id = known.blob_id
            WHERE known.id = attachment.id AND attachment.blob_id <> blob.id AND blob.size = 0
                AND \(losses.contain(sql: "attachment.id", of: "attachment"))
            """)
        let rows = try db.rows(
            """
            INSERT INTO main.attachment (id, email_id, blob_id, display_name, content_type, size, is_inline, part_path)
            SELECT lost.id, lost.email_id, blob.id, coalesce(file.name,
                    (SELECT name_key FROM temp.known WHERE kind = \(ItemKind.file.rawValue)
                        AND attachment_id = lost.id), 'attachment ' || lost.id),
                coalesce(file.content_type, 'application/octet-stream'), blob.size, 0, ''
            FROM temp.known_attachment AS lost JOIN main.email ON email.id = lost.email_id
                JOIN main.blob ON blob.id = lost.blob_id
                LEFT JOIN main.file ON file.id = (SELECT min(id) FROM main.file WHERE attachment_id = lost.id)
            WHERE lost.id NOT IN (SELECT id FROM main.attachment)
                AND \(losses.contain(sql: "lost.id", of: "attachment"))
            RETURNING id, display_name, email_id
            """)
        note(
            rows.count, "attachments are newer than the backup, and made again of their indexes",
            rows.map { "attachment \($0[0] as Int64) “\($0[1] as String)” of email \($0[2] as Int64)" })
    }
}
