import FundCore

/// What the messages of one transaction share, so that each statement for it runs once: the records that get rows, the
/// next ids, and what was looked up of users and funds.
final class BatchNotes {
    private var records: [SegmentNumber: [AppendedRecord]] = [:]
    private var emailNumbers = RowNumbers.Sequence("email")
    private var attachmentNumbers = RowNumbers.Sequence("attachment")
    private var owners: [Fund.ID: User.ID?] = [:]
    private var learners: [User.ID: Bool] = [:]

    func note(_ record: AppendedRecord) { records[record.location.segment, default: []].append(record) }

    /// At the end of the transaction. Throws `stale` when a record was given up since it was appended.
    func finish(_ db: Database) throws {
        for (segment, records) in records { try SegmentRows(db: db).note(records, of: segment) }
        records = [:]
    }

    func nextEmail(_ db: Database) throws -> EmailSummary.ID { try emailNumbers.next(db) }
    func nextAttachment(_ db: Database) throws -> AttachmentEntry.ID { try attachmentNumbers.next(db) }

    /// Of a fund that is not deleted.
    func owner(of fund: Fund.ID, _ db: Database) throws -> User.ID? {
        if let known = owners[fund] { return known }
        let owner: User.ID? = try db.value("SELECT owner_id FROM fund WHERE id = ? AND deleted_at IS NULL", [fund])
        owners[fund] = .some(owner)
        return owner
    }

    /// Whether something was learnt from the user's kept mail. Most have nothing.
    func hasLearnt(_ user: User.ID, _ db: Database) throws -> Bool {
        if let known = learners[user] { return known }
        let found =
            try db.value(
                "SELECT EXISTS (SELECT 1 FROM learnt WHERE user_id = ? AND taken_back_at IS NULL)", [user]) ?? false
        learners[user] = found
        return found
    }
}
