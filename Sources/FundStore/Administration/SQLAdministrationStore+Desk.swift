package import FundCore

/// The mail that waits at the desk, and evidence of where it belongs.
extension SQLAdministrationStore: Desk {
    package func causes(_ filter: MisrouteFilter, _ page: PageQuery) async throws -> ListPage<CauseRecord> {
        var filter = filter
        filter.includesResolved = false
        return try await connection.reading("list causes of misrouted mail") { [filter] db in
            try page.list { cursor, count in
                let causes: [(first: MisrouteRecord.ID, count: Int)] = try db.rows(
                    """
                    SELECT min(misroute.id), count(*) FROM misroute JOIN message ON message.id = misroute.message_id
                    WHERE \(Self.fulfils(filter)) GROUP BY misroute.cause HAVING min(misroute.id) > coalesce(?11, 0)
                    ORDER BY 1 LIMIT ?12
                    """, Self.arguments(filter) + [cursor?.numbers[0], count]
                ) { ($0[0], $0[1]) }
                let ids = SQL.list(causes.map(\.first.rawValue))
                let records = try MisrouteRows.records(db, where: "misroute.id \(SQL.isAmong("?1"))", [ids])
                return zip(records, causes).map { CauseRecord(first: $0, count: $1.count) }
            }
        }
    }

    package func deskCounts(since dayStart: Timestamp) async throws -> DeskCounts {
        try await connection.reading("count misrouted mail") { db in
            var counts = DeskCounts()
            let open = try db.row(
                """
                SELECT count(*), count(CASE WHEN put_off_until > ?1 THEN 1 END),
                    min(CASE WHEN put_off_until > ?1 THEN put_off_until END) FROM misroute
                WHERE resolution IS NULL
                """, [Timestamp.now])
            if let open {
                (counts.later, counts.nextLaterAt) = (open[1], open[2])
                counts.waiting = open[0] - counts.later
            }
            let done = try db.rows(
                """
                SELECT resolution, count(*) FROM misroute
                WHERE resolution IS NOT NULL AND resolved_at >= ? AND resolved_by <> 'fundmail' GROUP BY 1
                """, [dayStart])
            for row in done { if row[0] == "filed" { counts.filedByHand = row[1] } else { counts.putAside = row[1] } }
            counts.filedByRule = try Self.filedByRule(db, since: dayStart)
            return counts
        }
    }

    package func deskVersion() async throws -> DeskVersion {
        try await connection.reading("look at misrouted mail") { db in
            let row = try db.row(
                """
                SELECT (SELECT coalesce(max(id), 0) FROM misroute), (SELECT coalesce(max(id), 0) FROM desk_step),
                    (SELECT count(*) FROM misroute WHERE resolution IS NULL)
                """, [])
            return DeskVersion(lastMessage: row?[0] ?? 0, lastStep: row?[1] ?? 0, openCount: row?[2] ?? 0)
        }
    }

    /// Counts from the latest message on: messages come in the order of their numbers, and no index has their times.
    private static func filedByRule(_ db: Database, since dayStart: Timestamp) throws -> Int {
        var count = 0
        try db.forEach(
            """
            SELECT received_at, outcome = 'filed' AND NOT EXISTS (
                SELECT 1 FROM misroute WHERE misroute.message_id = message.id)
            FROM message ORDER BY id DESC
            """, []
        ) { row in
            guard row[0] as Timestamp >= dayStart else { return false }
            if row[1] { count += 1 }
            return true
        }
        return count
    }

    package func evidence(_ question: EvidenceQuestion) async throws -> Evidence {
        try await connection.reading("find where a message belongs") { db in
            var evidence = Evidence()
            if let sender = question.sender {
                let rows = try db.rows(
                    """
                    SELECT fund.id, count(*) FROM email JOIN fund ON fund.id = email.fund_id
                    WHERE email.from_address = ? COLLATE NOCASE AND \(Self.isLive) AND \(Self.isProven)
                    GROUP BY fund.id
                    """, [sender])
                for row in rows { evidence.mailsBySender[row[0]] = row[1] }
                if let domain = EmailAddress(sender)?.domain {
                    let owners = try db.rows(
                        """
                        SELECT user_id, count(*) FROM address
                        WHERE substr(address, length(address) - length(?1)) = '@' || ?1 GROUP BY user_id
                        """, [domain])
                    // A domain of many people says nothing about who of them it is.
                    if owners.count <= Self.maxPeopleOfDomain {
                        for row in owners { evidence.addressesInDomain[row[0]] = row[1] }
                    }
                }
            }
            for reference in question.references.suffix(Self.maxReferences) {
                let funds: [Fund.ID] = try db.values(
                    """
                    SELECT fund.id FROM \(MessageIDIndex.emails) JOIN fund ON fund.id = email.fund_id
                    WHERE \(Self.isLive) AND \(Self.isProven) LIMIT 10
                    """, [reference])
                evidence.threads.formUnion(funds)
            }
            let users = Set(evidence.addressesInDomain.keys).union(question.user.map { [$0] } ?? [])
            let funds = evidence.threads.union(evidence.mailsBySender.keys)
            let times = try db.rows(
                """
                SELECT fund.id, (SELECT max(received_at) FROM email WHERE fund_id = fund.id) FROM fund
                WHERE (fund.owner_id \(SQL.isAmong("?1")) OR fund.id \(SQL.isAmong("?2")))
                    AND fund.deleted_at IS NULL AND fund.archived_at IS NULL
                """, [SQL.list(users.map(\.rawValue)), SQL.list(funds.map(\.rawValue))])
            for row in times { evidence.lastMail[row[0]] = row[1] as Timestamp? }
            return evidence
        }
    }

    /// The latest letters of a conversation.
    private static let maxReferences = 50
    private static let maxPeopleOfDomain = 20

    private static let isLive = "fund.deleted_at IS NULL AND fund.archived_at IS NULL AND NOT \(Deletion.hasEmail)"

    /// Whether the email says something about its sender: one that was filed although no trust check confirmed the
    /// sender may be a forger's, who would build on it.
    private static let isProven = """
        NOT EXISTS (SELECT 1 FROM misroute WHERE misroute.email_id = email.id
            AND misroute.message_id = email.message_id
            AND (misroute.is_unverified = 1 OR misroute.reason = '\(Reason.unverifiedSender.rawValue)'))
        """

    package func noteOpened(_ id: MisrouteRecord.ID, fileCount: Int?, actor: String) async throws {
        try await connection.writing("note that a message was read") { db in
            if let fileCount {
                try db.execute(
                    "UPDATE misroute SET file_count = ? WHERE id = ? AND file_count IS NULL", [fileCount, id])
            }
            try db.writeAudit(.misrouteOpen, of: "misrouted \(id)", by: actor)
        }
    }
}

extension CauseRecord: ListedItem {
    var cursor: ListCursor { first.cursor }
    var textBytes: Int { first.textBytes }
}
