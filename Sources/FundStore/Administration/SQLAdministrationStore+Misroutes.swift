package import FundCore

extension SQLAdministrationStore {
    /// Throws `notFound`.
    package func misroute(_ id: MisrouteRecord.ID) async throws -> MisrouteRecord {
        try await connection.reading("read misrouted \(id)") { try MisrouteRows.record($0, id) }
    }

    package func misroutes(_ filter: MisrouteFilter = MisrouteFilter()) async throws -> [MisrouteRecord] {
        try await connection.reading("list misrouted mail") { db in
            try MisrouteRows.records(db, where: Self.fulfils(filter), Self.arguments(filter))
        }
    }

    package func misroutes(_ filter: MisrouteFilter, _ page: PageQuery) async throws -> ListPage<MisrouteRecord> {
        try await connection.reading("list misrouted mail") { db in
            try page.list { cursor, count in
                try MisrouteRows.records(
                    db, where: "\(Self.fulfils(filter)) AND misroute.id > coalesce(?11, 0)",
                    Self.arguments(filter) + [cursor?.numbers[0]], limit: count)
            }
        }
    }

    package func countMisroutes(_ filter: MisrouteFilter) async throws -> Int {
        try await connection.reading("count misrouted mail") { db in
            try db.value(
                """
                SELECT count(*) FROM misroute JOIN message ON message.id = misroute.message_id
                WHERE \(Self.fulfils(filter))
                """, Self.arguments(filter)) ?? 0
        }
    }

    /// Condition for `arguments`. A term that an index serves is no placeholder: SQLite plans for any value of those.
    static func fulfils(_ filter: MisrouteFilter) -> String {
        """
        \(filter.includesResolved ? "?1 = 1" : "misroute.resolution IS NULL")
            AND (?2 IS NULL OR message.received_at >= ?2)
            AND misroute.outcome \(SQL.isAmong("?3"))
            AND \(filter.reasons.isEmpty ? "?4 IS NULL" : "misroute.reason \(SQL.isAmong("?4"))")
            AND \(filter.like == nil ? "?5 IS NULL" : "misroute.cause = (SELECT cause FROM misroute WHERE id = ?5)")
            AND (?6 IS NULL OR misroute.id <= ?6) AND (?7 IS NULL OR message.mailbox = ?7)
            AND CASE ?8 WHEN 'waiting' THEN coalesce(misroute.put_off_until, 0) <= ?9
                WHEN 'later' THEN misroute.put_off_until > ?9 ELSE true END
            AND (?10 IS NULL OR \(SQL.contains(shownText, "?10")))
        """
    }

    private static let shownText = """
        lower(coalesce(misroute.subject, '') || '\n' || coalesce(misroute.sender, '') || '\n'
            || coalesce(misroute.tag, ''))
        """

    static func arguments(_ filter: MisrouteFilter) -> SQLArguments {
        [
            filter.includesResolved, filter.since, SQL.list(words: filter.outcomes.map(\.rawValue)),
            filter.reasons.isEmpty ? nil : SQL.list(words: filter.reasons.map(\.rawValue)), filter.like, filter.upTo,
            filter.mailbox, filter.attention.rawValue, Timestamp.now,
            filter.words.map { String(decoding: $0.utf8.map(ASCII.lowercased), as: UTF8.self) },
        ]
    }

    package func keptCounts() async throws -> [KeptCount] {
        try await connection.reading("count misrouted mail") { db in
            try db.rows(
                "SELECT reason, resolution IS NOT NULL, count(*) FROM misroute GROUP BY 1, 2 ORDER BY 1, 2"
            ).compactMap { row in
                Reason(rawValue: row[0]).map { KeptCount(reason: $0, isResolved: row[1], count: row[2]) }
            }
        }
    }
}

extension MisrouteRecord: ListedItem {
    var cursor: ListCursor { ListCursor(id.rawValue) }
    var textBytes: Int {
        ([subject, detail, sender, tag].compactMap { $0 } + suggestions).reduce(0) { $0 + $1.utf8.count }
    }
}
