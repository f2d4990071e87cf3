internal import GRDB
import FundCore

/// Writes the rows of one filed message: the email, its attachments, and the files its owner sees.
struct EmailFiling {
    let db: Database
    let layout: StoreLayout
    let now: Timestamp

    /// Gives the email's id. Throws `invalid` for a decision without user and fund.
    func file(_ message: RoutedMessage, messageID: Int64) throws -> EmailSummary.ID {
        guard let user = message.decision.user, let fund = message.decision.fund,
            case .message(let parsed) = message.parsed
        else { throw StoreError(.invalid, "file a message", "it has no user, no fund or no content") }
        try checkFund(fund)
        try insertEmail(message, parsed, messageID: messageID, user: user.id, fund: fund.id)
        let emailID = db.lastInsertedID(EmailSummary.self)
        try ChangeFeed.note(db, .email(emailID), of: user.id)
        for attachment in parsed.attachments {
            let blobID = try BlobRows(db: db, layout: layout).id(of: attachment.digest, size: attachment.size)
            try insertAttachment(attachment, emailID: emailID, blobID: blobID)
            guard !attachment.isInline else { continue }
            try insertFile(attachment, attachmentID: db.lastInsertedID(), fund: fund, blobID: blobID)
        }
        return emailID
    }

    /// It may have been deleted since the message was routed: then the message must be routed anew.
    private func checkFund(_ fund: Fund) throws {
        let isThere = try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT deleted_at IS NULL FROM fund WHERE id = ?"), arguments: [fund.id])
        guard isThere == true else { throw StoreError(.stale, "file a message", "its fund was deleted meanwhile") }
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
            header.from.first?.addresses.first?.address.cleaned, header.date, header.messageID?.cleaned,
            parsed.defects.map(\.rawValue).joined(separator: " "), now, message.reference.text.cleaned,
            parsed.text?.cleaned, parsed.html?.cleaned,
        ])
    }

    private func insertAttachment(_ attachment: ParsedAttachment, emailID: EmailSummary.ID, blobID: Int64) throws {
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
        _ attachment: ParsedAttachment, attachmentID: AttachmentEntry.ID, fund: Fund, blobID: Int64
    ) throws {
        let name = try FileName.free(attachment.displayName.cleaned) {
            try LibraryName.isTaken(db, $0, in: LibraryPlace(fund: fund.id))
        }
        try db.cachedStatement(
            sql: """
                INSERT INTO file (fund_id, name, name_key, blob_id, attachment_id, size, content_type, created_at,
                    modified_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            fund.id, name, FileName.key(name), blobID, attachmentID, attachment.size, attachment.contentType.cleaned,
            now,
            now,
        ])
        try ChangeFeed.note(db, .file(db.lastInsertedID()), of: fund.owner)
    }
}
