internal import GRDB
package import Ingest

extension FundStore {
    package func emails(_ query: EmailQuery, of user: User.ID) async throws -> Page<EmailSummary> {
        let list = try EmailList(query)
        return try await viewing("list emails", of: user) { try list.fetch($0) }
    }
}

/// Where a page of a list by time ends.
struct ListCursor {
    var time: Int64
    var id: Int64

    var text: String { "\(time).\(id)" }

    /// Throws `invalid`.
    init(_ text: String) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]), let id = Int64(parts[1]) else {
            throw StoreError(.invalid, "list emails", "there is no such cursor")
        }
        (self.time, self.id) = (time, id)
    }

    init(time: Int64, id: Int64) {
        (self.time, self.id) = (time, id)
    }
}

/// One page of emails by time, from an index that is in that order: work is bounded by the page, unless a filter is narrow.
struct EmailList {
    private let query: EmailQuery
    private let cursor: ListCursor?
    private let limit: Int

    init(_ query: EmailQuery) throws {
        self.query = query
        cursor = try query.cursor.map(ListCursor.init)
        limit = min(max(query.limit, 1), 500)
    }

    func fetch(_ view: LibraryView) throws -> Page<EmailSummary> {
        if let fund = query.fund { _ = try view.fund(fund) }
        var conditions = [LibraryView.emailScope(query.deletedOnly ? .deleted : .live)]
        var arguments: [any DatabaseValueConvertible] = []
        /// Each `$` of a condition stands for the next of its values.
        func add(_ condition: String, _ values: any DatabaseValueConvertible...) {
            let parts = condition.split(separator: "$", omittingEmptySubsequences: false)
            var text = String(parts[0])
            for (part, value) in zip(parts.dropFirst(), values) {
                arguments.append(value)
                text += "?\(arguments.count + 1)\(part)"
            }
            conditions.append(text)
        }
        if let fund = query.fund { add("email.fund_id = $", fund) } else { add("email.user_id = ?1") }
        if let since = query.since { add("email.received_at >= $", since) }
        if let until = query.until { add("email.received_at < $", until) }
        if let cursor { add("(email.received_at, email.id) < ($, $)", cursor.time, cursor.id) }
        if let sender = query.sender, !sender.isEmpty {
            add("instr(lower(email.from_address), $) > 0", sender.lowercased())
        }
        var source = "email"
        let kind = ItemKind.email.rawValue
        if query.favouritesOnly {
            source = "favourite CROSS JOIN email ON email.id = favourite.item_id"
            add("favourite.user_id = ?1 AND favourite.kind = \(kind)")
        } else if query.deletedOnly {
            source = "deletion CROSS JOIN email ON email.id = deletion.item_id"
            add("deletion.owner_id = ?1 AND deletion.kind = \(kind)")
        }
        let rows = try view.fetch(
            """
            SELECT \(LibraryView.emailColumns) FROM \(source) CROSS JOIN fund ON fund.id = email.fund_id
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY email.received_at DESC, email.id DESC
            LIMIT \(limit + 1)
            """, arguments)
        let items = rows.prefix(limit).map { EmailSummary(libraryRow: $0) }
        let last = rows.count > limit ? items.last : nil
        return Page(items: items, next: last.map { ListCursor(time: $0.receivedAt, id: $0.id).text })
    }
}
