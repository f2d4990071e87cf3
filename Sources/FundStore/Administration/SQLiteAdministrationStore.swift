package import FundCore

/// Users, funds and misrouted mail, for administrators.
package struct SQLiteAdministrationStore: Administration {
    let connection: StoreConnection
    let purge: Purge

    package func funds() async throws -> [FundRecord] { try await funds(owner: nil) }

    package func users(_ page: PageQuery) async throws -> Page<UserRecord> {
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 0, texts: 1).texts[0] }
        return try await connection.reading("list users") { db in
            let users = try Self.userRecords(db, where: "?1 IS NULL OR email > ?1", [cursor], limit: page.limit + 1)
            return ListPage.of(users, limit: page.limit) { user in
                user.addresses.reduce(user.user.name?.utf8.count ?? 0) { $0 + $1.utf8.count }
            } next: {
                ListCursor(texts: [$0.user.email])
            }
        }
    }

    package func countUsers() async throws -> Int {
        try await connection.reading("count users") { try $0.value("SELECT count(*) FROM \"user\"") ?? 0 }
    }

    package func funds(_ page: PageQuery) async throws -> Page<FundRecord> {
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 1, texts: 2) }
        return try await connection.reading("list funds") { db in
            let records = try Self.fundRecords(
                db,
                where: """
                    fund.deleted_at IS NULL AND fund.archived_at IS NULL
                        AND (?1 IS NULL OR ("user".email, fund.name, fund.id) > (?1, ?2, ?3))
                    """, [cursor?.texts[0], cursor?.texts[1], cursor?.numbers[0]], limit: page.limit + 1)
            return ListPage.of(records, limit: page.limit) { record in
                record.fund.aliases.reduce(record.fund.name.utf8.count) { $0 + $1.utf8.count }
            } next: {
                ListCursor($0.fund.id.rawValue, texts: [$0.ownerEmail, $0.fund.name])
            }
        }
    }
}
