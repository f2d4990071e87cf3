import FundCore

/// Takes back a message that was filed by mistake, within one write transaction: its files go to the trash, the email
/// and what else came with it are removed, and the message can be filed again. The raw message stays.
struct EmailWithdrawal {
    let db: Database
    let layout: StoreLayout
    let now: Timestamp

    /// - Parameters:
    ///   - feedNumber: the last number of the feed of changes when the message had been filed.
    ///   - sender: whose mail it was known to be. Its files can be restored from that user's trash; from another's they
    ///     cannot, who should never have had them.
    /// - Returns: blobs whose rows are gone: their files are to be removed when the transaction is durable.
    /// Throws `conflict` when its owner went on with the email or its files.
    func run(
        _ email: EmailSummary.ID, of message: MessageRows.ID, filedAt feedNumber: Int64, sender: User.ID?,
        _ operation: String
    ) throws -> [ContentDigest] {
        let row = try db.row(
            """
            SELECT email.fund_id, fund.owner_id, fund.deleted_at IS NULL, fund.name, "user".email FROM email
                JOIN fund ON fund.id = email.fund_id JOIN "user" ON "user".id = fund.owner_id
            WHERE email.id = ? AND email.message_id = ?
            """, [email, message])
        guard let row else { throw StoreError(.conflict, operation, "email \(email) is not there any more") }
        let (owner, fundName, ownerEmail): (User.ID, String, String) = (row[1], row[3], row[4])
        func refuse(_ what: String) -> StoreError {
            StoreError(.conflict, operation, "\(ownerEmail) went on with it: \(what) in [\(fundName)]")
        }
        guard row[2] else { throw refuse("the fund was deleted with the mail") }
        let hasRaw = try db.value("SELECT raw_dropped_at IS NULL FROM message WHERE id = ?", [message]) ?? false
        guard hasRaw else {
            throw StoreError(.conflict, operation, "its raw message was dropped since, so it could not wait again")
        }
        if try isChanged(.email(email), since: feedNumber) {
            throw refuse("the mail or its fund was moved, deleted or restored")
        }
        // Of content that was replaced an own row stays in the trash.
        let found = try db.rows(
            """
            SELECT file.id, file.deleted_at IS NOT NULL FROM attachment
                JOIN file ON file.attachment_id = attachment.id
            WHERE attachment.email_id = ?
            """, [email])
        let files: [FileEntry.ID] = found.filter { !$0[1] }.map { $0[0] }
        let attachments: Int =
            try db.value("SELECT count(*) FROM attachment WHERE email_id = ? AND is_inline = 0", [email]) ?? 0
        guard files.count == attachments else { throw refuse("a file of it was changed or deleted") }
        for file in files where try isChanged(.file(file), since: feedNumber) {
            let name: String = try db.value("SELECT name FROM file WHERE id = ?", [file]) ?? ""
            throw refuse("“\(name)” was renamed, moved, changed or deleted")
        }
        if let copy = try copy(of: email, owner, since: feedNumber) { throw refuse("“\(copy)” has a copy of a file") }
        let deletion: Deletion = sender == owner ? .restorable(since: now) : .final
        for file in files { try discard(file, deletion, owner) }
        return try remove(email, owner)
    }

    /// The name of a file with the same content that its owner put somewhere since.
    private func copy(of email: EmailSummary.ID, _ owner: User.ID, since number: Int64) throws -> String? {
        try db.value(
            """
            SELECT file.name FROM attachment JOIN file ON file.blob_id = attachment.blob_id
                JOIN fund ON fund.id = file.fund_id
                JOIN change ON change.kind = \(ItemKind.file.rawValue) AND change.item_id = file.id
            WHERE attachment.email_id = ?1 AND fund.owner_id = ?2 AND file.deleted_at IS NULL AND change.seq > ?3
                AND file.attachment_id IS NOT attachment.id
            LIMIT 1
            """, [email, owner, number])
    }

    private func isChanged(_ item: LibraryItemID, since number: Int64) throws -> Bool {
        try db.value(
            "SELECT EXISTS (SELECT 1 FROM change WHERE kind = ? AND item_id = ? AND seq > ?)",
            [item.kind.rawValue, item.number, number]) ?? false
    }

    private func discard(_ file: FileEntry.ID, _ deletion: Deletion, _ owner: User.ID) throws {
        try db.execute("UPDATE file SET deleted_at = ?, attachment_id = NULL WHERE id = ?", [now, file])
        try db.execute(
            "INSERT INTO deletion (kind, item_id, owner_id, at, root_kind, root_id) VALUES (?1, ?2, ?3, ?4, ?1, ?2)",
            [ItemKind.file.rawValue, file, owner, deletion.column])
    }

    private func remove(_ email: EmailSummary.ID, _ owner: User.ID) throws -> [ContentDigest] {
        let blobs: [BlobRows.ID] = try db.values(
            "SELECT DISTINCT blob_id FROM attachment WHERE email_id = ?", [email])
        try RowNumbers.noteLast("attachment", db)
        try db.execute("DELETE FROM attachment WHERE email_id = ?", [email])
        let key: SQLArguments = [ItemKind.email.rawValue, email]
        try db.execute("DELETE FROM favourite WHERE kind = ? AND item_id = ?", key)
        try db.execute("DELETE FROM property WHERE kind = ? AND item_id = ?", key)
        try RowNumbers.noteLast("email", db)
        try db.execute("DELETE FROM email WHERE id = ?", [email])
        try ChangeFeed.note(db, .email(email), of: owner)
        return try BlobRows(db: db, layout: layout).dropUnused(blobs).map(\.digest)
    }
}
