internal import GRDB
import Ingest

/// Writes the rows of one filed message: the email, its attachments, and the files its owner sees.
struct EmailFiling {
    let db: Database
    let now: Int64

    /// Gives the email's id. Throws `invalid` for a decision without user and fund.
    func file(_ message: RoutedMessage, messageID: Int64) throws -> Int64 {
        guard let user = message.decision.user, let fund = message.decision.fund,
            case .message(let parsed) = message.parsed
        else { throw StoreError(.invalid, "file a message", "it has no user, no fund or no content") }
        try insertEmail(message, parsed, messageID: messageID, user: user.id, fund: fund.id)
        let emailID = db.lastInsertedRowID
        for attachment in parsed.attachments {
            let blobID = try blob(attachment.digest, size: attachment.size)
            try insertAttachment(attachment, emailID: emailID, blobID: blobID)
            guard !attachment.isInline else { continue }
            try insertFile(attachment, attachmentID: db.lastInsertedRowID, fund: fund.id, blobID: blobID)
        }
        return emailID
    }

    private func insertEmail(
        _ message: RoutedMessage, _ parsed: ParsedMessage, messageID: Int64, user: User.ID, fund: Fund.ID
    ) throws {
        let header = parsed.header
        try db.cachedStatement(
            sql: """
                INSERT INTO email (message_id, fingerprint, user_id, fund_id, subject, from_address, sent_at,
                    internet_message_id, defects, received_at, source, text, html)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            messageID, message.spooled.fingerprint.column, user, fund, header.subject?.cleaned,
            header.from.first?.mailboxes.first?.address.cleaned, header.date, header.messageID?.cleaned,
            parsed.defects.map(\.rawValue).joined(separator: " "), now, message.reference.text.cleaned,
            parsed.text?.cleaned, parsed.html?.cleaned,
        ])
    }

    private func blob(_ digest: ContentDigest, size: Int64) throws -> Int64 {
        let key = digest.column
        if let id = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT id FROM blob WHERE digest = ?"), arguments: [key])
        {
            return id
        }
        try db.cachedStatement(sql: "INSERT INTO blob (digest, size) VALUES (?, ?)").execute(arguments: [key, size])
        return db.lastInsertedRowID
    }

    private func insertAttachment(_ attachment: ParsedAttachment, emailID: Int64, blobID: Int64) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO attachment (email_id, blob_id, sent_name, display_name, content_type, size, is_inline,
                    content_id, part_path) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            emailID, blobID, attachment.sentName?.cleaned, attachment.displayName.cleaned,
            attachment.contentType.cleaned, attachment.size, attachment.isInline, attachment.contentID?.cleaned,
            attachment.partPath,
        ])
    }

    private func insertFile(
        _ attachment: ParsedAttachment, attachmentID: Int64, fund: Fund.ID, blobID: Int64
    ) throws {
        let name = try FileName.free(attachment.displayName.cleaned) { try isTaken($0, fund: fund) }
        try db.cachedStatement(
            sql: """
                INSERT INTO file (fund_id, name, name_key, blob_id, attachment_id, size, content_type, created_at,
                    modified_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            fund, name, FileName.key(name), blobID, attachmentID, attachment.size, attachment.contentType.cleaned, now,
            now,
        ])
    }

    private func isTaken(_ key: String, fund: Fund.ID) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT EXISTS (SELECT 1 FROM file WHERE fund_id = ?1 AND ifnull(folder_id, 0) = 0 AND name_key = ?2
                            AND deleted_at IS NULL)
                        OR EXISTS (SELECT 1 FROM folder WHERE fund_id = ?1 AND ifnull(parent_id, 0) = 0
                            AND name_key = ?2 AND deleted_at IS NULL)
                    """), arguments: [fund, key]) ?? false
    }
}
