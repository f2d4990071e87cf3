import FundCore

/// Changes letters that wait, within one write transaction: each change comes with what makes a letter needless or
/// doubtful. `LetterQueue` writes new ones.
struct OutboxRows {
    /// Note of a letter about kept mail that was filed before the letter went out.
    static let replaced = "the mail was filed before this letter went out"
    /// Note of a letter about kept mail that was put aside before the letter went out.
    static let putAside = "an administrator put the mail aside before this letter went out"

    static let columns = """
        id, kind, cause, recipient, mark, state, attempts, queued_at, due_at, changed_at, note, held_count,
            may_have_arrived
        """

    let db: Database
    let now: Timestamp

    /// Writes a letter that waits. False when there is one about this event. Mail that is filed writes thousands in a
    /// transaction, and RETURNING would cost each a table of its own for the time of the statement.
    ///
    /// - Parameter topic: the reason of kept mail, else empty.
    func add(_ cause: OutboxCause, to recipient: String, topic: String = "") throws -> Bool {
        try db.execute(
            """
            INSERT INTO outbox (kind, cause, topic, recipient, mark, state, queued_at, due_at)
            VALUES (?1, ?2, ?3, ?4, ?5, 'queued', ?6, ?6) ON CONFLICT (kind, cause, recipient) DO NOTHING
            """,
            [cause.kind.rawValue, cause.subject, topic, recipient, Self.newMark(), now]) > 0
    }

    /// Writes a letter that a limit keeps from being sent, and gives its id; nil when there is one about this event.
    ///
    /// - Parameters:
    ///   - topic: as for `add`.
    ///   - note: says what keeps it.
    func addHeld(
        _ cause: OutboxCause, to recipient: String, topic: String, by limit: String, _ note: String
    ) throws -> OutboxLetter.ID? {
        try db.value(
            """
            INSERT INTO outbox (kind, cause, topic, recipient, mark, state, queued_at, changed_at, note, held_by,
                held_count)
            VALUES (?1, ?2, ?3, ?4, ?5, 'dropped', ?6, ?6, ?7, ?8, 1) ON CONFLICT (kind, cause, recipient) DO NOTHING
            RETURNING id
            """,
            [cause.kind.rawValue, cause.subject, topic, recipient, Self.newMark(), now, note, limit])
    }

    static func newMark() -> String { Hex.text(RandomBytes.make(16)) }

