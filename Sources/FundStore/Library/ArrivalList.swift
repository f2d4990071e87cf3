package import FundCore

extension SQLLibraryStore {
    package func arrivals(_ query: ArrivalQuery, of user: User.ID) async throws -> ListPage<Arrival> {
        let cursor = try query.page.cursor.map { try ListCursor(decoding: $0, numbers: 3) }
        return try await viewing("list what arrived", of: user) { view in
            if let fund = query.fund { _ = try view.fund(fund) }
            return try ArrivalList(view: view, query: query).page(after: cursor)
        }
    }
}

/// Emails and uploads of all funds of a user, what came last first. Emails come in the order of their times and uploads
/// in that of their ids, each from an index of its own, so that the work is bounded by the page and the number of
/// funds. A cursor has the ends of both, and clocks that are set back lose nothing.
private struct ArrivalList {
    let view: LibraryView
    let query: ArrivalQuery

    private enum Found {
        case email(EmailSummary)
        case upload(FileEntry)

        var fund: Fund.ID {
            switch self {
            case .email(let email): email.fund
            case .upload(let file): file.fund
            }
        }
    }

    /// - Parameter cursor: time and id of the last email, and the id of the last upload.
    func page(after cursor: ListCursor?) throws -> ListPage<Arrival> {
        let start = cursor?.numbers ?? [.max, .max, .max]
        let limit = query.page.limit
        var emails = try emails(after: ListCursor(start[0], start[1]), count: limit + 1)[...]
        var uploads = try uploads(before: start[2], count: limit + 1)[...]
        var (list, end) = (ListPageBuilder<Found>(limit: limit), start)
        while !list.hasMore, !emails.isEmpty || !uploads.isEmpty {
            if let email = emails.first, uploads.first.map({ email.receivedAt >= $0.createdAt }) ?? true {
                guard list.add(.email(email), textBytes: email.textBytes) else { break }
                (end[0], end[1]) = (email.receivedAt.rawValue, email.id.rawValue)
                emails.removeFirst()
            } else if let file = uploads.popFirst() {
                guard list.add(.upload(file)) else { break }
                end[2] = file.id.rawValue
            }
        }
        let next = ListCursor(end[0], end[1], end[2]).text
        return ListPage(items: try arrivals(list.items), next: list.hasMore ? next : nil)
    }

    private func emails(after cursor: ListCursor, count: Int) throws -> [EmailSummary] {
        guard query.kind != .uploads else { return [] }
        var wanted = EmailQuery()
        (wanted.fund, wanted.isInFavouriteFunds) = (query.fund, query.isOfFavourites)
        return Array(try EmailList(wanted, view).emails(after: cursor, count: count).prefix(count))
    }

    /// The latest uploads of each fund, of which the latest are taken.
    private func uploads(before end: Int64, count: Int) throws -> [FileEntry] {
        guard query.kind != .mail else { return [] }
        let latest = """
            SELECT recent.id FROM \(SQL.table("file AS recent", using: "file_live"))
            WHERE recent.fund_id = fund.id AND recent.attachment_id IS NULL AND recent.deleted_at IS NULL
                AND recent.id < ?2
            ORDER BY recent.id DESC \(SQL.limit(count))
            """
        let ids: [Int64] = try view.fetch(
            """
            SELECT file.id FROM \(LibraryView.visibleFunds) \(SQL.thenJoin) file ON file.id IN (\(latest))
            WHERE \(LibraryView.Reach.present.state) AND (?3 IS NULL OR fund.id = ?3)
                AND (?4 = 0 OR \(LibraryView.isFavourite(.fund)))
            ORDER BY file.id DESC \(SQL.limit(count))
            """, [end, query.fund, query.isOfFavourites]
        ) { $0[0] }
        let sorting = LibraryView.Sorting(by: "file.id DESC", limit: count)
        return try view.files(where: LibraryView.among(.file), [SQL.list(ids.prefix(count))], sorting)
    }

    private func arrivals(_ found: [Found]) throws -> [Arrival] {
        let funds = try funds(Set(found.map(\.fund)))
        let emails = found.compactMap { if case .email(let email) = $0 { email } else { nil } }
        let files = try files(of: emails.map(\.id))
        return try found.map { item in
            let fund = funds[item.fund]
            switch item {
            case .upload(let file): return Arrival(.upload(file), fundName: fund?.name ?? "", isNew: false)
            case .email(let email):
                let came = files[email.id] ?? []
                let arrival = EmailArrival(
                    email: email, excerpt: try excerpt(of: email.id),
                    files: Array(came.prefix(EmailArrival.maxFiles)), hasMoreFiles: came.count > EmailArrival.maxFiles)
                let isNew = fund?.lastSeen.map { email.id > $0 } ?? true
                return Arrival(.email(arrival), fundName: fund?.name ?? "", isNew: isNew)
            }
        }
    }

    private func funds(_ ids: Set<Fund.ID>) throws -> [Fund.ID: (name: String, lastSeen: EmailSummary.ID?)] {
        let rows = try view.fetch(
            """
            SELECT fund.id, fund.name, visit.last_email_id
            FROM fund LEFT JOIN visit ON visit.user_id = ?1 AND visit.fund_id = fund.id
            WHERE \(LibraryView.inVisibleFund) AND fund.id \(SQL.isAmong("?2"))
            """, [SQL.list(ids.map(\.rawValue))]
        ) { row -> (Fund.ID, (name: String, lastSeen: EmailSummary.ID?)) in (row[0], (row[1], row[2])) }
        return Dictionary(rows) { first, _ in first }
    }

    /// The files that came with emails, one more of each than are named.
    private func files(of emails: [EmailSummary.ID]) throws -> [EmailSummary.ID: [FileEntry]] {
        guard !emails.isEmpty else { return [:] }
        let first = """
            SELECT part.id FROM attachment AS part WHERE part.email_id = mail.id AND part.is_inline = 0
            ORDER BY part.id \(SQL.limit(EmailArrival.maxFiles + 1))
            """
        let ids: [Int64] = try view.fetch(
            """
            SELECT file.id FROM (\(SQL.each("?2"))) AS mail
                \(SQL.thenJoin) attachment ON attachment.id IN (\(first))
                \(SQL.thenJoin) file ON file.attachment_id = attachment.id
            WHERE file.deleted_at IS NULL
            """, [SQL.list(emails.map(\.rawValue))]
        ) { $0[0] }
        let files = try view.files(where: LibraryView.among(.file), [SQL.list(ids)])
        // An attachment of a damaged store may have two files.
        var kept: [EmailSummary.ID: [FileEntry]] = [:]
        for file in files.sorted(by: { $0.order < $1.order }) {
            guard let email = file.email, kept[email]?.last?.attachment != file.attachment else { continue }
            kept[email, default: []].append(file)
        }
        return kept
    }

    private func excerpt(of email: EmailSummary.ID) throws -> String? {
        let bytes = try view.db.beginning(
            of: "text", in: "email", row: email.rawValue, bytes: EmailArrival.maxExcerptBytes)
        guard let bytes, !bytes.isEmpty else { return nil }
        var text = String(decoding: bytes, as: UTF8.self)
        // The cut may be within a character.
        if bytes.count == EmailArrival.maxExcerptBytes, text.unicodeScalars.last == "\u{FFFD}" {
            text.unicodeScalars.removeLast()
        }
        let line = text.label.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.isEmpty ? nil : line
    }
}

extension FileEntry {
    /// The order of files of one email: that of its attachments.
    fileprivate var order: (Int64, Int64) { (attachment?.rawValue ?? 0, id.rawValue) }
}
