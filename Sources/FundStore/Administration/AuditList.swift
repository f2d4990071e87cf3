package import FundCore

/// Reads entries of the audit trail, newest first. A trail of a million entries knows few people and fewer actions:
/// which of them the filter admits is found by stepping from one to the next in an index, and of each the newest
/// entries are read. What is left to look at row by row is the subject alone.
struct AuditList {
    /// Limit of people whom a part of a name admits. Where there are more, the entries are looked at one by one: many
    /// of them fit then.
    private static let maxActors = 100

    let db: Database
    let filter: AuditFilter

    /// - Parameter cursor: the entry before the first.
    func entries(after cursor: ListCursor?, limit: Int) throws -> [AuditEntry] {
        let source = try source()
        let end = filter.until ?? .init(.max)
        // Entries have ids from 1: all of the end's second are left out.
        var bound = ListCursor(end.rawValue, 0)
        if let cursor, (cursor.numbers[0], cursor.numbers[1]) < (bound.numbers[0], 0) { bound = cursor }
        return try db.rows(
            Self.sql(source, limit: limit),
            [filter.actor, filter.action, filter.subject, filter.since, bound.numbers[0], bound.numbers[1]]
        ) {
            AuditEntry(id: $0[0], at: $0[1], actor: $0[2], action: $0[3], subject: $0[4], detail: $0[5])
        }
    }

    /// The index that leads to the entries.
    enum Source: CaseIterable {
        case time, action, actor
    }

    private func source() throws -> Source {
        if filter.actor != nil {
            let count: Int =
                try db.value(
                    """
                    SELECT count(*) FROM (\(Self.names(of: "actor", like: Self.isActor("value"))) LIMIT ?2)
                    """, [filter.actor, Self.maxActors + 1]) ?? 0
            if count <= Self.maxActors { return .actor }
        }
        return filter.action == nil ? .time : .action
    }

    static func sql(_ source: Source, limit: Int) -> String {
        let columns = ["id", "at", "actor", "action", "subject", "detail"]
        func list(of table: String) -> String { columns.map { "\(table).\($0)" }.joined(separator: ", ") }
        func newest(_ columns: String, where condition: String) -> String {
            """
            SELECT \(columns) FROM audit AS entry
            WHERE \(condition) AND (?3 IS NULL OR \(SQL.containsCaseless("entry.subject", "?3")))
                AND entry.at >= coalesce(?4, \(Int64.min)) AND (entry.at, entry.id) < (?5, ?6)
            ORDER BY entry.at DESC, entry.id DESC \(SQL.limit(limit))
            """
        }
        let actions = names(of: "action", like: isAction("value"))
        switch source {
        case .time:
            return newest(list(of: "entry"), where: "\(isActor("entry.actor")) AND \(isAction("entry.action"))")
        case .action:
            return """
                SELECT \(list(of: "audit")) FROM (\(actions)) AS action
                \(SQL.thenJoin) audit ON audit.id IN (
                    \(newest("entry.id", where: "entry.action = action.value AND \(isActor("entry.actor"))")))
                ORDER BY audit.at DESC, audit.id DESC \(SQL.limit(limit))
                """
        case .actor:
            return """
                SELECT \(list(of: "audit")) FROM (\(names(of: "actor", like: isActor("value")))) AS actor
                \(SQL.thenJoin) (\(actions)) AS action ON true
                \(SQL.thenJoin) audit ON audit.id IN (
                    \(newest("entry.id", where: "entry.actor = actor.value AND entry.action = action.value")))
                ORDER BY audit.at DESC, audit.id DESC \(SQL.limit(limit))
                """
        }
    }

    private static func isActor(_ column: String) -> String {
        "(?1 IS NULL OR \(SQL.containsCaseless(column, "?1")))"
    }

    private static func isAction(_ column: String) -> String {
        "(?2 IS NULL OR \(column) = ?2 OR substr(\(column), 1, length(?2) + 1) = ?2 || '.')"
    }

    /// The different values of a column, each found by one step in its index.
    static func names(of column: String, like condition: String) -> String {
        """
        WITH RECURSIVE name (value) AS (
            SELECT min(\(column)) FROM audit
            UNION ALL SELECT (SELECT min(\(column)) FROM audit WHERE \(column) > name.value) FROM name
                WHERE name.value IS NOT NULL
        ) SELECT value FROM name WHERE value IS NOT NULL AND \(condition)
        """
    }
}

extension SQLAdministrationStore {
    /// A subject that no entry has is looked for in all of them.
    private static let maxAuditTime = Duration.seconds(5)

    package func audit(_ filter: AuditFilter, _ page: PageQuery) async throws -> ListPage<AuditEntry> {
        let operation = "read the audit trail"
        return try await connection.reading(operation) { db in
            try page.list { cursor, count in
                try db.limited(to: Self.maxAuditTime, operation) {
                    try AuditList(db: db, filter: filter).entries(after: cursor, limit: count)
                }
            }
        }
    }

    package func auditActions() async throws -> [String] {
        try await connection.reading("list what the audit trail holds") { db in
            try db.values(AuditList.names(of: "action", like: "true"))
        }
    }
}

extension AuditEntry: ListedItem {
    static var cursorParts: (numbers: Int, texts: Int) { (2, 0) }
    var cursor: ListCursor { ListCursor(at.rawValue, id.rawValue) }
    var textBytes: Int { subject.utf8.count + detail.utf8.count }
}
