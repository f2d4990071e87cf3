import FundCore

/// State that the messages of one transaction share, so that each statement for it runs once: records that get rows,
/// the next ids, and answers about users and funds.
final class BatchNotes {
    private var records: [SegmentNumber: [AppendedRecord]] = [:]
    private var numbers = RowNumbers.Sequence()
    private var owners: [Fund.ID: User.ID?] = [:]
    private var learners: [User.ID: Bool] = [:]
    private var addedBytes: [Fund.ID: Int64] = [:]

    func note(_ record: AppendedRecord) { records[record.location.segment, default: []].append(record) }

    /// Notes the attachments of mail that is filed.
    func noteUse(_ bytes: Int64, of fund: Fund.ID) { addedBytes[fund, default: 0] += bytes }

    /// Ends the transaction. Throws `stale` when a record was given up since it was appended.
    func finish(_ db: Database) throws {
        for (segment, records) in records { try SegmentRows(db: db).note(records, of: segment) }
        records = [:]
        for (fund, bytes) in addedBytes where bytes > 0 { try FundUse.add(bytes, to: fund, db) }
        addedBytes = [:]
    }

    func nextID<Entity>(of table: RowNumbers.Table, _ db: Database) throws -> ID<Entity> {
        try numbers.next(table, db)
    }

    /// The owner of a fund; nil for one that is deleted.
    func owner(of fund: Fund.ID, _ db: Database) throws -> User.ID? {
        if let known = owners[fund] { return known }
        let owner: User.ID? = try db.value("SELECT owner_id FROM fund WHERE id = ? AND deleted_at IS NULL", [fund])
        owners[fund] = .some(owner)
        return owner
    }

    /// Whether something was learnt from the user's kept mail. Most have nothing.
    func hasLearnt(_ user: User.ID, _ db: Database) throws -> Bool {
        if let known = learners[user] { return known }
        let found = try db.exists("SELECT 1 FROM learnt WHERE user_id = ? AND taken_back_at IS NULL", [user])
        learners[user] = found
        return found
    }
}
