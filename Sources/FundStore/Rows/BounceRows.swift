import FundCore

/// Notes at letters of people what came back, within one write transaction.
struct BounceRows {
    /// The finding of a report about a letter to one recipient. The raw values stand in the database.
    enum State: String {
        /// It did not arrive, and no server tries it again.
        case failed
        /// A server on its way goes on trying.
        case delayed
    }

    let db: Database

    /// Forgets what came back before a letter is sent again.
    func forget(_ letter: PersonalLetter.ID, _ recipient: Int) throws {
        try db.execute(
            """
            UPDATE letter_recipient SET bounce = NULL, bounce_status = NULL, bounce_note = NULL, bounced_at = NULL
            WHERE letter_id = ? AND number = ?
            """, [letter, recipient])
    }

    /// `forget` by the address of the recipient, as the outbox has it.
    func forget(_ letter: PersonalLetter.ID, to recipient: String) throws {
        let number: Int? = try db.value(
            "SELECT number FROM letter_recipient WHERE letter_id = ? AND recipient = ?", [letter, recipient])
        if let number { try forget(letter, number) }
    }

    /// Age of a letter about which no report is believed: servers give up within days (RFC 5321 §4.5.4.1).
    private static let maxAge = Duration.seconds(30 * 86_400)

    /// The outcome of a report.
    private enum Outcome {
        case noted(to: String)
        /// The letter says so already, or something worse.
        case known(to: String)
        /// The letter is not on its way to this recipient: it waits to be sent again, was given up, or refused.
        case unneeded(to: String)
        /// The letter was sent again since.
        case earlier(to: String)
        case tooOld, gone
    }

    /// Notes a report at its letter. Gives words for what became of it, in English. A report that comes again, is late,
    /// or is about a letter that is gone changes nothing.
    func note(_ bounce: Bounce, now: Timestamp) throws -> String {
        let reason = Self.words(bounce.status, bounce.reason)
        return switch try outcome(of: bounce, now: now) {
        case .noted(let recipient): "noted at letter \(bounce.letter) to \(recipient): \(reason)"
        case .known(let recipient): "letter \(bounce.letter) to \(recipient) says so already: \(reason)"
        case .unneeded(let recipient): "letter \(bounce.letter) to \(recipient) is not on its way: \(reason)"
        case .earlier(let recipient):
            "letter \(bounce.letter) to \(recipient) was sent again since: \(reason)"
        case .tooOld: "letter \(bounce.letter) was sent long ago: \(reason)"
        case .gone: "letter \(bounce.letter) is gone: \(reason)"
        }
    }

    /// The words of a report, with its code in front unless they name it.
    static func words(_ status: String?, _ reason: String) -> String {
        guard let status, !reason.contains(status) else { return reason }
        return "\(status): \(reason)"
    }

    private func outcome(of bounce: Bounce, now: Timestamp) throws -> Outcome {
        let row = try db.row(
            """
            SELECT outbox.state, person.recipient, person.letter_id, person.number, person.bounce, letter.sent_at,
                outbox.changed_at, outbox.attempts - outbox.tries
            FROM outbox JOIN letter_recipient AS person
                ON person.letter_id = outbox.cause AND person.recipient = outbox.recipient
                JOIN letter ON letter.id = person.letter_id
            WHERE outbox.id = ? AND outbox.kind = ?
            """, [bounce.letter, OutboxCause.Kind.letter.rawValue])
        guard let row else { return .gone }
        let (recipient, sentAt, changedAt): (String, Timestamp, Timestamp?) = (row[1], row[5], row[6])
        guard now - max(sentAt, changedAt ?? sentAt) <= Self.maxAge else { return .tooOld }
        // A report may come before the server's reply to the letter is noted.
        let isOnItsWay = [OutboxLetter.State.sent, .uncertain, .sending].map(\.rawValue).contains(row[0])
        guard isOnItsWay else { return .unneeded(to: recipient) }
        // A number beyond the last attempt is of a time that a restored store forgot.
        guard bounce.attempt.number > row[7] as Int else { return .earlier(to: recipient) }
        let known = (row[4] as String?).flatMap(State.init(rawValue:))
        let state: State
        switch bounce.finding {
        case .failed: state = .failed
        case .delayed: state = .delayed
        case .other: return .unneeded(to: recipient)
        }
        guard known != state, known != .failed else { return .known(to: recipient) }
        let (letter, number): (PersonalLetter.ID, Int) = (row[2], row[3])
        try db.execute(
            """
            UPDATE letter_recipient SET bounce = ?, bounce_status = ?, bounce_note = ?, bounced_at = ?
            WHERE letter_id = ? AND number = ?
            """, [state.rawValue, bounce.status, bounce.reason, now, letter, number])
        // The outbox says it, too, for administrators.
        let words = "\(state == .failed ? "it came back" : "it is late"): \(Self.words(bounce.status, bounce.reason))"
        try db.execute("UPDATE outbox SET note = ? WHERE id = ?", [words, bounce.letter])
        return .noted(to: recipient)
    }
}