    /// Number of letters of some kinds that were queued after a time and not dropped, `limit` at most. (A clock that
    /// was ahead may have given letters times to come: those do not count.)
    static func count(
        _ kinds: [OutboxCause.Kind], since start: Timestamp, now: Timestamp, upTo limit: Int, _ db: Database
    ) throws -> Int {
        let kinds = kinds.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return try db.value(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM \(SQL.table("outbox", using: "outbox_queued"))
                WHERE queued_at > ?1 AND queued_at <= ?2 AND kind IN (\(kinds)) AND state <> 'dropped' LIMIT ?3)
            """, [start, now, limit]) ?? 0
    }

    /// Sends a letter anew, or sooner.
    func sendAgain(_ letter: OutboxLetter, _ note: String) throws {
        let isNew = letter.attempts == 0
        if case .letter(let id) = letter.cause {
            // A report about the attempt before says nothing of the next one.
            try BounceRows(db: db).forget(id, to: letter.recipient)
        }
        try db.execute(
            """
            UPDATE outbox SET state = ?, due_at = ?, changed_at = ?, note = ?, tries = 0, held_by = NULL, held_count = 0
            WHERE id = ?
            """,
            [(isNew ? OutboxLetter.State.queued : .deferred).rawValue, now, isNew ? nil : now, note, letter.id])
    }

    /// Drops one letter, which is not sent any more.
    func giveUp(_ letter: OutboxLetter.ID, _ note: String) throws {
        try db.execute(
            "UPDATE outbox SET state = 'dropped', due_at = NULL, changed_at = ?, note = ? WHERE id = ?",
            [now, note, letter])
    }

    /// Drops the letters about an event that wait.
    func drop(_ cause: OutboxCause, _ note: String) throws {
        try db.execute(
            """
            UPDATE outbox SET state = 'dropped', due_at = NULL, changed_at = ?, note = ?
            WHERE kind = ? AND cause = ? AND due_at IS NOT NULL
            """, [now, note, cause.kind.rawValue, cause.subject])
    }

    /// Drops the letters that wait and say where an email is, which is purged.
    func dropPurged(_ email: EmailSummary.ID) throws {
        for cause in [OutboxCause.filed(email), .filedLater(email)] {
            try drop(cause, "the mail was deleted for good before this letter went out")
        }
    }

    /// Drops the letter that says why mail was kept, where it still waits when the mail is filed.
    func replaceKept(_ misroute: MisrouteRecord.ID) throws { try drop(.kept(misroute), Self.replaced) }

    /// Drops the letter that says that kept mail was filed, where it still waits when that is undone. Unless a letter
    /// says so by then, the one that was dropped because the mail was filed waits again.
    func undoFiling(of misroute: MisrouteRecord.ID, as email: EmailSummary.ID) throws {
        let later = OutboxCause.filedLater(email)
        try drop(later, "the filing was undone before this letter went out")
        let isTold = try db.exists(
            "SELECT 1 FROM outbox WHERE kind = ? AND cause = ? AND state <> 'dropped'",
            [later.kind.rawValue, later.subject])
        if !isTold { try requeueKept(misroute, droppedFor: Self.replaced) }
    }

    /// The letter that says why mail was kept waits again, where it was dropped because the mail was put aside.
    func undoPuttingAside(_ misroute: MisrouteRecord.ID) throws {
        try requeueKept(misroute, droppedFor: Self.putAside)
    }

    private func requeueKept(_ misroute: MisrouteRecord.ID, droppedFor note: String) throws {
        try db.execute(
            """
            UPDATE outbox SET state = CASE attempts WHEN 0 THEN 'queued' ELSE 'deferred' END, due_at = ?1,
                changed_at = CASE attempts WHEN 0 THEN NULL ELSE ?1 END, note = NULL
            WHERE kind = ?2 AND cause = ?3 AND state = 'dropped' AND note = ?4
            """, [now, OutboxCause.Kind.kept.rawValue, misroute, note])
    }

    /// Makes all letters uncertain that wait or are being sent: the rows are of an earlier state of the store, and what
    /// waits there may have been sent since.
    func doubtWaiting() throws {
        try doubt(
            "due_at IS NOT NULL OR \(Self.isBeingSent)", [],
            "the store was brought back from an earlier state, and the letter may have been sent since")
    }

    /// Condition on letters that are being sent.
    private static let isBeingSent = "due_at IS NULL AND state = 'sending'"

    static func isSending(_ db: Database) throws -> Bool { try db.exists("SELECT 1 FROM outbox WHERE \(isBeingSent)") }

    /// Makes the letters uncertain that an ended process was sending.
    func doubtSending() throws {
        try doubt(
            Self.isBeingSent, [],
            "the program ended while it was sending this letter, and whether the server took it is not known")
    }

    /// Makes one letter uncertain, if it waits or is being sent. False if not.
    @discardableResult
    func doubt(_ letter: OutboxLetter.ID, _ note: String) throws -> Bool {
        try doubt("id = ?3 AND state IN ('queued', 'deferred', 'sending')", [letter], note) > 0
    }

    @discardableResult
    private func doubt(_ condition: String, _ arguments: SQLArguments, _ note: String) throws -> Int {
        try db.execute(
            """
            UPDATE outbox SET state = 'uncertain', may_have_arrived = 1, due_at = NULL, changed_at = ?1, note = ?2
            WHERE \(condition)
            """,
            [now, note] + arguments)
    }

    /// Letters of one transaction.
    private static let maxForgotten = 1000

    /// Condition on letters that were decided before `?1`, but those that people wrote: they tell what became of what
    /// their writers keep.
    private static let isOld = """
        due_at IS NULL AND state <> 'sending' AND changed_at < ?1 AND (kind <> '\(OutboxCause.Kind.letter.rawValue)'
            OR NOT EXISTS (SELECT 1 FROM letter WHERE letter.id = cause))
        """

    static func hasOlder(than time: Timestamp, _ db: Database) throws -> Bool {
        try db.exists("SELECT 1 FROM outbox WHERE \(isOld)", [time])
    }

    /// Removes letters that were decided before `time`, as many as one transaction is to hold. No event causes another
    /// letter for that: it happens in the transaction that gives its mail an id, and ids are never given twice.
    func forget(before time: Timestamp) throws {
        try db.execute(
            "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE \(Self.isOld) LIMIT \(Self.maxForgotten))",
            [time])
    }
}

extension OutboxLetter {
    /// - Parameter row: the columns of `OutboxRows.columns`.
    init(row: Row) throws {
        guard let kind = OutboxCause.Kind(rawValue: row[1]), let state = State(rawValue: row[5]) else {
            throw StoreError(.corrupted, "read a letter", "its kind or its state is unknown")
        }
        var note: String? = row[10]
        let held: Int = row[11]
        if held > 1 { note = "\(note ?? ""); \(held - 1) more like it" }
        self.init(
            id: row[0], cause: OutboxCause(kind, subject: row[2]), recipient: row[3], mark: row[4], state: state,
            attempts: row[6], queuedAt: row[7], dueAt: row[8], changedAt: row[9], note: note,
            mayHaveArrived: row[12])
    }
}
