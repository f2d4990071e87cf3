package import FundCore

/// The letters as the relay takes them, one after the other.
extension SQLOutboxStore {
    package func relayLease() async throws -> (any MailboxLease)? {
        try await connection.queues.outbox.run { [connection] in
            let operation = "take the outbox"
            let lease = try StoreError.wrapping(operation) {
                try connection.leases.take(.outbox, waitingUpTo: .zero)
            }
            guard let lease else { return nil }
            do {
                let isSending = try connection.read(operation) { db in
                    try OutboxRows.isSending(db)
                }
                if isSending {
                    try connection.write(operation, .reserve) { try OutboxRows(db: $0, now: .now).doubtSending() }
                }
            } catch {
                lease.end()
                throw error
            }
            return lease
        }
    }

    package func nextLetter(
        after result: (letter: OutboxLetter.ID, outcome: OutboxResult)?, now: Timestamp
    ) async throws -> OutboxLetter? {
        let operation = "take the next letter"
        return try await connection.queues.outbox.run { [connection] in
            try connection.write(operation, .reserve) { db in
                if let result { try LetterOutcome(db: db, now: now).note(result.outcome, of: result.letter) }
                guard let id = try Self.due(db, now) else { return nil }
                try db.execute(
                    """
                    UPDATE outbox SET state = 'sending', due_at = NULL, changed_at = ?, attempts = attempts + 1,
                        tries = tries + 1 WHERE id = ?
                    """, [now, id])
                return try Self.letter(id, db, operation)
            }
        }
    }

    package func note(_ outcome: OutboxResult, of letter: OutboxLetter.ID, now: Timestamp) async throws {
        try await connection.writing("note what became of letter \(letter)", .reserve, on: connection.queues.outbox) {
            try LetterOutcome(db: $0, now: now).note(outcome, of: letter)
        }
    }

    package func noteWait(_ note: String, now: Timestamp) async throws {
        try await connection.writing("say why letters wait", .reserve, on: connection.queues.outbox) { db in
            guard let id = try Self.due(db, now) else { return }
            try db.execute("UPDATE outbox SET note = ? WHERE id = ?", [LetterOutcome.kept(note), id])
        }
    }

    package func nextDue(now: Timestamp) async throws -> Timestamp? {
        try await connection.reading("look for the next letter") { db in
            guard let first: Timestamp = try db.value("SELECT min(due_at) FROM outbox WHERE due_at IS NOT NULL"),
                let last: Timestamp = try db.value("SELECT max(due_at) FROM outbox WHERE due_at IS NOT NULL")
            else { return nil }
            return last > now + OutboxPace.longestPause ? min(first, now) : first
        }
    }

    /// The letter that waits for longest, of those that are due; else one whose time comes of a clock that was ahead.
    private static func due(_ db: Database, _ now: Timestamp) throws -> OutboxLetter.ID? {
        try db.value("SELECT id FROM outbox WHERE due_at <= ? ORDER BY due_at, queued_at, id LIMIT 1", [now])
            ?? db.value(
                "SELECT id FROM outbox WHERE due_at > ? ORDER BY due_at, queued_at, id LIMIT 1",
                [now + OutboxPace.longestPause])
    }
}

/// Writes what became of a letter that was being sent, within one write transaction.
private struct LetterOutcome {
    /// Characters of a server's reply that are kept.
    private static let maxNoteLength = 1000

    let db: Database
    let now: Timestamp

    /// A note as the store keeps it.
    static func kept(_ note: String) -> String { String(note.label.prefix(maxNoteLength)) }

    func note(_ outcome: OutboxResult, of letter: OutboxLetter.ID) throws {
        let sql = "SELECT attempts, tries FROM outbox WHERE id = ? AND due_at IS NULL AND state = 'sending'"
        guard let row = try db.row(sql, [letter]) else { return }
        let (attempts, tries): (Int, Int) = (row[0], row[1])
        switch outcome {
        case .sent(let note): try decide(letter, .sent, note)
        case .failed(let note): try decide(letter, .failed, note)
        case .uncertain(let note):
            try OutboxRows(db: db, now: now).doubt(letter, Self.kept(note))
        case .dropped(let note): try decide(letter, .dropped, note)
        case .deferred(let note) where tries >= OutboxPace.maxAttempts:
            try decide(letter, .failed, "tried \(tries) times within two days, at last: \(note)")
        case .deferred(let note):
            try set(letter, .deferred, due: now + OutboxPace.pause(after: tries), changedAt: now, note)
        case .postponed(let note, let until):
            let wasTried = attempts > 1
            try set(
                letter, wasTried ? .deferred : .queued, due: min(until, now + OutboxPace.longestPause),
                changedAt: wasTried ? now : nil, note)
            try db.execute("UPDATE outbox SET attempts = attempts - 1, tries = tries - 1 WHERE id = ?", [letter])
        }
    }

    private func decide(_ letter: OutboxLetter.ID, _ state: OutboxLetter.State, _ note: String) throws {
        try set(letter, state, due: nil, changedAt: now, note)
    }

    private func set(
        _ letter: OutboxLetter.ID, _ state: OutboxLetter.State, due: Timestamp?, changedAt: Timestamp?, _ note: String
    ) throws {
        try db.execute(
            "UPDATE outbox SET state = ?, due_at = ?, changed_at = ?, note = ? WHERE id = ?",
            [state.rawValue, due, changedAt, Self.kept(note), letter])
    }
}
