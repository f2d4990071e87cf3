import FundCore

/// The choice of the work that is next. Where it is equally urgent, users come in turn, so that the many or heavy files
/// of one do not keep those of another waiting.
extension SQLPreviewStore {
    /// Users that are looked at for one piece of work; more wait until some of these have none.
    private static let maxUsers = 1000

    static func next(
        _ filter: PreviewJobFilter, at time: Timestamp, ordering: ([User.ID?]) -> [User.ID?], _ db: Database
    ) throws -> PreviewJob? {
        // Scans take their order from the scanner's places.
        let first = try firstJob(filter, at: time, order: "priority, id \(filter.isLatestFirst ? "DESC" : "")", db)
        guard let first, !filter.isForScans else { return first }
        for user in ordering(try users(at: first.order.priority, db)) {
            // Second attempts wait behind all first ones of their user.
            let found = try firstJob(
                filter, at: time, and: "AND priority = ? AND user IS NOT DISTINCT FROM ?",
                [first.order.priority.rawValue, user],
                order: "attempt > 1, id", db)
            if let found { return found }
        }
        return nil
    }

    /// Users for whom something waits at this urgency; nil among them for work that is for no particular user.
    private static func users(at priority: PreviewOrder.Priority, _ db: Database) throws -> [User.ID?] {
        var users: [User.ID?] = []
        let waiting = "FROM job WHERE is_running = 0 AND priority = ?"
        if try db.exists("SELECT 1 \(waiting) AND user IS NULL", [priority.rawValue]) { users.append(nil) }
        var last = Int64.min
        while users.count < maxUsers,
            let next: Int64 = try db.value("SELECT min(user) \(waiting) AND user > ?", [priority.rawValue, last])
        {
            users.append(User.ID(next))
            last = next
        }
        return users
    }

    private static func firstJob(
        _ filter: PreviewJobFilter, at time: Timestamp, and condition: String = "",
        _ arguments: SQLArguments = [], order: String, _ db: Database
    ) throws -> PreviewJob? {
        let row = try db.row(
            """
            SELECT id, size, priority, attempt, family, digest, kind, page, user FROM job
            WHERE is_running = 0 AND priority <= ? AND not_before <= ? AND attempt <= ?
                AND (kind = '\(RenditionKind.verdict.rawValue)') = ?
                AND NOT (? = 1 AND kind = '\(RenditionKind.recognised.rawValue)')
                AND (family IS NULL OR family NOT \(SQL.isAmong("?"))) \(condition)
            ORDER BY \(order) LIMIT 1
            """,
            [
                filter.leastUrgent.rawValue, time,
                !filter.includesSecondAttempts ? 1 : filter.isForScans ? Int.max : 2, filter.isForScans,
                filter.excludesRecognition, SQL.list(words: filter.excluded.map(\.rawValue).sorted()),
            ] + arguments)
        guard let row else { return nil }
        let id = PreviewJob.ID(row[0])
        guard let key = try RenditionKey(row, at: 5), let priority = PreviewOrder.Priority(rawValue: row[2]) else {
            try db.execute("DELETE FROM job WHERE id = ?", [id])
            return nil
        }
        let family = (row[4] as String?).flatMap(TrueType.Family.init(rawValue:))
        let order = PreviewOrder(key, size: row[1], priority).with(user: (row[8] as Int64?).map { User.ID($0) })
        return PreviewJob(id: id, order: order, attempt: row[3], family: family)
    }
}
