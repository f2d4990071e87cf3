package import FundCore

/// Letters as administrators see them, and what they do about them.
extension SQLOutboxStore {
    package func letters(_ filter: OutboxFilter, _ page: PageQuery) async throws -> ListPage<OutboxLetter> {
        try await connection.reading("list letters") { db in
            try page.list { cursor, count in
                let list = LetterList(db: db, before: cursor?.numbers[0] ?? Int64.max, count: count)
                if let recipient = filter.recipient { return try list.letters(to: recipient, in: filter.states) }
                return try filter.states.isEmpty ? list.all() : list.letters(in: filter.states)
            }
        }
    }

    package func letter(_ id: OutboxLetter.ID) async throws -> OutboxLetter {
        let operation = "find letter \(id)"
        return try await connection.reading(operation) { try Self.letter(id, $0, operation) }
    }

    private static let countedTime = Duration.seconds(30 * 86_400)

    package func outboxCounts() async throws -> OutboxCounts {
        try await connection.reading("count letters") { db in
            var counts = OutboxCounts()
            try db.forEach(
                """
                SELECT state, count(*) FROM outbox WHERE due_at IS NOT NULL GROUP BY state
                UNION ALL SELECT state, count(*) FROM outbox WHERE due_at IS NULL
                    AND (state NOT IN ('sent', 'dropped') OR changed_at >= ?) GROUP BY state
                """, [Timestamp.now - Self.countedTime]
            ) { row in
                if let state = OutboxLetter.State(rawValue: row[0]) { counts.letters[state] = row[1] as Int }
                return true
            }
            let returned = "SELECT count(*) FROM letter_recipient WHERE bounced_at >= ? AND bounce = ?"
            let start = Timestamp.now - Self.countedTime
            counts.returned = try db.value(returned, [start, BounceRows.State.failed.rawValue]) ?? 0
            counts.delayed = try db.value(returned, [start, BounceRows.State.delayed.rawValue]) ?? 0
            counts.oldestWaiting = try db.value("SELECT min(queued_at) FROM outbox WHERE due_at IS NOT NULL")
            return counts
        }
    }

    package func retryLetter(_ id: OutboxLetter.ID, mayArriveTwice: Bool, actor: String) async throws {
        let operation = "send letter \(id) again"
        try await connection.administering(operation, by: actor) { db in
            let letter = try Self.notGone(id, db, operation)
            guard !letter.isAskedFirst || mayArriveTwice else {
                throw StoreError(
                    .conflict, operation, "it is not known whether it arrived: sent again, it may arrive twice")
            }
            let now = Timestamp.now
            try OutboxRows(db: db, now: now).sendAgain(letter, "\(actor) had it sent")
            try db.writeAudit(.outboxRetry, of: "letter \(id)", "to \(letter.recipient)", by: actor, now: now)
        }
    }

    package func dropLetter(_ id: OutboxLetter.ID, actor: String) async throws {
        let operation = "give letter \(id) up"
        try await connection.administering(operation, .reserve, by: actor) { db in
            let letter = try Self.notGone(id, db, operation)
            guard letter.state != .dropped else { throw StoreError(.conflict, operation, "it was given up before") }
            let now = Timestamp.now
            try OutboxRows(db: db, now: now).giveUp(id, "\(actor) gave it up")
            try db.writeAudit(.outboxDrop, of: "letter \(id)", "to \(letter.recipient)", by: actor, now: now)
        }
    }

    /// A letter that is neither being sent nor sent. Throws `conflict` for those, and `notFound`.
    private static func notGone(_ id: OutboxLetter.ID, _ db: Database, _ operation: String) throws -> OutboxLetter {
        let letter = try letter(id, db, operation)
        switch letter.state {
        case .sending: throw StoreError(.conflict, operation, "it is being sent just now")
        case .sent: throw StoreError(.conflict, operation, "it was sent")
        case .queued, .deferred, .failed, .uncertain, .dropped: return letter
        }
    }
}

/// One page of letters, the latest first.
private struct LetterList {
    let db: Database
    /// The id of the letter before the first.
    let before: Int64
    let count: Int

    func all() throws -> [OutboxLetter] { try rows("outbox", "1 = 1", []) }

    func letters(to recipient: String, in states: Set<OutboxLetter.State>) throws -> [OutboxLetter] {
        // Recipients stand there as `EmailAddress` writes them.
        let address = EmailAddress(recipient)?.description ?? recipient
        let condition = states.isEmpty ? "recipient = ?2" : "recipient = ?2 AND state \(SQL.isAmong("?3"))"
        let list: SQLArguments = states.isEmpty ? [] : [SQL.list(words: states.map(\.rawValue).sorted())]
        return try rows(SQL.table("outbox", using: "outbox_recipient"), condition, [address] + list)
    }

    /// The letters in any of these states, each read by itself: the index has the letters of one state in the order of
    /// their ids.
    func letters(in states: Set<OutboxLetter.State>) throws -> [OutboxLetter] {
        try states.flatMap { state in
            try rows(
                SQL.table("outbox", using: state.waits ? "outbox_due" : "outbox_state"),
                "due_at IS \(state.waits ? "NOT NULL" : "NULL") AND state = ?2", [state.rawValue])
        }.sorted { $0.id > $1.id }
    }

    private func rows(_ table: String, _ condition: String, _ arguments: SQLArguments) throws -> [OutboxLetter] {
        try db.rows(
            """
            SELECT \(OutboxRows.columns) FROM \(table) WHERE id < ?1 AND \(condition)
            ORDER BY id DESC \(SQL.limit(count))
            """, [before] + arguments, as: OutboxLetter.init(row:))
    }
}
