package import FundCore

/// Funds with how much is in them and what is new. Counted when they are asked for, in queries of their own: what lists
/// funds for other purposes takes no longer.
extension SQLLibraryStore {
    package func fundSummaries(of user: User.ID, _ page: PageQuery) async throws -> ListPage<FundSummary> {
        try await viewing("list funds with counts", of: user) { view in
            let funds = try view.fundPage(page)
            return ListPage(items: try view.summaries(of: funds.items), next: funds.next)
        }
    }

    package func fundSummary(_ id: Fund.ID, of user: User.ID) async throws -> FundSummary {
        try await viewing("count what is in a fund", of: user) { try $0.summary(of: id) }
    }

    package func noteVisit(to fund: Fund.ID, upTo email: EmailSummary.ID?, of user: User.ID) async throws {
        let operation = "note a visit"
        // A page is looked at more often than something comes: most visits need no write.
        let isNoted = try await viewing(operation, of: user) { view in
            _ = try view.fund(fund)
            return try Visit(of: view, to: fund, upTo: email).isNoted(view)
        }
        guard !isNoted else { return }
        try await changing(operation, .reserve, of: user) { change in
            _ = try change.view.fund(fund)
            try Visit(of: change.view, to: fund, upTo: email).note(change.db)
        }
    }

    package func noteVisits(upTo email: EmailSummary.ID?, of user: User.ID) async throws {
        try await changing("note visits to all funds", .reserve, of: user) { change in
            try Visit(of: change.view, to: nil, upTo: email).note(change.db)
        }
    }

    package func lastVisit(of user: User.ID) async throws -> Timestamp? {
        try await viewing("read the last visit", of: user) { view in
            try view.db.value(
                """
                SELECT max(visit.at) FROM visit \(SQL.thenJoin) fund ON fund.id = visit.fund_id
                WHERE visit.user_id = ?1 AND \(LibraryView.inVisibleFund)
                """, [user])
        }
    }
}

/// The part of one or of all funds that the user has seen, by ids, which are given in the order in which things come:
/// two mails may come in one second, and clocks are set back.
private struct Visit {
    /// A repeated visit within this time need not be noted.
    private static let freshSeconds = Int64(60)

    let user: User.ID
    /// Nil for all funds of the user.
    let fund: Fund.ID?
    let now = Timestamp.now
    /// The latest ids; nil while there is none.
    let lastEmail: EmailSummary.ID?
    let lastFile: FileEntry.ID?

    init(of view: LibraryView, to fund: Fund.ID?, upTo email: EmailSummary.ID?) throws {
        (user, self.fund) = (view.user, fund)
        let latest: EmailSummary.ID? = try view.db.value("SELECT max(id) FROM email")
        lastEmail = latest.map { min(email ?? $0, $0) }
        lastFile = try view.db.value("SELECT max(id) FROM file")
    }

    /// Whether all this is known of the one fund, and was so just now.
    func isNoted(_ view: LibraryView) throws -> Bool {
        let row = try view.db.row(
            "SELECT at, last_email_id, last_file_id FROM visit WHERE user_id = ? AND fund_id = ?", [user, fund])
        guard let row else { return false }
        let (at, email, file): (Timestamp, EmailSummary.ID, FileEntry.ID) = (row[0], row[1], row[2])
        guard (0..<Self.freshSeconds).contains(now.rawValue - at.rawValue) else { return false }
        return try !hasNews(view, after: email, file)
    }

    /// Whether there is more to see than what was seen already. Nothing is up to NULL.
    private func hasNews(
        _ view: LibraryView, after email: EmailSummary.ID, _ file: FileEntry.ID
    ) throws -> Bool {
        try view.db.value(
            """
            SELECT EXISTS (SELECT 1 FROM \(LibraryView.arrivedEmails) WHERE fund_id = ?1 AND id > ?2 AND id <= ?3)
                OR EXISTS (SELECT 1 FROM \(LibraryView.liveFiles) WHERE fund_id = ?1 AND \(LibraryView.isUpload)
                    AND id > ?4 AND id <= ?5)
            """, [fund, email, lastEmail, file, lastFile]) ?? true
    }

    /// Ids begin with 1.
    func note(_ db: Database) throws {
        try db.execute(
            """
            INSERT INTO visit (user_id, fund_id, at, last_email_id, last_file_id)
                SELECT ?1, fund.id, ?3, coalesce(?4, 0), coalesce(?5, 0) FROM \(LibraryView.visibleFunds)
                WHERE \(LibraryView.Reach.present.state) AND (?2 IS NULL OR fund.id = ?2)
            ON CONFLICT (user_id, fund_id) DO UPDATE SET at = excluded.at,
                last_email_id = \(SQL.greatest("visit.last_email_id", "excluded.last_email_id")),
                last_file_id = \(SQL.greatest("visit.last_file_id", "excluded.last_file_id"))
            """, [user, fund, now, lastEmail, lastFile])
    }
}

