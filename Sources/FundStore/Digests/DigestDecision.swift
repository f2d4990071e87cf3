import FundCore

/// Decides which digests are due, within one transaction: the same questions are asked before the transaction that
/// writes and in it.
struct DigestDecision {
    /// A person who wants digests of one kind.
    struct Subscriber {
        var kind: Digest.Kind
        var user: User.ID
        /// The address that names them.
        var email: String
        var pace: NewsPace
        /// Nil where it is not known up to where they are told.
        var progress: Progress?
    }

    /// The place up to which a person is told.
    struct Progress {
        /// Number of the last period that was looked at; nil for none.
        var period: Int64?
        var digest: Digest.ID?
        var last: Int64
        var lastFile: Int64
        var since: Timestamp?
    }

    /// The next thing to do for a person.
    enum Step {
        /// They are told of what comes from now on.
        case begin
        /// The period with this number has nothing to tell, or had its digest.
        case pass(Int64)
        case tell(DigestPeriod, NewsRows.Span)
    }

    private static let (hour, day) = (Duration.seconds(3600), Duration.seconds(86_400))

    let db: Database
    let schedule: DigestSchedule
    let limits: OutboxLimits
    let now: Timestamp
    /// Digests of the last hour, once they were counted.
    private var hourCount: Int?

    init(db: Database, schedule: DigestSchedule, limits: OutboxLimits, now: Timestamp) {
        (self.db, self.schedule, self.limits, self.now) = (db, schedule, limits, now)
    }

    // MARK: People

    /// Whether there is something to do for anybody.
    mutating func isDue() throws -> Bool {
        for subscriber in try subscribers() where try step(for: subscriber) != nil { return true }
        return false
    }

    /// Does what there is to do, for `limit` people at most. Gives the kinds of the digests that were queued.
    mutating func carryOut(atMost limit: Int) throws -> [Digest.Kind] {
        var (count, kinds) = (0, [Digest.Kind]())
        for subscriber in try subscribers() {
            guard count < limit else { break }
            guard let step = try step(for: subscriber) else { continue }
            count += 1
            if let kind = try carryOut(step, for: subscriber) { kinds.append(kind) }
        }
        return kinds
    }

    private func subscribers() throws -> [Subscriber] {
        try subscribers(.news, pace: "\"user\".news", where: "\"user\".news IS NOT NULL")
            + subscribers(
                .desk, pace: "'\(NewsPace.daily.rawValue)'",
                where: "\"user\".desk_digest = 1 AND \"user\".is_administrator = 1")
    }

    private func subscribers(
        _ kind: Digest.Kind, pace: String, where condition: String
    ) throws -> [Subscriber] {
        try db.rows(
            """
            SELECT "user".id, "user".email, \(pace), progress.user_id, progress.period, progress.digest_id,
                progress.last_id, progress.last_file_id, progress.since
            FROM "user" LEFT JOIN digest_progress AS progress
                ON progress.kind = '\(kind.rawValue)' AND progress.user_id = "user".id
            WHERE \(condition) AND "user".is_disabled = 0 ORDER BY "user".id
            """
        ) { row -> Subscriber? in
            guard let pace = NewsPace(rawValue: row[2]), pace != .off else { return nil }
            var subscriber = Subscriber(kind: kind, user: row[0], email: row[1], pace: pace)
            if row[3] as User.ID? != nil {
                subscriber.progress = Progress(
                    period: row[4], digest: row[5], last: row[6], lastFile: row[7], since: row[8])
            }
            return subscriber
        }.compactMap(\.self)
    }

    // MARK: Steps

