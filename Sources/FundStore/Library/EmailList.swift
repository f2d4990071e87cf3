import FundCore

/// The emails that fulfil a query, apart from its text. They come by time from an index in that order, so that the work
/// is bounded by the page, unless a filter lets few emails through.
struct EmailList {
    private let view: LibraryView
    private var isOldestFirst: Bool
    /// Ids to begin with; nil begins with the index by time.
    private var few: String?
    private var conditions: [String] = []
    private var arguments: SQLArguments = []

    init(_ query: EmailQuery, _ view: LibraryView) throws {
        self.view = view
        isOldestFirst = query.isOldestFirst
        conditions.append(LibraryView.emailScope(query.deletedOnly ? .deleted : .live, in: view.reach))
        if let fund = query.fund {
            _ = try view.fund(fund)
            add("email.fund_id = $", fund)
        } else {
            add("email.user_id = ?1")
        }
        if let since = query.since { add("email.received_at >= $", since) }
        if let until = query.until { add("email.received_at < $", until) }
        if let sender = query.sender, !sender.isEmpty {
            add(SQL.contains("lower(email.from_address)", "$"), sender.lowercased())
        }
        if query.isInFavouriteFunds { add(LibraryView.isFavourite(.fund)) }
        let kind = ItemKind.email.rawValue
        // The search begins with the few, not with all emails.
        if query.favouritesOnly {
            few = "SELECT item_id AS id FROM favourite WHERE user_id = ?1 AND kind = \(kind)"
        } else if query.deletedOnly {
            few = "SELECT item_id AS id FROM deletion WHERE owner_id = ?1 AND kind = \(kind)"
        }
    }

    /// The emails before and behind one, whether or not that is in the list.
    func neighbours(of email: EmailSummary) throws -> Neighbours<EmailSummary> {
        var reversed = self
        reversed.isOldestFirst.toggle()
        return Neighbours(
            previous: try reversed.emails(after: email.cursor, count: 2).first,
            next: try emails(after: email.cursor, count: 2).first)
    }

    private var keys: Keyset { Keyset("email.received_at", "email.id", isDescending: !isOldestFirst) }

    /// At least `count` emails, if there are as many.
    func emails(after cursor: ListCursor?, count: Int) throws -> [EmailSummary] {
        var list = self
        if let cursor { list.add(keys.isBehind("$, $"), cursor.numbers[0], cursor.numbers[1]) }
        return try list.fetch(order(count))
    }

    func among(_ items: [LibraryItemID]) throws -> [LibraryItemID: EmailSummary] {
        var list = self
        if let few { list.add("email.id IN (\(few))") }
        list.few = SQL.each("?\(arguments.count + 2)")
        list.arguments += LibraryView.ids(items, .email)
        return try list.fetch("").reduce(into: [:]) { $0[.email($1.id)] = $1 }
    }

    /// Each `$` of a condition stands for the next of its values.
    private mutating func add(_ condition: String, _ values: any SQLValue...) {
        let parts = condition.split(separator: "$", omittingEmptySubsequences: false)
        var text = String(parts[0])
        for (part, value) in zip(parts.dropFirst(), values) {
            arguments.append(value)
            text += "?\(arguments.count + 1)\(part)"
        }
        conditions.append(text)
    }

    /// The addresses of the senders of the first emails, latest first, nil where an email names none.
    func senders(count: Int) throws -> [String?] {
        try fetch("email.from_address", order(count)) { $0[0] }
    }

    private func order(_ count: Int) -> String {
        "ORDER BY \(keys.order) \(SQL.limit(count))"
    }

    private func fetch<Value>(
        _ columns: String, _ order: String, as make: (Row) throws -> Value
    ) throws -> [Value] {
        let source = few.map { "(\($0)) AS few \(SQL.thenJoin) email ON email.id = few.id" } ?? "email"
        return try view.fetch(
            """
            SELECT \(columns) FROM \(source) \(SQL.thenJoin) fund ON fund.id = email.fund_id
            WHERE \(conditions.joined(separator: " AND ")) \(order)
            """, arguments, as: make)
    }

    private func fetch(_ order: String) throws -> [EmailSummary] {
        try fetch(LibraryView.emailColumns, order, as: EmailSummary.init(libraryRow:))
    }
}

extension EmailSummary: ListedItem {
    static var cursorParts: (numbers: Int, texts: Int) { (2, 0) }
    var cursor: ListCursor { ListCursor(receivedAt.rawValue, id.rawValue) }
    var textBytes: Int { subject?.utf8.count ?? 0 }
}
