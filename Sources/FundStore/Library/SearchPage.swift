import FundCore

/// One page of search results. The index gives candidates in pieces, latest first; their rows say which of them the
/// user may see.
struct SearchPage {
    /// Candidates that one call looks at: filters that let little through give short pages with a cursor, not waits.
    private static let maxCandidates = 4000

    let view: LibraryView
    let limit: Int
    let cursor: Int64?
    /// Side of the cursor: `before` goes on with older documents, as lists do.
    let side: SearchCandidate.Side

    init(view: LibraryView, limit: Int, cursor: Int64?, side: SearchCandidate.Side = .before) {
        self.side = side
        self.view = view
        self.limit = min(max(limit, 1), 500)
        self.cursor = cursor
    }

    static func cursor(_ text: String) throws -> Int64 {
        guard text.hasPrefix("s"), let number = Int64(text.dropFirst()), number > 0 else {
            throw StoreError(.invalid, "search", "there is no such cursor")
        }
        return number
    }

    /// `resolve` gives what is to be seen of some candidates, by candidate.
    func fetch<Item: Sendable>(
        _ expression: SearchExpression, resolve: ([SearchCandidate]) throws -> [LibraryItemID: Item]
    ) throws -> ListPage<Item> {
        guard var words = expression.prefixed else { return ListPage(items: [], next: nil) }
        if let whole = expression.whole, try !SearchCandidate.matching(whole, .before, .max, count: 1, view.db).isEmpty
        {
            words = whole
        }
        var (items, examined, next): ([Item], Int, Int64) = ([], 0, cursor ?? .max)
        while examined < Self.maxCandidates {
            // Each round may begin with the work of the whole question: few of them.
            let count = examined == 0 ? limit + 20 : 1000
            let candidates = try SearchCandidate.matching(words, side, next, count: count, view.db)
            let found = try resolve(candidates)
            for candidate in candidates {
                if let item = candidate.item.flatMap({ found[$0] }) {
                    if items.count == limit { return ListPage(items: items, next: "s\(next)") }
                    items.append(item)
                }
                next = candidate.number
            }
            examined += candidates.count
            if candidates.count < count { return ListPage(items: items, next: nil) }
        }
        return ListPage(items: items, next: "s\(next)")
    }
}

/// Filter of the items that hold the words, apart from the fund and the kind, which the index knows.
struct SearchFilter {
    /// `?3`, `?4` and `?5` of `condition`.
    private let arguments: SQLArguments

    init(_ query: SearchQuery) {
        let sender = query.sender.flatMap { $0.isEmpty ? nil : $0.lowercased() }
        arguments = [query.since, query.until, sender]
    }

    fileprivate func bound(to items: [LibraryItemID], _ kind: ItemKind) -> SQLArguments {
        LibraryView.ids(items, kind) + arguments
    }

    /// Condition on the rows of a kind.
    /// - Parameters:
    ///   - date: the column of `SearchHit.date`.
    ///   - sender: whether a sender's address, `$`, fits; by itself a thing has none.
    fileprivate static func condition(_ kind: ItemKind, date: String, sender: String = "false") -> String {
        let address = SQL.contains("lower(email.from_address)", "?5")
        return """
            \(LibraryView.among(kind)) AND (?3 IS NULL OR \(date) >= ?3) AND (?4 IS NULL OR \(date) < ?4)
                AND (?5 IS NULL OR \(sender.replacing("$", with: address)))
            """
    }

    /// The email that a file came with is its owner's.
    fileprivate static let senderOfFile = """
        EXISTS (SELECT 1 FROM attachment JOIN email ON email.id = attachment.email_id
            WHERE attachment.id = file.attachment_id AND email.user_id = ?1 AND $)
        """
}

extension LibraryView {
    func hits(_ candidates: [SearchCandidate], _ filter: SearchFilter) throws -> [LibraryItemID: SearchHit] {
        let items = candidates.compactMap(\.item)
        var hits: [LibraryItemID: SearchHit] = [:]
        var names: [Fund.ID: String] = [:]
        func add(
            _ item: LibraryItemID, _ fund: Fund.ID, _ title: String, _ date: Timestamp, isFavourite: Bool = false
        ) throws {
            let known = names[fund]
            let name: String = try known ?? db.value("SELECT name FROM fund WHERE id = ?", [fund]) ?? ""
            names[fund] = name
            var hit = SearchHit(item: item, fund: fund, fundName: name, title: title, date: date)
            hit.isFavourite = isFavourite
            hits[item] = hit
        }
        let changed = "coalesce(folder.modified_at, folder.created_at)"
        for entry in try folders(
            where: SearchFilter.condition(.folder, date: changed), filter.bound(to: items, .folder))
        {
            try add(.folder(entry.id), entry.fund, entry.name, entry.modifiedAt)
        }
        for entry in try files(
            where: SearchFilter.condition(.file, date: "file.modified_at", sender: SearchFilter.senderOfFile),
            filter.bound(to: items, .file))
        {
            try add(.file(entry.id), entry.fund, entry.name, entry.modifiedAt, isFavourite: entry.isFavourite)
            hits[.file(entry.id)]?.content = PreviewedFile(digest: entry.digest, size: entry.size)
        }
        for entry in try notes(
            where: SearchFilter.condition(.note, date: "note.modified_at"), filter.bound(to: items, .note))
        {
            try add(.note(entry.id), entry.fund, entry.text.title, entry.modifiedAt, isFavourite: entry.isFavourite)
        }
        for entry in try emails(
            where: SearchFilter.condition(.email, date: "email.received_at", sender: "$"),
            filter.bound(to: items, .email))
        {
            try add(
                .email(entry.id), entry.fund, entry.subject ?? "", entry.receivedAt, isFavourite: entry.isFavourite)
            hits[.email(entry.id)]?.sender = entry.fromName ?? entry.from
        }
        return hits
    }
}
