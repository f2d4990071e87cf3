import FundCore

/// Emails with their attachments, and notes.
extension LibraryView {
    static let emailColumns = """
        email.id, email.fund_id, email.subject, email.from_address, email.sent_at, email.received_at,
            (SELECT count(*) FROM attachment WHERE email_id = email.id AND is_inline = 0),
            \(isFavourite(.email)),
            (SELECT at FROM deletion WHERE kind = \(ItemKind.email.rawValue) AND item_id = email.id),
            (SELECT nullif(writer.name, '') FROM address JOIN "user" AS writer ON writer.id = address.user_id
                WHERE address.address = email.from_address AND writer.id = email.user_id)
        """

    /// Condition of every query of emails, which names `email` and `fund`.
    static func emailScope(_ scope: Scope, in reach: Reach = .present) -> String {
        switch scope {
        case .live: "\(reach.condition) AND NOT \(Deletion.hasEmail)"
        case .deleted: "\(reach.condition) AND \(Deletion.hasRestorableEmail)"
        }
    }

    func email(_ id: EmailSummary.ID, _ scope: Scope = .live) throws -> EmailSummary {
        try one(emails(scope, where: "email.id = ?2", [id]))
    }

    func emails(_ scope: Scope = .live, where condition: String, _ arguments: SQLArguments) throws -> [EmailSummary] {
        try fetch(
            """
            SELECT \(Self.emailColumns) FROM email \(SQL.thenJoin) fund ON fund.id = email.fund_id
            WHERE \(Self.emailScope(scope, in: reach)) AND (\(condition))
            """, arguments, as: EmailSummary.init(libraryRow:))
    }

    /// An email with all that its reader sees.
    func emailEntry(_ id: EmailSummary.ID, _ scope: Scope = .live) throws -> EmailEntry {
        let summary = try email(id, scope)
        let row = try db.row("SELECT text, html, defects, internet_message_id FROM email WHERE id = ?", [id])
        guard let row else { throw missing() }
        return EmailEntry(
            summary: summary, text: row[0], html: row[1],
            attachments: try attachments(scope, where: "attachment.email_id = ?2", [id]),
            defects: (row[2] as String).split(separator: " ").map(String.init), internetMessageID: row[3])
    }

    func attachments(
        _ scope: Scope = .live, where condition: String, _ arguments: SQLArguments
    ) throws -> [AttachmentEntry] {
        try fetch(
            """
            SELECT attachment.id, attachment.email_id, attachment.display_name, attachment.content_type,
                attachment.size, blob.digest, attachment.is_inline, attachment.content_id, attachment.part_path
            FROM attachment \(SQL.thenJoin) email ON email.id = attachment.email_id
                \(SQL.thenJoin) fund ON fund.id = email.fund_id \(SQL.thenJoin) blob ON blob.id = attachment.blob_id
            WHERE \(Self.emailScope(scope, in: reach)) AND (\(condition)) ORDER BY attachment.id
            """, arguments
        ) { row in
            var entry = AttachmentEntry(
                id: row[0], email: row[1], name: row[2], contentType: row[3], size: row[4], digest: try row.digest(5))
            entry.isInline = row[6]
            entry.contentID = row[7]
            entry.partPath = row[8]
            return entry
        }
    }

    func notes(_ scope: Scope = .live, where condition: String, _ arguments: SQLArguments) throws -> [NoteEntry] {
        try fetch(
            """
            SELECT note.id, note.fund_id, note.title, note.body, note.created_at, note.modified_at,
                \(Self.isFavourite(.note))
            FROM note \(SQL.thenJoin) fund ON fund.id = note.fund_id
            WHERE \(reach.condition) AND note.deleted_at IS \(scope == .live ? "" : "NOT ")NULL AND (\(condition))
            ORDER BY note.modified_at, note.id
            """, arguments
        ) { row in
            NoteEntry(
                id: row[0], fund: row[1], text: NoteText(title: row[2], content: row[3]), createdAt: row[4],
                modifiedAt: row[5], isFavourite: row[6])
        }
    }

    func note(_ id: NoteEntry.ID, _ scope: Scope = .live) throws -> NoteEntry {
        try one(notes(scope, where: "note.id = ?2", [id]))
    }
}

extension EmailSummary {
    /// `LibraryView.emailColumns`.
    init(libraryRow row: Row) {
        self.init(
            id: row[0], fund: row[1], subject: row[2], from: row[3], sentAt: row[4], receivedAt: row[5],
            attachmentCount: row[6], isFavourite: row[7], deletedAt: row[8])
        fromName = row[9]
    }
}
