package import FundCore

/// Lists of letters, and what their writers do about them.
extension SQLLetterStore {
    package func letters(
        _ filter: LetterFilter, _ page: PageQuery, of user: User.ID
    ) async throws -> ListPage<LetterSummary> {
        try await reading("list letters", of: user) { view in
            try page.list { cursor, count in
                try LetterReading(view: view).list(filter, before: cursor?.numbers[0] ?? .max, count: count)
            }
        }
    }

    package func letter(_ id: PersonalLetter.ID, of user: User.ID) async throws -> PersonalLetter {
        try await reading("look for a letter", of: user) { try LetterReading(view: $0).letter(id) }
    }

    package func letter(withKey key: String, of user: User.ID) async throws -> PersonalLetter? {
        try await reading("look for a letter", of: user) { try LetterReading(view: $0).letter(withKey: key) }
    }

    package func countTroubledLetters(of user: User.ID) async throws -> Int {
        try await reading("count letters", of: user) { try LetterReading(view: $0).countTroubled() }
    }

    package func sendLetterAgain(
        _ id: PersonalLetter.ID, to recipient: Int, mayArriveTwice: Bool, of user: User.ID
    ) async throws -> PersonalLetter {
        let operation = "send a letter again"
        return try await acting(operation, on: id, recipient, of: user) { db, act in
            switch act.person.delivery {
            case .sending: throw StoreError(.conflict, operation, "it is being sent just now")
            case .sent, .delayed: throw StoreError(.conflict, operation, "it was sent")
            case .waiting, .bounced, .failed, .uncertain, .dropped: break
            }
            guard !act.person.isAskedFirst || mayArriveTwice else {
                throw StoreError(
                    .conflict, operation, "it is not known whether it arrived: sent again, it may arrive twice")
            }
            try LetterUse(db: db, user: user).note(1, act.now)
            try BounceRows(db: db).forget(id, recipient)
            if let letter = act.letter {
                try OutboxRows(db: db, now: act.now).sendAgain(letter, "\(act.actor) had it sent")
            } else {
                _ = try OutboxRows(db: db, now: act.now).add(.letter(id), to: act.person.addressee.key)
            }
            try db.writeAudit(
                .letterRetry, of: "letter \(id)", "to \(act.person.addressee.address)", by: act.actor, now: act.now)
        }
    }

    package func giveLetterUp(
        _ id: PersonalLetter.ID, to recipient: Int, of user: User.ID
    ) async throws -> PersonalLetter {
        let operation = "give a letter up"
        return try await acting(operation, on: id, recipient, of: user) { db, act in
            guard act.person.delivery.canBeGivenUp, let letter = act.letter else {
                throw StoreError(.conflict, operation, "it was sent, is being sent, or was given up before")
            }
            try OutboxRows(db: db, now: act.now).giveUp(letter.id, "\(act.actor) gave it up")
            try db.writeAudit(
                .letterDrop, of: "letter \(id)", "to \(act.person.addressee.address)", by: act.actor, now: act.now)
        }
    }

    package func removeLetter(_ id: PersonalLetter.ID, of user: User.ID) async throws {
        let operation = "remove a letter"
        try await connection.writing(operation, .reserve, on: connection.queues.changes) { db in
            let actor = try UserRows.email(of: user, db, operation)
            try UserRows.checkEnabled(user, db, operation)
            _ = try LetterReading(view: LibraryView(db: db, user: user)).letter(id)
            guard try !LetterRows.isUnderWay(id, db) else {
                throw StoreError(.conflict, operation, "it is still on its way: give it up first")
            }
            try LetterRows(db: db).remove(id, "its writer removed it")
            try db.writeAudit(.letterRemove, of: "letter \(id)", by: actor)
        }
    }

    /// An act about a letter to one recipient.
    private struct Act {
        var person: LetterRecipient
        /// Nil where its row is lost.
        var letter: OutboxLetter?
        var actor: String
        var now: Timestamp
    }

    private func acting(
        _ operation: String, on id: PersonalLetter.ID, _ recipient: Int, of user: User.ID,
        _ body: @escaping @Sendable (Database, Act) throws -> Void
    ) async throws -> PersonalLetter {
        try await connection.writing(operation, .reserve, on: connection.queues.changes) { db in
            let reading = LetterReading(view: LibraryView(db: db, user: user))
            try UserRows.checkEnabled(user, db, operation)
            let person = try reading.letter(id).summary.recipients.filter { $0.number == recipient }
                .one(operation, "the letter has no such recipient")
            let rows = try db.rows(
                """
                SELECT \(OutboxRows.columns) FROM outbox WHERE kind = ? AND cause = ? AND recipient = ?
                """, [OutboxCause.Kind.letter.rawValue, id, person.addressee.key], as: OutboxLetter.init(row:))
            let actor = try UserRows.email(of: user, db, operation)
            try body(db, Act(person: person, letter: rows.first, actor: actor, now: .now))
            return try reading.letter(id)
        }
    }
}
