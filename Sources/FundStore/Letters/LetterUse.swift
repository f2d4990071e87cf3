import FundCore

/// The letters that a person sent within the last day, within one transaction. They count whether or not their writer
/// still keeps them.
struct LetterUse {
    private static let day = Duration.seconds(86_400)

    let db: Database
    let user: User.ID

    /// Throws `invalid` when `count` letters more are over the limit of a day.
    func check(_ count: Int, _ limit: Int, _ now: Timestamp, _ operation: String) throws {
        let sent: Int =
            try db.value("SELECT sum(count) FROM letter_use WHERE user_id = ? AND at > ?", [user, now - Self.day]) ?? 0
        guard sent + count <= limit else {
            throw StoreError(
                operation, InputProblem(.letterTooMany, "\(limit) letters within a day are the limit"))
        }
    }

    /// Notes letters that are queued now, with the key of their form, and forgets those of earlier days.
    func note(_ count: Int, key: String? = nil, _ now: Timestamp) throws {
        try db.execute("DELETE FROM letter_use WHERE user_id = ? AND at <= ?", [user, now - Self.day])
        try db.execute(
            "INSERT INTO letter_use (user_id, at, count, form_key) VALUES (?, ?, ?, ?)",
            [user, now, count, key.map { ASCII.lowercased($0.utf8) }])
    }

    /// Throws `conflict` for the key of a letter that was sent within the last day and is removed by now.
    func refuseKnown(_ key: String?, _ operation: String) throws {
        guard let key = key.map({ ASCII.lowercased($0.utf8) }) else { return }
        if try db.exists("SELECT 1 FROM letter_use WHERE user_id = ? AND form_key = ?", [user, key]) {
            throw StoreError(.conflict, operation, "it was sent, and removed since")
        }
    }
}