    private mutating func step(for subscriber: Subscriber) throws -> Step? {
        guard let progress = subscriber.progress else { return .begin }
        let isAtOnce = subscriber.pace == .atOnce
        var period = schedule.period(of: subscriber.pace, at: now)
        if !isAtOnce {
            guard progress.period != period.number else { return nil }
            guard progress.period != nil else { return .pass(period.number) }
        }
        // The last things may be purged by now: the point up to which a person is told never goes back.
        var ends = try DigestRows.ends(of: subscriber.kind, db)
        (ends.last, ends.lastFile) = (max(ends.last, progress.last), max(ends.lastFile, progress.lastFile))
        let span = NewsRows.Span(
            emails: (after: progress.last, until: ends.last), files: (after: progress.lastFile, until: ends.lastFile),
            since: progress.since)
        let news = NewsRows(db: db, user: subscriber.user, span: span, late: .untold, now: now)
        if isAtOnce {
            guard let oldest = try news.oldest(), oldest > now || oldest <= now - DigestSchedule.shortest else {
                return nil
            }
            if try isBusy(subscriber, period) { period = schedule.period(of: .hourly, at: now) }
        }
        // One that waits tells first what it has to tell.
        if let last = progress.digest, try isOnItsWay(last, subscriber.kind) { return nil }
        guard try !isTold(subscriber, period) else { return isAtOnce ? nil : .pass(period.number) }
        if !isAtOnce {
            let isEmpty =
                switch subscriber.kind {
                case .news: try news.isEmpty()
                case .desk: try WaitingRows(db: db, now: now).isEmpty()
                }
            if isEmpty { return .pass(period.number) }
        }
        guard try hasRoom() else { return nil }
        return .tell(period, span)
    }

    /// Whether a person has got so many digests at once that the next ones come once an hour.
    private func isBusy(_ subscriber: Subscriber, _ period: DigestPeriod) throws -> Bool {
        let first = schedule.period(of: .atOnce, at: now - Self.day).number
        let count: Int? = try db.value(
            """
            SELECT count(*) FROM digest WHERE kind = ? AND user_id = ? AND pace = ? AND period > ? AND period <= ?
            """, [subscriber.kind.rawValue, subscriber.user, period.pace.rawValue, first, period.number])
        return (count ?? 0) >= limits.digestsAtOncePerDay
    }

    private func isOnItsWay(_ digest: Digest.ID, _ kind: Digest.Kind) throws -> Bool {
        try db.exists(
            """
            SELECT 1 FROM outbox WHERE kind = ? AND cause = ? AND (due_at IS NOT NULL OR state = 'sending')
            """, [kind.rawValue, digest])
    }

    private func isTold(_ subscriber: Subscriber, _ period: DigestPeriod) throws -> Bool {
        try db.exists(
            "SELECT 1 FROM digest WHERE kind = ? AND user_id = ? AND pace = ? AND period = ?",
            [subscriber.kind.rawValue, subscriber.user, period.pace.rawValue, period.number])
    }

    /// Whether the limit of an hour leaves room for one more digest of anybody.
    private mutating func hasRoom() throws -> Bool {
        let count =
            try hourCount
            ?? OutboxRows.count([.news, .desk], since: now - Self.hour, now: now, upTo: limits.perHour, db)
        hourCount = count
        return count < limits.perHour
    }

    // MARK: Writing

    /// Carries a step out. Gives the kind of the digest that was queued; nil for none.
    private mutating func carryOut(_ step: Step, for subscriber: Subscriber) throws -> Digest.Kind? {
        switch step {
        case .begin: try DigestRows(db: db).begin(subscriber.kind, of: subscriber.user)
        case .pass(let number): try note(subscriber, "period = ?", [number])
        case .tell(let period, let span):
            let digest: Digest.ID = try db.insert(
                """
                INSERT INTO digest (kind, user_id, pace, period, at, after_id, until_id, after_file_id, until_file_id,
                    since) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    subscriber.kind.rawValue, subscriber.user, period.pace.rawValue, period.number, now,
                    span.emails.after, span.emails.until, span.files.after, span.files.until, span.since,
                ])
            if subscriber.kind == .news {
                try NewsRows(db: db, user: subscriber.user, span: span, late: .untold, now: now).noteTold(by: digest)
            }
            let cause: OutboxCause = subscriber.kind == .news ? .news(digest) : .desk(digest)
            guard try OutboxRows(db: db, now: now).add(cause, to: subscriber.email) else {
                throw StoreError(.corrupted, "queue a digest", "there is a letter of another digest with its number")
            }
            try note(
                subscriber, "period = ?, digest_id = ?, last_id = ?, last_file_id = ?",
                [period.number, digest, span.emails.until, span.files.until])
            hourCount? += 1
            return subscriber.kind
        }
        return nil
    }

    private func note(_ subscriber: Subscriber, _ assignments: String, _ arguments: SQLArguments) throws {
        try db.execute(
            "UPDATE digest_progress SET \(assignments) WHERE kind = ? AND user_id = ?",
            arguments + [subscriber.kind.rawValue, subscriber.user])
    }
}
