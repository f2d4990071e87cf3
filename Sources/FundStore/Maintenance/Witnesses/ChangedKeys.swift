import FundCore

/// Rows that contradict their indexes: in which fund a file lies, to which email an attachment belongs, rows that are
/// not there. Where a letter of a row changed, or a page holds what it held before, indexes that are made anew would
/// take the row's word for it, and what they know would be gone.
struct ChangedKeys {
    /// A column whose value is to be what the indexes say.
    struct Key: Hashable {
        var row: RowKey
        var column: String
        /// The values as SQL literals.
        var inRow: String
        var inIndex: String

        var description: String {
            column == RowWitnesses.existence
                ? "\(row.description) is there, and its indexes do not know it"
                : "\(row.description): its \(column) is \(inRow), and \(inIndex) in an index"
        }
    }

    /// A row of which nothing tells whether it or its index is right.
    struct Undecided {
        var row: RowKey
        var text: String
        /// The backup's word on it; nil where none was named.
        var kept: Kept?

        enum Kept {
            case missing
            case other(String)
        }

        /// Words for people, with what helps.
        var description: String {
            let advice = "`fundmail verify --repair --accept-rows` takes the row as it is: look at it before"
            return switch kept {
            case nil: "\(text); a backup may tell which is right: `fundmail verify --repair --backup DIR`. \(advice)"
            case .missing: "\(text); the backup that was named does not have this row: name a newer one. \(advice)"
            case .other(let value):
                "\(text); the backup that was named says \(value), and it changed since: name a newer one. \(advice)"
            }
        }
    }

    /// Columns that changed, and rows that were removed and are there again.
    var changed: [Key] = []
    /// Rows that are gone, made of what their indexes hold.
    private(set) var remade: [(row: RowKey, statement: String)] = []
    /// Rows that are gone.
    private(set) var lost: [TableLoss] = []
    /// Rows of which nothing tells whether they or their indexes are right.
    var undecided: [Undecided] = []

    /// Tables of which no index may be made anew.
    var heldTables: Set<String> { Set(undecided.map(\.row.table)) }

    private(set) var db: Database
    /// Path of a backup's database; nil for none.
    private(set) var backup: String?

    /// Outside of transactions.
    ///
    /// - Parameters:
    ///   - backup: the database of a backup; nil for none.
    ///   - acceptsRows: where nothing tells which is right, the row is.
    init(_ db: Database, backup: String?, acceptsRows: Bool) throws {
        (self.db, self.backup) = (db, backup)
        let tables = try RowWitnesses.tables.compactMap { try db.indexedTable($0) }
        var keys = self
        _ = try db.withEntries(of: tables) { for table in tables { try keys.compare(table) } }
        self = keys
        if acceptsRows { undecided = [] }
    }

    private mutating func compare(_ table: IndexedTable) throws {
        // A page that cannot be read says nothing.
        let witnesses = try table.indexes.compactMap { index in
            try Database.readable(or: nil) { try IndexWitness(index, of: table, db) as IndexWitness? }
        }
        var lost: [Int64] = []
        let keys = Set(witnesses.flatMap(\.objections.keys)).sorted { $0.values.lexicographicallyPrecedes($1.values) }
        for key in keys {
            do {
                if witnesses.contains(where: { $0.objections[key]?.isRowThere == false }) {
                    if try isLost(key, witnesses) { lost.append(key.values[0]) }
                } else {
                    try settle(key, witnesses)
                }
            } catch let error where ConnectionPool.isDamage(error) {
                undecided.append(Undecided(row: key, text: "\(key.description) and its indexes contradict each other"))
            }
        }
        guard !lost.isEmpty else { return }
        let rows = lost.sorted().reduce(into: [LostRows]()) { rows, id in
            if let last = rows.last, last.last == id - 1 {
                rows[rows.count - 1] = LostRows(first: last.first, last: id)
            } else {
                rows.append(LostRows(first: id, last: id))
            }
        }
        self.lost.append(TableLoss(table: table.name, rows: rows))
    }

    // MARK: Rows that are gone

    /// Whether a row that indexes name is to come from a backup.
    private mutating func isLost(_ key: RowKey, _ witnesses: [IndexWitness]) throws -> Bool {
        let naming = witnesses.filter { $0.objections[key] != nil }
        var others = witnesses.count { $0.objections[key] == nil && $0.index.condition == nil }
        var count = naming.count
        if let isNeeded = try RowWitnesses.isNeeded(key, db) {
            if isNeeded { count += 1 } else { others += 1 }
        } else if key.table == "file", count == 1 {
            // Live files stand in several indexes, and those in the trash are recorded there.
            let isInTrash: Bool =
                try db.value(
                    "SELECT EXISTS (SELECT 1 FROM deletion WHERE kind = \(ItemKind.file.rawValue) AND item_id = ?)",
                    [key.values[0]]) ?? false
            if isInTrash { count += 1 } else { others += 1 }
        }
        if count == 1, others > 0 { return false }
        guard others == 0 else {
            undecided.append(
                Undecided(row: key, text: "\(key.description) is not there, and some of its indexes know it"))
            return false
        }
        var values: [String: String] = [:]
        for witness in naming {
            guard let objection = witness.objections[key] else { continue }
            for (term, value) in zip(witness.index.terms, objection.values) { values[term] = value }
            if let condition = witness.index.condition { values[condition] = "1" }
        }
        if let statement = RowWitnesses.making(key, values) {
            remade.append((key, statement))
            return false
        }
        return key.names == ["rowid"]
    }

    // MARK: Rows that are there

