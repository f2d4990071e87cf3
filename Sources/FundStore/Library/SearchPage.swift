internal import GRDB
import FundCore

/// One page of what matches, found in pieces: words lead to candidates, and rows tell which of them are to be seen.
struct SearchPage {
    /// Candidates that one call looks at: filters that let little through give short pages with a cursor, not long waits.
    private static let maxCandidates = 4000

    struct Candidate {
        var number: Int64
        /// Nil where the index holds a number that leads nowhere: that of a former version.
        var item: LibraryItemID?
    }

    let view: LibraryView
    let limit: Int
    let cursor: Int64?

    init(view: LibraryView, limit: Int, cursor: Int64?) {
        self.view = view
        self.limit = min(max(limit, 1), 500)
        self.cursor = cursor
    }

    /// Throws `invalid`.
    static func cursor(_ text: String) throws -> Int64 {
        guard text.hasPrefix("s"), let number = Int64(text.dropFirst()), number > 0 else {
            throw StoreError(.invalid, "search", "there is no such cursor")
        }
        return number
    }

    /// `resolve` gives what is to be seen of some candidates, by candidate.
    func fetch<Item: Sendable>(
        _ expression: SearchExpression, resolve: ([Candidate]) throws -> [LibraryItemID: Item]
    ) throws -> Page<Item> {
        guard var text = expression.text else { return Page(items: [], next: nil) }
        if let whole = expression.whole, try !candidates(whole, before: .max, count: 1).isEmpty { text = whole }
        var (items, examined, next): ([Item], Int, Int64) = ([], 0, cursor ?? .max)
        while examined < Self.maxCandidates {
            // Each round may begin with the work of the whole question: few of them.
            let count = examined == 0 ? limit + 20 : 1000
            let candidates = try self.candidates(text, before: next, count: count)
            let found = try resolve(candidates)
            for candidate in candidates {
                if let item = candidate.item.flatMap({ found[$0] }) {
                    if items.count == limit { return Page(items: items, next: "s\(next)") }
                    items.append(item)
                }
                next = candidate.number
            }
            examined += candidates.count
            if candidates.count < count { return Page(items: items, next: nil) }
        }
        return Page(items: items, next: "s\(next)")
    }

    private func candidates(_ text: String, before: Int64, count: Int) throws -> [Candidate] {
        let sql = """
            SELECT search_words.rowid, search_item.kind, search_item.item_id FROM search_words
                LEFT JOIN search_item ON search_item.id = search_words.rowid
            WHERE search_words MATCH ? AND search_words.rowid < ? ORDER BY search_words.rowid DESC LIMIT ?
            """
        return try Row.fetchAll(
            view.db.cachedStatement(sql: sql), arguments: [text, before, count]
        ).map { row in
            let kind = row[1] as Int?
            return Candidate(number: row[0], item: try kind.map { try LibraryItemID(column: $0, row[2]) })
        }
    }
}

extension LibraryView {
    func hits(_ candidates: [SearchPage.Candidate]) throws -> [LibraryItemID: SearchHit] {
        func ids(_ kind: ItemKind) -> [any DatabaseValueConvertible] { [Self.list(candidates, kind)] }
        func add(_ item: LibraryItemID, _ fund: Fund.ID, _ title: String, _ date: Timestamp) {
            hits[item] = SearchHit(item: item, fund: fund, title: title, date: date)
        }
        var hits: [LibraryItemID: SearchHit] = [:]
        for entry in try folders(where: "folder.id IN (SELECT value FROM json_each(?2))", ids(.folder)) {
            add(.folder(entry.id), entry.fund, entry.name, entry.modifiedAt)
        }
        for entry in try files(where: "file.id IN (SELECT value FROM json_each(?2))", ids(.file)) {
            add(.file(entry.id), entry.fund, entry.name, entry.modifiedAt)
        }
        for entry in try notes(where: "note.id IN (SELECT value FROM json_each(?2))", ids(.note)) {
            add(.note(entry.id), entry.fund, entry.text.title, entry.modifiedAt)
        }
        let emails = try fetch(
            """
            SELECT \(Self.emailColumns) FROM email CROSS JOIN fund ON fund.id = email.fund_id
            WHERE \(Self.emailScope(.live)) AND email.id IN (SELECT value FROM json_each(?2))
            """, ids(.email))
        for entry in emails.map(EmailSummary.init(libraryRow:)) {
            add(.email(entry.id), entry.fund, entry.subject ?? "", entry.receivedAt)
        }
        return hits
    }

    /// For `json_each`: one statement serves any number.
    static func list(_ candidates: [SearchPage.Candidate], _ kind: ItemKind) -> String {
        let items = candidates.compactMap(\.item).filter { $0.kind == kind }
        return "[" + items.map { "\($0.number)" }.joined(separator: ",") + "]"
    }
}
