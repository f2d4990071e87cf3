import FundCore

/// Completes a database of which rows could not be read, within the transaction that makes it: from a backup, from the
/// log, and from what other rows say.
struct RowRecovery {
    private let log: StoreLog
    private let db: Database
    private let hasBackup: Bool
    private let locations: RowLocations

    init(log: StoreLog, db: Database, hasBackup: Bool) {
        (self.log, self.db, self.hasBackup) = (log, db, hasBackup)
        locations = RowLocations(log: log, db: db)
    }

    /// Throws `RepairRefusal` when what is missing is not to be had.
    func run(_ rebuild: inout SoundDatabase) throws -> [RepairNote] {
        let losses = rebuild.losses
        var counts: [String: Int] = [:]
        for loss in losses where hasBackup && RecoveredTable.of(loss.table) != .derived {
            counts[loss.table] = try rebuild.takeFromBackup(loss)
        }
        let others = hasBackup ? try dropOthers(losses) : []
        let contents = LostContents(db: db, losses: losses, log: log, locations: locations)
        let blobs = hasBackup ? try contents.remake() : 0
        let people = hasBackup ? try LostPeople(db: db, losses: losses).remake() : []
        var stale = StaleRows(db: db, losses: losses)
        var items = try hasBackup ? StaleItems(db: db, losses: losses) : nil
        if hasBackup { try stale.settle() }
        if losses.concern("nonce") { try LostNonces.note(at: .now, db) }
        let letters = try StaleLetters(db: db, losses: losses).settle()
        let links = try StaleLinks(db: db, losses: losses).settle()
        let transfers = try StaleTransfers(db: db, losses: losses).settle()
        let watches = try StaleTransfers(db: db, losses: losses).pauseWatches()
        let webhooks = try StaleWebhooks(db: db, losses: losses).settle()
        let scans = try StaleScans(db: db, losses: losses, cache: log.connection.location.previewDatabase).settle()
        try items?.settle()
        let counters = try LostCounters(log: log, db: db).renew(areLost: losses.concern("counter"))
        let messages = losses.concern("message") ? try recoverMessages() : 0
        // Rows from a backup may name a place from which the record has moved since.
        for kind in RecordHeader.Kind.ofRows { try locations.renew(kind, losses.rows(of: kind.table)) }
        let loose = hasBackup ? try LooseReferences(db: db, losses: losses).settle() : []
        let dropped = hasBackup ? try dropDeleted(losses) : 0
        if hasBackup { try contents.dropRemoved() }
        try derive(losses)
        try refuseWhatIsMissing(losses)
        try locations.countSegments()
        if losses.concern("segment") { try LostSegments(log: log, db: db).add() }
        if hasBackup {
            try LooseReferences.drop(db)
            try StoreHistory.passIDs(db)
        }
        if losses.concern("row_check") { try RowChecks.complete(db) }
        let changes = try RowChecks.changes(db).filter { losses.concern($0.table) }
        let told = losses.filter { [.passing, .backedUp].contains(RecoveredTable.of($0.table)) }
        var notes = try told.map { loss in
            let isWhole =
                try loss.table == "blob" && hasBackup
                ? blobs != nil : items?.known.hasAll(of: loss.table) ?? false || isWhole(loss, changes, rebuild)
            return RepairNote(
                "\(loss.description) could not be read; \(counts[loss.table] ?? 0) rows come from the backup"
                    + (isWhole ? "" : ", and what was added since is missing"), isWhole: isWhole)
        }
        if let blobs, blobs > 0 { notes.add("\(blobs) rows of blob come from the log", isWhole: true) }
        if messages > 0 { notes.add("\(messages) rows of message come from the log", isWhole: true) }
        if dropped > 0 { notes.add("\(dropped) of these rows were removed since the backup", isWhole: true) }
        notes += [counters, scans, letters, links, transfers, watches, webhooks].compactMap { $0 } + others + people
        return notes + stale.notes + (items?.notes ?? []) + loose
            + changes.map { RepairNote("\($0); the backup has it as it was before") }
    }

