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
    private(set) var changed: [Key] = []
    /// Rows that are gone, made of what their indexes hold.
    private(set) var remade: [(row: RowKey, statement: String)] = []
    /// Rows that are gone.
    private(set) var lost: [TableLoss] = []
    /// Where nothing tells which of the two is right.
    private(set) var undecided: [Undecided] = []

    /// Tables of which no index may be made anew.
    var heldTables: Set<String> { Set(undecided.map(\.row.table)) }

    private var db: Database
    private var backup: String?

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
            do { return try IndexWitness(index, of: table, db) } catch let error where ConnectionPool.isDamage(error) {
                return nil as IndexWitness?
            }
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

    private struct Votes {
        var inRow = ""
        var against: [String: Int] = [:]
        var agreeing = 0
    }

    /// Votes of the indexes on each column of a row.
    private func votes(on key: RowKey, _ witnesses: [IndexWitness]) throws -> [String: Votes] {
        var votes: [String: Votes] = [:]
        func vote(_ column: String, _ inRow: String, _ inIndex: String) {
            votes[column, default: Votes()].inRow = inRow
            if inRow == inIndex {
                votes[column, default: Votes()].agreeing += 1
            } else {
                votes[column, default: Votes()].against[inIndex, default: 0] += 1
            }
        }
        for witness in witnesses {
            let (index, objection) = (witness.index, witness.objections[key])
            let own = index.terms.map { "quote(\($0))" } + ["ifnull(\(index.condition ?? "1"), 0)"]
            let row = try db.row(
                "SELECT \(own.joined(separator: ", ")) FROM \(Database.quoted(key.table)) NOT INDEXED "
                    + "WHERE \(key.condition())")
            guard let row else { continue }
            let isMeant = row[index.terms.count] as Bool
            let hasEntry = objection?.hasEntry ?? isMeant
            // One that is left out for want of a value says that there is none.
            let left = index.terms.firstIndex { index.condition == "\($0) IS NOT NULL" }
            if let left {
                if !hasEntry { vote(index.terms[left], row[left], "NULL") }
            } else if let condition = index.condition {
                let (column, isDenied) = Self.plain(condition)
                vote(column, isMeant != isDenied ? "1" : "0", hasEntry != isDenied ? "1" : "0")
            } else if !hasEntry {
                vote(RowWitnesses.existence, "1", "0")
            }
            guard hasEntry else { continue }
            vote(RowWitnesses.existence, "1", "1")
            for (number, term) in index.terms.enumerated() where index.condition != "\(term) IS NULL" {
                let inRow: String = row[number]
                let inIndex = objection.map { $0.values[number] } ?? inRow
                if let column = Self.optional(term) {
                    vote(column, inRow == "0" ? "NULL" : inRow, inIndex == "0" ? "NULL" : inIndex)
                } else {
                    vote(term, inRow, inIndex)
                }
            }
        }
        return votes
    }

    /// The column of `ifnull(column, 0)`.
    private static func optional(_ term: String) -> String? {
        guard term.hasPrefix("ifnull("), term.hasSuffix(", 0)") else { return nil }
        return String(term.dropFirst(7).dropLast(4))
    }

    /// A condition without its NOT, and whether it had one.
    private static func plain(_ condition: String) -> (String, isDenied: Bool) {
        condition.hasSuffix(" IS NOT NULL")
            ? (condition.replacing(" IS NOT NULL", with: " IS NULL"), true) : (condition, false)
    }

    private mutating func settle(_ key: RowKey, _ witnesses: [IndexWitness]) throws {
        let isProved = try isProved(key)
        guard isProved != true else { return }
        let all = try votes(on: key, witnesses)
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
            // Where other indexes say that other columns changed, the row is an old one as a whole.
            let isOld = objectors > indexes && isThere
            var (against, agreeing) = (indexes, votes.agreeing)
            if isOld { against += 1 }
            if RowChecks.covers(key.table), isThere == (isProved == false) { against += 1 }
            if RowChecks.covers(key.table), !isThere, isProved == false { agreeing += 1 }
            for sql in RowWitnesses.of(column, in: key.table, isOld: isOld) {
                guard let said = try said(sql, changed) else { continue }
                if said == value { against += 1 } else { agreeing += 1 }
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
        do { return try RowChecks.isProved(key.values[0], of: key.table, db) } catch let error
            where ConnectionPool.isDamage(error)
        { return nil }
    }

    private func said(_ sql: String, _ key: Key) throws -> String? {
        let places = [key.row.values[0], key.row.values.last ?? 0].map(String.init)
        let known = sql.replacing("?1", with: places[0]).replacing("?2", with: places[1])
            .replacing("?3", with: key.inRow).replacing("?4", with: key.inIndex)
        return try db.value("SELECT nullif(quote((\(known))), 'NULL')")
    }

    /// Whether what the indexes say can be written. A row that they do not know may be newer than they are: it goes
    /// where others tell the same of it.
    private func canSet(_ key: Key, _ objectors: Int) throws -> Bool {
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
        guard key.column.contains(" ") else { return !key.column.contains("(") }
        guard RowWitnesses.setting(key.column, in: key.row.table, to: key.inIndex) != nil else { return false }
        guard let condition = RowWitnesses.need(of: key.column, in: key.row.table, to: key.inIndex) else { return true }
        return try db.value("SELECT EXISTS (\(condition.replacing("?1", with: "\(key.row.values[0])")))") ?? false
    }

    // MARK: By the backup

    /// A backup tells what was, and so only of what has not changed since.
    private mutating func decideByBackup(_ key: Key, mayChange: Bool) throws {
        guard let backup else { return undecided.append(Undecided(row: key.row, text: key.description)) }
        let (table, isThere) = (key.row.table, key.column == RowWitnesses.existence)
        let kept: [String]? = try ConnectionPool.read(backup) { kept in
            try kept.row(
                """
                SELECT \(isThere ? "'1'" : "quote(\(key.column))"), \(try Self.rest(of: table, but: key.column, db))
                FROM \(Database.quoted(table)) WHERE \(key.row.condition())
                """
            ).map { [$0[0], $0[1]] }
        }
        guard let kept else {
            return undecided.append(Undecided(row: key.row, text: key.description, kept: .missing))
        }
        let rest: String? = try db.value(
            "SELECT \(try Self.rest(of: table, but: key.column, db)) FROM \(Database.quoted(table)) NOT INDEXED "
                + "WHERE \(key.row.condition())")
        let isSame = rest == kept[1]
        // A name that is as its key says, and another than that of the backup, was given since.
        if key.column == "name_key", kept[0] == key.inIndex,
            let name: String = try db.value("SELECT name FROM \(table) NOT INDEXED WHERE id = ?", [key.row.values[0]]),
            try db.value("SELECT quote(?)", [FileName.key(name)]) == key.inRow
        {
            return
        }
        if isThere {
            // Its indexes once had it: they are newer than the row.
            if isSame, mayChange { return changed.append(key) }
        } else if isSame, let isUnchanged = try isUnchangedInFeed(key, backup) {
            // The row is as in the backup, though the feed has changes since: it is an old one.
            if kept[0] == key.inRow, !isUnchanged, mayChange, try canSet(key, 1) { return changed.append(key) }
            if kept[0] == key.inRow, isUnchanged { return }  // the index is what is damaged
            if kept[0] == key.inIndex, isUnchanged, mayChange, try canSet(key, 1) { return changed.append(key) }
        }
        undecided.append(Undecided(row: key.row, text: key.description, kept: .other(kept[0])))
    }

    /// All other columns of a row as one text.
    private static func rest(of table: String, but column: String, _ db: Database) throws -> String {
        let columns: [String] = try db.values(
            "SELECT name FROM pragma_table_info(?) WHERE name <> ?", [table, column])
        return columns.map { "quote(\(Database.quoted($0)))" }.joined(separator: " || ',' || ")
    }

    /// Whether the feed of changes has nothing newer of an item than the backup: what was moved, given away or
    /// overwritten stands there. Nil where a row of another kind may have changed.
    private func isUnchangedInFeed(_ key: Key, _ backup: String) throws -> Bool? {
        var items = ItemKind.allCases.filter { $0.table == key.row.table }.map { ($0, "\(key.row.values[0])") }
        if key.row.table == "attachment", key.column == "email_id" {
            items = [(.email, key.inRow), (.email, key.inIndex)]
        }
        let isUnchanged = try items.allSatisfy { kind, id in
            let sql = "SELECT seq FROM change WHERE kind = \(kind.rawValue) AND item_id = \(id)"
            let then: Int64? = try ConnectionPool.read(backup) { try $0.value(sql) }
            return try db.value(sql) == then
        }
        return isUnchanged || key.row.table != "attachment" ? isUnchanged : nil
    }

    // MARK: What is done

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
    }
}

extension Database {
    /// Runs what makes a row again what it was. Its checksum stays that of what was written, and the feed of changes
    /// goes on to say whose it is: triggers would take it for a change of today.
    func changeBack(_ table: String, _ id: Int64, _ body: () throws -> Void) throws {
        let check: Int64? = try value("SELECT value FROM row_check WHERE name = ? AND row_id = ?", [table, id])
        let kind = ItemKind.allCases.first { $0.table == table }?.rawValue
        let owner: Int64? = try kind.flatMap { kind in
            try value("SELECT owner_id FROM change WHERE kind = ? AND item_id = ?", [kind, id])
        }
        try body()
        if let check {
            try execute("UPDATE row_check SET value = ? WHERE name = ? AND row_id = ?", [check, table, id])
        }
        if let kind, let owner {
            try execute("UPDATE change SET owner_id = ? WHERE kind = ? AND item_id = ?", [owner, kind, id])
        }
    }
}
