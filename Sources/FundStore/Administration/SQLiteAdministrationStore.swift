internal import GRDB
package import FundCore

/// Users, funds and misrouted mail, for administrators.
package final class SQLiteAdministrationStore: Administration {
    let connection: StoreConnection

    init(connection: StoreConnection) { self.connection = connection }

    package func funds() async throws -> [FundRecord] { try await funds(owner: nil) }

    // MARK: Pages

    package func users(_ page: PageQuery) async throws -> Page<UserRecord> {
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 0, texts: 1).texts[0] }
        return try await connection.reading("list users") { db in
            var list = ListPage<UserRecord>(limit: page.limit)
            for user in try Self.userRecords(
                db, where: "?1 IS NULL OR email > ?1", [cursor], limit: page.limit + 1)
            {
                let bytes = user.addresses.reduce(user.user.name?.utf8.count ?? 0) { $0 + $1.utf8.count }
                guard list.add(user, textBytes: bytes) else { break }
            }
            return list.page({ $0 }) { ListCursor(texts: [$0.user.email]) }
        }
    }

    package func countUsers() async throws -> Int {
        try await connection.reading("count users") { try Int.fetchOne($0, sql: "SELECT count(*) FROM user") ?? 0 }
    }

    package func funds(_ page: PageQuery) async throws -> Page<FundRecord> {
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 1, texts: 2) }
        return try await connection.reading("list funds") { db in
            let records = try Self.fundRecords(
                db,
                where: """
                    fund.deleted_at IS NULL AND fund.archived_at IS NULL
                        AND (?1 IS NULL OR (user.email, fund.name, fund.id) > (?1, ?2, ?3))
                    """, [cursor?.texts[0], cursor?.texts[1], cursor?.numbers[0]], limit: page.limit + 1)
            var list = ListPage<FundRecord>(limit: page.limit)
            for record in records {
                let bytes = record.fund.aliases.reduce(record.fund.name.utf8.count) { $0 + $1.utf8.count }
                guard list.add(record, textBytes: bytes) else { break }
            }
            return list.page({ $0 }) { ListCursor($0.fund.id.rawValue, texts: [$0.ownerEmail, $0.fund.name]) }
        }
    }

    package func audit(_ page: PageQuery) async throws -> Page<AuditEntry> {
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 1).numbers[0] }
        return try await connection.reading("read the audit trail") { db in
            let rows = try Row.fetchCursor(
                db, sql: "SELECT * FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?",
                arguments: [cursor ?? Int64.max, page.limit + 1])
            var list = ListPage<AuditEntry>(limit: page.limit)
            while let row = try rows.next() {
                let entry = AuditEntry(
                    id: row["id"], at: row["at"], actor: row["actor"], action: row["action"],
                    subject: row["subject"], detail: row["detail"])
                guard list.add(entry, textBytes: entry.subject.utf8.count + entry.detail.utf8.count) else { break }
            }
            return list.page({ $0 }) { ListCursor($0.id.rawValue) }
        }
    }
}