    private mutating func settle(_ key: RowKey, _ witnesses: [IndexWitness]) throws {
        let isProved = try isProved(key)
        guard isProved != true else { return }
        let all = try ColumnVotes.on(key, witnesses, db)
        let objectors = witnesses.count { $0.objections[key] != nil }
        // The columns of a row that is not to be there say nothing.
        let isThere = all[RowWitnesses.existence]?.against.isEmpty ?? true
        let columns = isThere ? all.keys.sorted() : [RowWitnesses.existence]
        for column in columns {
            guard let votes = all[column], let (value, indexes) = votes.against.first else { continue }
            let changed = Key(row: key, column: column, inRow: votes.inRow, inIndex: value)
            guard votes.against.count == 1 else {
                undecided.append(Undecided(row: key, text: changed.description))
                continue
            }
            if let sql = RowWitnesses.proof(of: column, in: key.table), let proved = try witnessed(sql, changed),
                try proved != value || canSet(changed, objectors)
            {
                // Otherwise the index is what is damaged.
                if proved == value { self.changed.append(changed) }
                continue
            }
            // Where other indexes say that other columns changed, the row is an old one as a whole.
            let isOld = objectors > indexes && isThere
            var (against, agreeing) = (indexes, votes.agreeing)
            if isOld { against += 1 }
            if RowChecks.covers(key.table), isThere == (isProved == false) { against += 1 }
            if RowChecks.covers(key.table), !isThere, isProved == false { agreeing += 1 }
            for sql in RowWitnesses.of(column, in: key.table, isOld: isOld) {
                guard let witness = try witnessed(sql, changed) else { continue }
                if witness == value { against += 1 } else { agreeing += 1 }
            }
            // A checksum proves such a row, or nothing of it is right.
            if RowWitnesses.isMarginal(column), RowChecks.covers(key.table) { continue }
            if agreeing == 0, against > 1, try canSet(changed, objectors) {
                self.changed.append(changed)
            } else if indexes == 1, agreeing > 0, against == 1 || RowWitnesses.isMarginal(column) {
                continue  // the index is what is damaged
            } else if agreeing == 0, against == 1,
                RowWitnesses.isMarginal(column) || !isThere && RowWitnesses.isHarmless(key.table)
            {
                continue
            } else {
                try decideByBackup(changed, mayChange: agreeing == 0)
            }
        }
    }

    /// Nil also where checksums cannot be read.
    private func isProved(_ key: RowKey) throws -> Bool? {
        try Database.readable(or: nil) { try RowChecks.isProved(key.values[0], of: key.table, db) }
    }

    private func witnessed(_ sql: String, _ key: Key) throws -> String? {
        let places = [key.row.values[0], key.row.values.last ?? 0].map(String.init)
        let known = sql.replacing("?1", with: places[0]).replacing("?2", with: places[1])
            .replacing("?3", with: key.inRow).replacing("?4", with: key.inIndex)
        return try db.value("SELECT nullif(quote((\(known))), 'NULL')")
    }

    /// Whether what the indexes say can be written. A row that they do not know may be newer than they are: it goes
    /// where others tell the same of it.
    func canSet(_ key: Key, _ objectors: Int) throws -> Bool {
        if key.column == RowWitnesses.existence {
            switch key.row.table {
            case "change": return true
            case "deletion": return objectors > 2
            // Mail waits at the desk; the address by which a user is called stays theirs.
            case "address":
                return try db.value(
                    "SELECT email <> address FROM address JOIN \"user\" ON \"user\".id = user_id WHERE address.id = ?",
                    [key.row.values[0]]) ?? true
            default: return false
            }
        }
        if key.row.table == "change", key.column == "user_id" {
            // The person may have the item in another row.
            return try !db.exists(
                """
                SELECT 1 FROM \(SQL.scan("change")) WHERE user_id = \(key.inIndex) AND (kind, item_id) =
                    (SELECT kind, item_id FROM \(SQL.scan("change")) WHERE \(key.row.condition()))
                """)
        }
        guard key.column.contains(" ") else { return !key.column.contains("(") }
        guard RowWitnesses.setting(key.column, in: key.row.table, to: key.inIndex) != nil else { return false }
        guard let condition = RowWitnesses.need(of: key.column, in: key.row.table, to: key.inIndex) else { return true }
        return try db.value("SELECT EXISTS (\(condition.replacing("?1", with: "\(key.row.values[0])")))") ?? false
    }

    /// Removes the rows that indexes do not know. Before these are made anew: another row may stand for the same.
    func removeRows(_ db: Database) throws {
        for key in changed where key.column == RowWitnesses.existence {
            try db.execute("DELETE FROM \(Database.quoted(key.row.table)) WHERE \(key.row.condition())")
        }
    }

    /// Makes the rows what the indexes said. To be called once those were made anew, or before they are made.
    func putBack(_ db: Database) throws {
        for row in remade { try db.execute(row.statement) }
        for key in changed where key.column != RowWitnesses.existence {
            let (table, id) = (key.row.table, key.row.values[0])
            var setting = RowWitnesses.setting(key.column, in: table, to: key.inIndex)
            if key.column == "name_key",
                let name: String = try db.value("SELECT name FROM \(table) WHERE id = ?", [id]),
                try db.value("SELECT \(key.inIndex)") == FileName.key(name)
            {
                setting = nil
            }
            try db.changeBack(table, id) {
                try db.execute(
                    "UPDATE \(Database.quoted(table)) SET \(setting ?? "\(key.column) = \(key.inIndex)") "
                        + "WHERE \(key.row.condition())")
            }
        }
        try ChangeFeed.publish(db)
    }
}
