import FundCore

/// Queues letters about mail within one write transaction, up to the limits, which other letters do not use up. For
/// each recipient, limit and day one dropped letter stands in the outbox and counts those that the limit held back: it
/// tells why nothing came, and a night of mail does not fill the outbox.
final class LetterQueue {
    /// The raw values stand in the database.
    private enum Limit: String {
        /// Mail of one sender that was kept for one reason: one letter a day says it.
        case topic
        case day
        case hour
    }

    /// Letters of the program to one recipient within the last day.
    private struct Recent {
        var count = 0
        /// The reasons of kept mail that they are about.
        var keptTopics: Set<String> = []
        /// The letter of each limit that counts what was held back.
        var held: [Limit: OutboxLetter.ID] = [:]
    }

    private static let (hour, day) = (Duration.seconds(3600), Duration.seconds(86_400))
    /// Limit of letters that are looked at for what is recent, should a clock that was ahead have given them times to
    /// come.
    private static let maxRead = 5000

    private let db: Database
    private let now: Timestamp
    private let limits: OutboxLimits
    private var recents: [String: Recent] = [:]
    private var hourCount: Int?

    init(db: Database, now: Timestamp, limits: OutboxLimits) { (self.db, self.now, self.limits) = (db, now, limits) }

    /// Queues a letter; nothing when there is one about this event.
    /// - Parameter topic: the reason of kept mail, else empty.
    func add(_ cause: OutboxCause, to recipient: EmailAddress, topic: String = "") throws {
        let recipient = recipient.description
        var recent = try recents[recipient] ?? readRecent(of: recipient)
        defer { recents[recipient] = recent }
        guard let limit = try limit(on: cause, topic, recent) else {
            guard try rows.add(cause, to: recipient, topic: topic) else { return }
            recent.count += 1
            if cause.kind == .kept { recent.keptTopics.insert(topic) }
            hourCount? += 1
            return
        }
        if let letter = recent.held[limit] {
            try db.execute("UPDATE outbox SET held_count = held_count + 1 WHERE id = ?", [letter])
        } else {
            recent.held[limit] = try rows.addHeld(
                cause, to: recipient, topic: topic, by: limit.rawValue, note(limit))
        }
    }

    private func limit(on cause: OutboxCause, _ topic: String, _ recent: Recent) throws -> Limit? {
        if cause.kind == .kept, recent.keptTopics.contains(topic) { return .topic }
        if recent.count >= limits.perDay { return .day }
        let count = try hourCount ?? readHour()
        hourCount = count
        return count >= limits.perHour ? .hour : nil
    }

    private func note(_ limit: Limit) -> String {
        switch limit {
        case .topic: "not sent: a letter about the same problem went to this address within a day"
        case .day: "not sent: \(limits.perDay) letters to this address within a day are the limit"
        case .hour: "not sent: \(limits.perHour) letters within an hour are the limit"
        }
    }

    private var rows: OutboxRows { OutboxRows(db: db, now: now) }

    // MARK: What is recent

    /// Reads letters from the latest on, which come in the order of their times but where the clock was changed.
    private func readRecent(of recipient: String) throws -> Recent {
        var (recent, read) = (Recent(), 0)
        let start = now - Self.day
        try db.forEach(
            "SELECT queued_at, id, kind, topic, state, held_by FROM outbox WHERE recipient = ? ORDER BY id DESC",
            [recipient]
        ) { row in
            read += 1
            let time: Timestamp = row[0]
            guard time > start, read <= Self.maxRead else { return false }
            guard time <= now, OutboxCause.Kind(rawValue: row[2])?.isReceipt == true else { return true }
            if row[4] as String? != OutboxLetter.State.dropped.rawValue {
                recent.count += 1
                if row[2] as String? == OutboxCause.Kind.kept.rawValue { recent.keptTopics.insert(row[3]) }
            } else if let limit = (row[5] as String?).flatMap(Limit.init), recent.held[limit] == nil {
                recent.held[limit] = row[1] as OutboxLetter.ID
            }
            return true
        }
        return recent
    }

    private func readHour() throws -> Int {
        try OutboxRows.count(
            OutboxCause.Kind.allCases.filter(\.isReceipt), since: now - Self.hour, now: now, upTo: limits.perHour, db)
    }
}
