import FundCore

extension BackupLineage {
    /// The conflict with a backup whose rows are to come into the store: nil only where it is proved that the store
    /// goes on from the very state that the backup holds. What is damaged in the store is left out of the comparison.
    func conflictOfRows(with backup: BackupContents, at database: String) throws -> Conflict? {
        let (isCopy, history) = try DatabaseFile.read(database) {
            (try StoreHistory.isCopy($0), try StoreHistory.current($0))
        }
        // A version without histories marked no copies.
        if !isCopy, history != HistoryID(rawValue: 0) { return .used }
        do {
            if backup.token != nil { return try conflict(with: backup) }
        } catch let error where ConnectionPool.isDamage(error) {}
        return try conflictByLog(with: backup, at: database)
    }

    /// The conflict as the log and the audit trail tell it, which know the state: each record that had a row at the
    /// backup's position has one in the backup, and none stands where the backup's rows name another.
    private func conflictByLog(with backup: BackupContents, at database: String) throws -> Conflict? {
        let (rows, act) = try DatabaseFile.read(database) {
            (try NamedRecords($0), try Self.act(backup.progress.activity, in: $0))
        }
        var (newest, agreeing): (Int64, Int) = (0, 0)
        for number in try log.segments.segments() {
            guard let found = try? records(in: number, at: backup.progress.position) else { continue }
            newest = max(newest, found.newest)
            for (header, state) in found.records {
                let copied = rows.contents[.init(segment: number, offset: header.offset)]
                let content = NamedRecords.Content(kind: header.label.kind, digest: header.label.digest)
                guard copied ?? content == content else { return .otherWay }
                if copied != nil { agreeing += 1 }
                let wasNeeded = header.offset < found.bound && state == .live
                guard !wasNeeded || rows.has(content, at: .init(segment: number, offset: header.offset)) else {
                    return .otherWay
                }
            }
        }
        guard newest >= backup.progress.position else { return .later }
        do {
            let own = try log.connection.read("look up an act") { try Self.act(backup.progress.activity, in: $0) }
            return own != act ? .otherWay : own == nil && agreeing == 0 ? .unknown : nil
        } catch let error where ConnectionPool.isDamage(error) { return agreeing == 0 ? .unknown : nil }
    }

    /// The records of a segment of this store, the newest position of its commit marks, and up to which offset records
    /// had rows at the position that is asked for.
    private func records(
        in number: SegmentNumber, at position: Int64
    ) throws -> (records: [(header: RecordHeader, state: RecordHeader.State)], newest: Int64, bound: Int64) {
        var records: [(RecordHeader, RecordHeader.State)] = []
        var (newest, bound): (Int64, Int64) = (0, 0)
        var scan = try LogScan(number, in: log.segments)
        try scan.forEachRecord { record, state in
            guard record.header.label.kind == .commit else { return records.append((record.header, state)) }
            guard let mark = CommitMark(record.header) else { return }
            newest = max(newest, mark.position)
            if mark.position <= position { bound = max(bound, mark.end) }
        }
        return (records, newest, bound)
    }

    private static func act(_ number: Int64, in db: Database) throws -> String? {
        try db.value("SELECT at || ' ' || actor || ' ' || action || ' ' || subject FROM audit WHERE id = ?", [number])
    }
}

/// The records that the rows of a database name.
private struct NamedRecords {
    struct Content: Hashable {
        var kind: RecordHeader.Kind
        var digest: ContentDigest
    }

    struct Place: Hashable {
        var segment: SegmentNumber
        var offset: Int64
    }

    private(set) var contents: [Place: Content] = [:]
    private var known: Set<Content> = []
    /// Places of records that no row needed any more and that were still there.
    private var givenUp: Set<Place> = []

    init(_ db: Database) throws {
        for kind in RecordHeader.Kind.ofRows {
            let sql = "SELECT segment, record_offset, digest FROM \(kind.table) WHERE segment IS NOT NULL"
            try db.forEach(sql) { row in
                let content = Content(kind: kind, digest: try row.digest(2))
                contents[Place(segment: row[0], offset: row[1])] = content
                known.insert(content)
                return true
            }
        }
        givenUp = Set(
            try db.rows("SELECT segment, record_offset FROM dead_record") { Place(segment: $0[0], offset: $0[1]) })
    }

    /// Whether a record at this place was known: by its content, which may have stood elsewhere.
    func has(_ content: Content, at place: Place) -> Bool { known.contains(content) || givenUp.contains(place) }
}