    /// Whether no row of what was lost is missing, as far as that can be known. Each message has an email or a
    /// misroute: of these `refuseWhatIsMissing` knows.
    private func isWhole(_ loss: TableLoss, _ changes: [RowChecks.Change], _ rebuild: SoundDatabase) throws -> Bool {
        if !RecoveredTable.needsBackup(loss.table) || ["message", "email", "misroute"].contains(loss.table) {
            return true
        }
        // Checksums that were lost, too, are those of the backup's rows by now, and prove nothing.
        if RowChecks.covers(loss.table) && !rebuild.losses.concern("row_check") {
            return !changes.contains { $0.table == loss.table }
        }
        return hasBackup ? try rebuild.isCoveredByBackup(loss) : false
    }

    // MARK: From the log

    /// A message whose row is lost and of which a delivery tells the digest: its record says the rest.
    private func recoverMessages() throws -> Int {
        let deliveries = try db.rows(
            """
            SELECT message_id, digest, mailbox, place, outcome, reason, at, is_header_only FROM delivery
            WHERE outcome <> 'duplicate' AND NOT EXISTS (SELECT 1 FROM message WHERE id = message_id)
                AND (EXISTS (SELECT 1 FROM email WHERE email.message_id = delivery.message_id)
                    OR EXISTS (SELECT 1 FROM misroute WHERE misroute.message_id = delivery.message_id))
            """)
        var count = 0
        for row in deliveries {
            let digest = try row.digest(1)
            guard let record = try locations.record(of: digest, .message) else { continue }
            let email = try db.row("SELECT id, fingerprint FROM email WHERE message_id = ?", [row[0] as Int64?]).map {
                (id: $0[0] as EmailSummary.ID, mark: try $0.digest(1))
            }
            let mark = try fingerprint(of: record, email)
            count += try db.execute(
                """
                INSERT INTO message (id, digest, fingerprint, size, outcome, reason, mailbox, place,
                    received_at, is_header_only, \(RecordLocation.columns))
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """,
                [
                    row[0] as Int64?, digest, mark, record.header.label.contentBytes, row[4] as String?,
                    row[5] as String?, row[2] as String?, row[3] as String?, row[6] as Int64?, row[7] as Bool?,
                ] + record.location.arguments)
        }
        return count
    }

    /// The fingerprint of a message: that of its email, which may be of an earlier kind, unless it was given up there.
    private func fingerprint(
        of record: LogRecord, _ email: (id: EmailSummary.ID, mark: ContentDigest)?
    ) throws -> ContentDigest {
        let own = try log.spool.fingerprint { try record.content(nil, { try locations.record(of: $0, .blob) }, $0) }
        guard let email, email.mark != MessageRows.givenUp(own, of: email.id) else { return own }
        return email.mark
    }

    /// Leaves rows of the backup out that name records which the log never had.
    private func dropOthers(_ losses: [TableLoss]) throws -> [RepairNote] {
        try RecordHeader.Kind.ofRows.compactMap { kind in
            let count = try locations.dropOthers(kind, losses.rows(of: kind.table))
            guard count > 0 else { return nil }
            return RepairNote(
                "\(count) rows of \(kind.table) in the backup are of records that the log does not have: they were "
                    + "left out")
        }
    }

    // MARK: From other rows

    private static let feedTables = ["change", "change_epoch", "change_epoch_start", "departure", "feed"]

