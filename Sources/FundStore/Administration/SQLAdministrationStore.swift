package import FundCore

/// Users, funds and misrouted mail, for administrators.
package struct SQLAdministrationStore: Administration {
    let connection: StoreConnection
    let purge: Purge

    package func funds() async throws -> [FundRecord] { try await funds(owner: nil) }

    package func users(matching words: String?, _ page: PageQuery) async throws -> ListPage<UserRecord> {
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 0, texts: 1).texts[0] }
        return try await connection.reading("list users") { db in
            let users = try Self.userRecords(
                db, where: "(?1 IS NULL OR email > ?1) AND \(Self.isUser("?2"))", [cursor, words],
                limit: page.limit + 1)
            return ListPageBuilder.of(users, limit: page.limit) { user in
                user.addresses.reduce(user.user.name?.utf8.count ?? 0) { $0 + $1.utf8.count }
            } next: {
                ListCursor(texts: [$0.user.email])
            }
        }
    }

    package func countUsers(matching words: String?) async throws -> Int {
        try await connection.reading("count users") { db in
            try db.value("SELECT count(*) FROM \"user\" WHERE \(Self.isUser("?1"))", [words]) ?? 0
        }
    }

    /// All addresses of a user are rows of `address`, the naming one, too.
    private static func isUser(_ words: String) -> String {
        """
        (\(words) IS NULL OR \(SQL.containsCaseless("name", words)) OR EXISTS (
            SELECT 1 FROM address WHERE user_id = "user".id AND \(SQL.containsCaseless("address", words))))
        """
    }

    package func funds(_ filter: FundFilter, _ page: PageQuery) async throws -> ListPage<FundRecord> {
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 1, texts: 2) }
        return try await connection.reading("list funds") { db in
            let records = try Self.fundRecords(
                db,
                where: """
                    fund.deleted_at IS NULL AND (?4 OR fund.archived_at IS NULL)
                        AND (?5 IS NULL OR fund.owner_id = ?5)
                        AND (?1 IS NULL OR ("user".email, fund.name, fund.id) > (?1, ?2, ?3))
                        AND (?6 IS NULL OR \(SQL.containsCaseless("fund.name", "?6"))
                            OR \(SQL.containsCaseless("\"user\".email", "?6")) OR EXISTS (
                                SELECT 1 FROM fund_alias
                                WHERE fund_id = fund.id AND \(SQL.containsCaseless("fund_alias.name", "?6"))))
                    """,
                [
                    cursor?.texts[0], cursor?.texts[1], cursor?.numbers[0], filter.includesArchived, filter.owner,
                    filter.words,
                ], limit: page.limit + 1)
            return ListPageBuilder.of(records, limit: page.limit) { record in
                record.fund.aliases.reduce(record.fund.name.utf8.count) { $0 + $1.utf8.count }
            } next: {
                ListCursor($0.fund.id.rawValue, texts: [$0.ownerEmail, $0.fund.name])
            }
        }
    }
}