extension LibraryView {
    fileprivate static let liveFiles = SQL.table("file", using: "file_live")
    fileprivate static let arrivedEmails = SQL.table("email", using: "email_arrival")
    /// Condition on live files that did not come by mail.
    fileprivate static let isUpload = "attachment_id IS NULL AND deleted_at IS NULL"

    fileprivate func summary(of fund: Fund.ID) throws -> FundSummary {
        try one(try summaries(of: [try self.fund(fund)]))
    }

    /// Counts from indexes alone: no body of an email or a note is read. The rows of `deletion` tell how many of them
    /// are deleted.
    fileprivate func summaries(of funds: [FundEntry]) throws -> [FundSummary] {
        let ids = SQL.list(funds.map(\.id.rawValue))
        let deleted = try deletedCounts(in: ids)
        let rows = try fetch(
            """
            SELECT fund.id, visit.at,
                (SELECT count(*) FROM \(Self.liveFiles) WHERE fund_id = fund.id AND deleted_at IS NULL),
                (SELECT count(*) FROM \(Self.liveFiles) WHERE fund_id = fund.id AND \(Self.isUpload)
                    AND id > coalesce(visit.last_file_id, 0)),
                (SELECT count(*) FROM \(Self.arrivedEmails) WHERE fund_id = fund.id),
                CASE WHEN visit.at IS NOT NULL THEN
                    (SELECT count(*) FROM \(Self.arrivedEmails)
                        WHERE fund_id = fund.id AND id > visit.last_email_id) END,
                (SELECT count(*) FROM note WHERE fund_id = fund.id),
                (SELECT received_at FROM email WHERE fund_id = fund.id AND NOT \(Deletion.hasEmail)
                    ORDER BY received_at DESC LIMIT 1),
                visit.last_email_id
            FROM fund LEFT JOIN visit ON visit.user_id = ?1 AND visit.fund_id = fund.id
            WHERE \(Self.inVisibleFund) AND fund.id \(SQL.isAmong("?2"))
            """, [ids])
        let found = Dictionary(rows.map { ($0[0] as Fund.ID, $0) }) { first, _ in first }
        return funds.compactMap { fund in
            guard let row = found[fund.id] else { return nil }
            let gone = deleted[fund.id] ?? DeletedCounts()
            var summary = FundSummary(
                fund: fund, fileCount: row[2], emailCount: row[4] - gone.emails, noteCount: row[6] - gone.notes,
                latestEmailAt: row[7], seenAt: row[1], newEmailCount: (row[5] ?? row[4]) - gone.newEmails,
                newFileCount: row[3])
            summary.lastSeenEmail = row[8]
            return summary
        }
    }

    private struct DeletedCounts {
        var emails = 0
        var newEmails = 0
        var notes = 0
    }

    /// Number of deleted items up to which the fund of each is looked up; beyond it, the deleted items of each fund.
    private static let fewDeleted = 1000

    /// Counts of deleted items in these funds, whether they can be restored or not.
    private func deletedCounts(in ids: SQLList) throws -> [Fund.ID: DeletedCounts] {
        func counts(of kind: ItemKind, isNew: String) throws -> [Row] {
            let deleted = "SELECT item_id FROM deletion WHERE owner_id = ?1 AND kind = \(kind.rawValue)"
            let isFew =
                try db.value(
                    "SELECT count(*) <= \(Self.fewDeleted) FROM (\(deleted) LIMIT \(Self.fewDeleted + 1))", [user])
                ?? true
            let source =
                isFew
                ? "(\(deleted)) AS gone \(SQL.thenJoin) \(kind.table) AS item ON item.id = gone.item_id"
                : SQL.table("\(kind.table) AS item", using: "\(kind.table)_fund")
            return try fetch(
                """
                SELECT item.fund_id, count(*), sum(CASE WHEN \(isNew) THEN 1 ELSE 0 END)
                FROM \(source) LEFT JOIN visit ON visit.user_id = ?1 AND visit.fund_id = item.fund_id
                WHERE item.fund_id \(SQL.isAmong("?2")) \(isFew ? "" : "AND +item.id IN (\(deleted))")
                GROUP BY item.fund_id
                """, [ids])
        }
        var result: [Fund.ID: DeletedCounts] = [:]
        for row in try counts(of: .email, isNew: "item.id > coalesce(visit.last_email_id, 0)") {
            result[row[0], default: DeletedCounts()].emails = row[1]
            result[row[0], default: DeletedCounts()].newEmails = row[2]
        }
        for row in try counts(of: .note, isNew: "false") { result[row[0], default: DeletedCounts()].notes = row[1] }
        return result
    }
}
