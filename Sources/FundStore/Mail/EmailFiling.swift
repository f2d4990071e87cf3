import FundCore

/// Writes the rows of one filed message: the email, its attachments, and the files its owner sees.
struct EmailFiling {
    let db: Database
    let now: Timestamp
    let batch: BatchNotes

    /// Gives the email's id. Throws `invalid` for a decision without user and fund.
    ///
    /// - Parameters:
    ///   - blobs: rows of attachments that are known by now.
    ///   - copy: the email of another copy, which was filed by hand for another owner.
    func file(
        _ message: RoutedMessage, _ records: StagedRecords, messageID: MessageRows.ID,
        blobs: [ContentDigest: BlobRows.ID] = [:], beside copy: EmailSummary.ID? = nil
    ) throws -> EmailSummary.ID {
        guard let user = message.decision.user, let fund = message.decision.fund,
            case .message(let parsed) = message.parsed
        else { throw StoreError(.invalid, "file a message", "it has no user, no fund or no content") }
        // It may have been deleted or given away since the message was routed: then the message must be routed anew.
        guard try batch.owner(of: fund.id, db) == user.id else {
            throw StoreError(.stale, "file a message", "its fund was deleted or given away meanwhile")
        }
        if let copy { try MessageRows.giveUpFingerprint(of: copy, like: message.spooled, db) }
        let emailID = try insertEmail(message, parsed, messageID: messageID, user: user.id, fund: fund.id)
        try ChangeFeed.note(db, .email(emailID), in: fund.id)
        try KnownAddressRows(db: db).noteSeen(
            parsed.header, in: emailID, of: user.id, at: message.receivedAt ?? now)
        if let copy {
            try db.writeAudit(
                .emailFile, of: "email \(emailID)",
                "in \(fund.name) of \(user.email); a copy that was filed by hand lies elsewhere, as email \(copy)",
                by: "fundmail", now: now)
        }
        batch.noteUse(parsed.attachmentBytes, of: fund.id)
        for attachment in parsed.attachments {
            let blobID =
                try blobs[attachment.digest]
                ?? BlobRows(db: db, batch: batch).id(
                    of: attachment.digest, size: attachment.size, records.blobs[attachment.digest],
                    replacing: records.replacement(of: attachment.digest))
            let id = try insertAttachment(attachment, emailID: emailID, blobID: blobID)
            if !attachment.isInline { try insertFile(attachment, attachmentID: id, fund: fund, blobID: blobID) }
        }
        return emailID
    }

    private func insertEmail(
        _ message: RoutedMessage, _ parsed: ParsedMessage, messageID: MessageRows.ID, user: User.ID, fund: Fund.ID
    ) throws -> EmailSummary.ID {
        let header = parsed.header
        let id: EmailSummary.ID = try batch.nextID(of: .email, db)
        try db.execute(
            """
            INSERT INTO email (id, message_id, fingerprint, user_id, fund_id, subject, from_address, sent_at,
                internet_message_id, defects, received_at, source, text, html)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                id, messageID, message.spooled.fingerprint, user, fund, header.subject,
                header.from.first?.addresses.first?.address, header.date, header.messageID,
                parsed.defects.map(\.rawValue).joined(separator: " "), now, message.reference.text, parsed.text,
                parsed.html,
            ])
        return id
    }

    private func insertAttachment(
        _ attachment: ParsedAttachment, emailID: EmailSummary.ID, blobID: BlobRows.ID
    ) throws -> AttachmentEntry.ID {
        let id: AttachmentEntry.ID = try batch.nextID(of: .attachment, db)
        try db.execute(
            """
            INSERT INTO attachment (id, email_id, blob_id, sent_name, display_name, content_type, size, is_inline,
                content_id, part_path) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                id, emailID, blobID, attachment.sentName, attachment.displayName, attachment.contentType,
                attachment.size, attachment.isInline, attachment.contentID, attachment.partPath,
            ])
        return id
    }

    private func insertFile(
        _ attachment: ParsedAttachment, attachmentID: AttachmentEntry.ID, fund: Fund, blobID: BlobRows.ID
    ) throws {
        let name = try FileName.free(attachment.displayName) {
            try LibraryName.isTaken(db, $0, in: LibraryPlace(fund: fund.id))
        }
        let id: FileEntry.ID = try batch.nextID(of: .file, db)
        try db.execute(
            """
            INSERT INTO file (id, fund_id, name, name_key, blob_id, attachment_id, size, content_type, created_at,
                modified_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                id, fund.id, name, FileName.key(name), blobID, attachmentID, attachment.size, attachment.contentType,
                now, now,
            ])
        try ChangeFeed.note(db, .file(id), in: fund.id)
    }
}
