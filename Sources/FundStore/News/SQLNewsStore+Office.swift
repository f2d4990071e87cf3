package import FundCore

/// The part of administrators.
extension SQLNewsStore {
    package func offeredFeeds() async throws -> [OfferedFeed] {
        try await connection.reading("list offered feeds") { db in
            try db.rows(
                "SELECT id, address, title, folder FROM news_offer ORDER BY folder, lower(title), id", []
            ) { OfferedFeed(id: $0[0], address: $0[1], title: $0[2], folder: $0[3]) }
        }
    }

    package func offerFeed(_ feed: NewNewsFeed, by actor: String) async throws -> OfferedFeed {
        let operation = "offer a feed"
        let folder = try Self.checked(feed.folder, operation)
        let title = try Self.checked(feed.ownTitle ?? feed.address.host, operation)
        return try await connection.writing(operation) { db in
            try NewsFeedRows(db: db).checkAllowed(feed.address, operation)
            try db.execute(
                """
                INSERT INTO news_offer (address, title, folder) VALUES (?, ?, ?)
                ON CONFLICT (address) DO UPDATE SET title = excluded.title, folder = excluded.folder
                """, [feed.address.text, title, folder])
            try db.writeAudit(.newsOffer, of: feed.address.text, by: actor)
            let id: OfferedFeed.ID? = try db.value(
                "SELECT id FROM news_offer WHERE address = ?", [feed.address.text])
            guard let id else { throw StoreError(.io, operation, "it is missing") }
            return OfferedFeed(id: id, address: feed.address.text, title: title, folder: folder)
        }
    }

    package func withdrawFeed(_ id: OfferedFeed.ID, by actor: String) async throws {
        let operation = "withdraw a feed"
        try await connection.writing(operation, .reserve) { db in
            let address: String? = try db.value("SELECT address FROM news_offer WHERE id = ?", [id])
            guard let address else { throw StoreError(.notFound, operation, "there is no offered feed \(id)") }
            try db.execute("DELETE FROM news_offer WHERE id = ?", [id])
            try db.writeAudit(.newsWithdraw, of: address, by: actor)
        }
    }

    package func forbiddenHosts() async throws -> [String] {
        try await connection.reading("list forbidden sites") { try NewsFeedRows(db: $0).forbiddenHosts() }
    }

    package func setForbiddenHosts(_ hosts: [String], by actor: String) async throws {
        let operation = "forbid sites"
        let names = try hosts.map(\.trimmed).filter { !$0.isEmpty }.map { host in
            // IPv6 is written with brackets in addresses alone.
            guard let name = IPAddress(host: host)?.description ?? NewsAddress(host)?.host else {
                throw StoreError(operation, InputProblem(.newsHost, "\(host) is no host"))
            }
            return name
        }
        try await connection.writing(operation, .reserve) { db in
            let sorted = Set(names).sorted()
            guard try NewsFeedRows(db: db).forbiddenHosts() != sorted else { return }
            try db.execute("DELETE FROM news_forbidden")
            for host in sorted { try db.execute("INSERT INTO news_forbidden (host) VALUES (?)", [host]) }
            try db.writeAudit(.newsForbid, of: "news", sorted.joined(separator: ", "), by: actor)
        }
    }

    package func allFeeds(_ page: PageQuery) async throws -> ListPage<NewsFeed> {
        try await connection.reading("list all feeds") { db in
            try page.list { cursor, count in
                let keys = "(CASE WHEN feed.problem IS NULL THEN 1 ELSE 0 END), feed.address"
                var condition = "EXISTS (SELECT 1 FROM news_subscription WHERE feed_id = feed.id)"
                var arguments: SQLArguments = []
                if let cursor {
                    condition += " AND (\(keys)) > (?, ?)"
                    arguments = [cursor.numbers[0], cursor.texts[0]]
                }
                return try NewsFeedRows(db: db).feeds(
                    where: "\(condition) ORDER BY \(keys) \(SQL.limit(count))", arguments)
            }
        }
    }
}

extension NewsFeed: ListedItem {
    static var cursorParts: (numbers: Int, texts: Int) { (1, 1) }
    var cursor: ListCursor { ListCursor(health.problem == nil ? 1 : 0, texts: [address]) }
}
