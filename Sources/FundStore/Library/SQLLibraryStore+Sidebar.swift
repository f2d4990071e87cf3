package import FundCore

extension SQLLibraryStore {
    package func sidebar(of user: User.ID, atMost maxFunds: Int, withOffice: Bool) async throws -> SidebarSummary {
        try await viewing("read the sidebar", of: user) { view in
            let (funds, hasMore) = try view.sidebarFunds(atMost: maxFunds)
            var summary = SidebarSummary()
            (summary.funds, summary.hasMoreFunds) = (funds, hasMore)
            summary.newCount = try view.newCount()
            summary.isMailWaiting = try view.isMailWaiting()
            if withOffice { summary.office = try SidebarSummary.Office(view.db) }
            return summary
        }
    }
}

extension LibraryView {
    /// Emails by the index in which those of a fund come as they came, so that a count reads no email.
    private static let arrived = SQL.table("email", using: "email_arrival")
    private static let withVisit = "LEFT JOIN visit ON visit.user_id = ?1 AND visit.fund_id = fund.id"
    /// Condition on emails of a fund with its visit, up to the limit of a count. Ids begin with 1.
    private static let areNew = """
        email.fund_id = fund.id AND email.id > coalesce(visit.last_email_id, 0) AND NOT \(Deletion.hasEmail)
        LIMIT \(SidebarSummary.maxNewCount)
        """

    fileprivate func sidebarFunds(atMost maxFunds: Int) throws -> (funds: [SidebarSummary.FundLine], hasMore: Bool) {
        let lines = try fetch(
            """
            SELECT fund.id, fund.name, \(Self.isFavourite(.fund)) AS is_favourite
            FROM \(Self.visibleFunds) WHERE \(Reach.present.state)
            ORDER BY is_favourite DESC, fund.name, fund.id \(SQL.limit(maxFunds + 1))
            """
        ) { SidebarSummary.FundLine(id: $0[0], name: $0[1], isFavourite: $0[2], newCount: 0) }
        let counts = try fetch(
            """
            SELECT fund.id, (SELECT count(*) FROM (SELECT 1 FROM \(Self.arrived) WHERE \(Self.areNew)) AS few)
            FROM fund \(Self.withVisit) WHERE fund.id \(SQL.isAmong("?2"))
            """, [SQL.list(lines.prefix(maxFunds).map(\.id.rawValue))]
        ) { row -> (Fund.ID, Int) in (row[0], row[1]) }
        let found = Dictionary(counts) { first, _ in first }
        let funds = lines.prefix(maxFunds).map { line in
            var line = line
            line.newCount = found[line.id] ?? 0
            return line
        }
        return (funds, lines.count > maxFunds)
    }

    fileprivate func newCount() throws -> Int {
        try db.value(
            """
            SELECT count(*) FROM (SELECT 1 FROM \(Self.visibleFunds) \(Self.withVisit) \(SQL.thenJoin) \(Self.arrived)
                ON true WHERE \(Reach.present.state) AND \(Self.areNew)) AS few
            """, [user]) ?? 0
    }

    /// Whether a message of the user waits that `ReceivedList` has.
    fileprivate func isMailWaiting() throws -> Bool {
        try db.exists(
            """
            SELECT 1 FROM misroute WHERE user_id = ? AND resolution IS NULL
                AND outcome = '\(Outcome.misrouted.rawValue)' AND reason NOT IN (\(ReceivedList.unverifiedList)) LIMIT 1
            """, [user])
    }
}

extension SidebarSummary.Office {
    fileprivate init(_ db: Database) throws {
        let waiting: Int? = try db.value(
            """
            SELECT count(*) FROM (SELECT 1 FROM misroute WHERE resolution IS NULL
                AND (put_off_until IS NULL OR put_off_until <= ?) LIMIT \(SidebarSummary.maxWaitingCount)) AS few
            """, [Timestamp.now])
        self.init(
            waitingCount: waiting ?? 0,
            failingMailboxes: try db.values(
                "SELECT name FROM mailbox WHERE consecutive_failures > 0 ORDER BY name", []),
            isLetterTroubled: try db.exists(
                """
                SELECT 1 FROM outbox WHERE due_at IS NULL AND state IN ('failed', 'uncertain') AND kind <> 'letter'
                LIMIT 1
                """, []))
    }
}