    private func derive(_ losses: [TableLoss]) throws {
        let tables = Set(losses.map(\.table))
        // The words of all are taken into a new search index.
        try db.execute("DELETE FROM search_item")
        try db.execute("UPDATE feed SET indexed = 0")
        try FundMembers.complete(db)
        try FundUse.complete(db)
        try ChangeFeed.complete(db)
        try db.execute("UPDATE news_item SET is_indexed = 0 WHERE is_indexed <> 0")
        let items: [(ItemKind, owner: String)] = [
            (.fund, "owner_id"), (.folder, "(SELECT owner_id FROM fund WHERE id = fund_id)"),
            (.file, "(SELECT owner_id FROM fund WHERE id = fund_id)"), (.email, "user_id"), (.note, "user_id"),
        ]
        for (kind, owner) in items {
            let isLost = tables.contains(kind.table)
            let deletion = "FROM deletion WHERE kind = \(kind.rawValue) AND item_id = id"
            if isLost || tables.contains("change") { try ChangeFeed.complete(db, kind) }
            guard kind != .email else { continue }
            if isLost {
                // Items of the backup that were deleted since, or whose deletion was lost.
                try db.execute(
                    """
                    UPDATE \(kind.table) SET deleted_at = (SELECT at \(deletion))
                    WHERE deleted_at IS NULL AND EXISTS (SELECT 1 \(deletion))
                    """)
            }
            guard isLost || tables.contains("deletion") else { continue }
            try db.execute(
                """
                INSERT INTO deletion (kind, item_id, owner_id, at, root_kind, root_id)
                SELECT \(kind.rawValue), id, \(owner), deleted_at, \(kind.rawValue), id FROM \(kind.table)
                WHERE deleted_at IS NOT NULL AND NOT EXISTS (SELECT 1 \(deletion))
                """)
        }
        if tables.contains("fund_member") { try ChangeFeed.completeDepartures(db) }
        if !tables.isDisjoint(with: ["fund", "fund_alias", "fund_key"]) { try FundKeys.complete(db) }
        // Clients may know changes of rows that are older now, or of items that went to another person.
        if !tables.isDisjoint(with: Set(items.map(\.0.table)).union(Self.feedTables)) {
            try ChangeEpochs.begin(db, refusingOlder: true)
        }
        if tables.contains("message_blob") { try linkRepeated() }
    }

    /// Completes what raw messages repeat of the log, which keeps it from being removed and holds them back with it.
    private func linkRepeated() throws {
        let sql = "SELECT \(RecordRow.columns) FROM message WHERE segment IS NOT NULL"
        for message in try db.rows(sql, as: RecordRow.init) {
            guard let location = message.location else { continue }
            let repeated: [ContentDigest]
            do {
                repeated = try log.reader.record(at: location, of: message.digest).repeatedContents()
            } catch is LogDamage { continue }
            for digest in Set(repeated) {
                try db.execute(
                    """
                    INSERT INTO message_blob (message_id, blob_id) SELECT ?, id FROM blob WHERE digest = ?
                    ON CONFLICT DO NOTHING
                    """, [message.id, digest])
            }
        }
    }

    /// Rows of the backup that refer to what was removed since were removed, too.
    private func dropDeleted(_ losses: [TableLoss]) throws -> Int {
        var count = 0
        // Rows of one table refer to rows of another, which refer to a third: as often as there are tables in a row.
        for _ in losses {
            let dangling = try db.danglingRowIDs().filter { losses.contain($0.id, of: $0.table) }
            if dangling.isEmpty { break }
            for row in Set(dangling) { count += try db.remove(row) }
        }
        guard losses.concern("message_blob") else { return count }
        return try count
            + db.execute(
                """
                DELETE FROM message_blob
                WHERE NOT EXISTS (SELECT 1 FROM message WHERE id = message_id AND segment IS NOT NULL)
                    OR NOT EXISTS (SELECT 1 FROM blob WHERE id = blob_id)
                """)
    }

    /// Throws `RepairRefusal` when rows are missing that others need.
    private func refuseWhatIsMissing(_ losses: [TableLoss]) throws {
        var missing = try db.danglingRows()
        missing += try db.values(
            """
            SELECT 'message ' || id FROM message
            WHERE outcome = 'filed' AND NOT EXISTS (SELECT 1 FROM email WHERE message_id = message.id)
                OR outcome <> 'filed' AND NOT EXISTS (SELECT 1 FROM misroute WHERE message_id = message.id)
            """)
        let needed = losses.filter { loss in
            RecoveredTable.needsBackup(loss.table) && (loss.table != "message" || !missing.isEmpty)
        }
        guard hasBackup || needed.isEmpty else {
            throw RepairRefusal(
                reason: "\(needed.map(\.description).joined(separator: "; ")) cannot be read: name the newest backup, "
                    + "`fundmail verify --repair --backup DIR`, and its rows are taken from there")
        }
        guard let first = missing.first else { return }
        throw RepairRefusal(
            reason:
                "rows that came after the backup are needed (\(missing.count), as for \(first)): stop everything, "
                + "bring the backup's fundmail.sqlite back, and run `fundmail verify --repair`")
    }
}
