import FundCore

/// Takes back a message that was filed by mistake, within one write transaction: its files go to the trash, the email
/// and what else came with it are removed, and the message can be filed again. The raw message stays.
struct EmailWithdrawal {
    let db: Database
    let now: Timestamp

    /// The way and the time in which it was filed.
    struct Filing {
        var state: FiledState
        /// Last file of the whole store at that time.
        var lastFile: FileEntry.ID
        /// Whose mail it was known to be. Its files can be restored from that user's trash; from another's they cannot,
        /// who should never have had them.
        var sender: User.ID?
    }

    /// Withdraws an email. Throws `conflict` when its owner went on with it or its files. Returns the user whose files
    /// cannot be restored, and are to be purged.
    func run(
        _ email: EmailSummary.ID, of message: MessageRows.ID, _ filing: Filing, _ operation: String
    ) throws -> User.ID? {
        let row = try db.row(
            """
            SELECT fund.owner_id, fund.name, "user".email, fund.deleted_at IS NULL,
                \(Deletion.hasEmail),
                message.raw_dropped_at IS NULL,
                -- Given away and back is as if nothing had happened.
                \(ChangeFeed.firstOwner(orElse: "fund.owner_id")) <> fund.owner_id
            FROM email JOIN fund ON fund.id = email.fund_id JOIN "user" ON "user".id = fund.owner_id
                JOIN message ON message.id = email.message_id
            WHERE email.id = ? AND email.message_id = ?
            """, [email, message])
        guard let row, let state = try FiledState(email, db) else {
            throw StoreError(.conflict, operation, "email \(email) is not there any more")
        }
        let (owner, fundName, ownerEmail): (User.ID, String, String) = (row[0], row[1], row[2])
        func refuse(_ what: String) -> StoreError {
            StoreError(.conflict, operation, "\(ownerEmail) went on with it: \(what) in [\(fundName)]")
        }
        guard row[3] else { throw refuse("the fund was deleted with the mail") }
        guard !row[6] else {
            throw StoreError(.conflict, operation, "its fund [\(fundName)] was given to \(ownerEmail) since")
        }
        guard row[5] else {
            throw StoreError(.conflict, operation, "its raw message was dropped since, so it could not wait again")
        }
        if row[4] || state.fund != filing.state.fund { throw refuse("the mail was moved or deleted") }
        guard state == filing.state else { throw refuse("a file of it was renamed, moved, changed or deleted") }
        if let copy = try copy(of: email, owner, after: filing.lastFile) {
            throw refuse("“\(copy)” has the content of a file of it")
        }
        let files: [FileEntry.ID] = try db.values(
            "SELECT file.id FROM attachment JOIN file ON file.attachment_id = attachment.id WHERE email_id = ?",
            [email])
        let isStranger = filing.sender != owner
        for file in files { try discard(file, isStranger ? .final : .restorable(since: now), owner) }
        try remove(email, of: state.fund)
        return isStranger ? owner : nil
    }

    /// The name of a file with the same content that its owner put into a fund since. (What other mail brought is
    /// theirs by that mail.)
    private func copy(of email: EmailSummary.ID, _ owner: User.ID, after last: FileEntry.ID) throws -> String? {
        try db.value(
            """
            SELECT file.name FROM attachment JOIN file ON file.blob_id = attachment.blob_id
                JOIN fund ON fund.id = file.fund_id
            WHERE attachment.email_id = ? AND file.id > ? AND fund.owner_id = ? AND file.attachment_id IS NULL
                AND file.deleted_at IS NULL LIMIT 1
            """, [email, last, owner])
    }

    private func discard(_ file: FileEntry.ID, _ deletion: Deletion, _ owner: User.ID) throws {
        try db.execute("UPDATE file SET deleted_at = ?, attachment_id = NULL WHERE id = ?", [now, file])
        try Deletion.note(.file(file), of: owner, deletion.column, root: .file(file), db)
    }

    private func remove(_ email: EmailSummary.ID, of fund: Fund.ID) throws {
        let blobs: [BlobRows.ID] = try db.values(
            "SELECT DISTINCT blob_id FROM attachment WHERE email_id = ?", [email])
        try RowNumbers.noteLast(.attachment, db)
        try db.execute("DELETE FROM attachment WHERE email_id = ?", [email])
        try KnownAddressRows(db: db).forget([email])
        try Deletion.dropMarks(of: .email(email), db)
        try Deletion.forget(.email(email), db)
        try RowNumbers.noteLast(.email, db)
        try db.execute("DELETE FROM email WHERE id = ?", [email])
        try ChangeFeed.note(db, .email(email), in: fund)
        _ = try BlobRows(db: db).dropUnused(blobs)
    }
}
