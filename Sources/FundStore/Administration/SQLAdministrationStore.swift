package import FundCore

/// Users, funds and misrouted mail, for administrators.
package struct SQLAdministrationStore: Administration {
    let connection: StoreConnection
    let purge: Purge

    package var storageLimits: StorageLimits { connection.storageLimits }

    package func storedBytes() async throws -> Int64 {
        try await connection.reading("add up what people have") { try FundUse.bytesOfAll($0) }
    }

    package func funds() async throws -> [FundRecord] { try await funds(owner: nil) }

    package func users(matching words: String?, _ page: PageQuery) async throws -> ListPage<UserRecord> {
        try await connection.reading("list users") { db in
            try page.list { cursor, count in
                try Self.userRecords(
                    db, where: "(?1 IS NULL OR email > ?1) AND \(Self.isUser("?2"))", [cursor?.texts[0], words],
                    limit: count)
            }
        }
    }

    package func countUsers(matching words: String?) async throws -> Int {
        try await connection.reading("count users") { db in
            try db.value("SELECT count(*) FROM \"user\" WHERE \(Self.isUser("?1"))", [words]) ?? 0
        }
    }

    /// Condition on users; all addresses are rows of `address`, the naming one, too.
    private static func isUser(_ words: String) -> String {
        """
        (\(words) IS NULL OR \(SQL.containsCaseless("name", words)) OR EXISTS (
            SELECT 1 FROM address WHERE user_id = "user".id AND \(SQL.containsCaseless("address", words))))
        """
    }

    package func funds(_ filter: FundFilter, _ page: PageQuery) async throws -> ListPage<FundRecord> {
        let keys = Keyset("\"user\".email", "fund.name", "fund.id")
        return try await connection.reading("list funds") { db in
            try page.list { cursor, count in
                try Self.fundRecords(
                    db,
                    where: """
                        fund.deleted_at IS NULL AND (?4 = 1 OR fund.archived_at IS NULL)
                            AND (?5 IS NULL OR fund.owner_id = ?5)
                            AND (?1 IS NULL OR \(keys.isBehind("?1, ?2, ?3")))
                            AND (?6 IS NULL OR \(SQL.containsCaseless("fund.name", "?6"))
                                OR \(SQL.containsCaseless("\"user\".email", "?6")) OR EXISTS (
                                    SELECT 1 FROM fund_alias
                                    WHERE fund_id = fund.id AND \(SQL.containsCaseless("fund_alias.name", "?6"))))
                        """,
                    [
                        cursor?.texts[0], cursor?.texts[1], cursor?.numbers[0], filter.includesArchived, filter.owner,
                        filter.words,
                    ], limit: count)
            }
        }
    }
}

extension UserRecord: ListedItem {
    static var cursorParts: (numbers: Int, texts: Int) { (0, 1) }
    var cursor: ListCursor { ListCursor(texts: [user.email]) }
    var textBytes: Int { addresses.reduce(user.name?.utf8.count ?? 0) { $0 + $1.utf8.count } }
}

extension FundRecord: ListedItem {
    static var cursorParts: (numbers: Int, texts: Int) { (1, 2) }
    var cursor: ListCursor { ListCursor(fund.id.rawValue, texts: [ownerEmail, fund.name]) }
    var textBytes: Int { fund.aliases.reduce(fund.name.utf8.count) { $0 + $1.utf8.count } }
}
