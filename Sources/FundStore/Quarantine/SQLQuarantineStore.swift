package import FundCore

/// The rows of `QuarantineRegister`.
package struct SQLQuarantineStore: QuarantineRegister {
    private static let scanner = "scanner"
    /// Limit of places that are named for one content.
    private static let maxPlaces = 10

    let connection: StoreConnection
    let kept: Quarantine

    package func quarantine(_ content: ContentDigest, malware: String, at time: Timestamp) async throws {
        try await connection.writing("quarantine a content", .reserve) { db in
            let row = try db.row("SELECT malware, released_at FROM quarantine WHERE digest = ?", [content])
            let known: String? = row?[0]
            guard known != malware else { return }
            try Self.insert(content, malware, at: time, releasedBy: nil, db)
            try db.writeAudit(.blobQuarantined, of: content.hex, malware, by: Self.scanner)
        }
    }

    package func noteClean(_ content: ContentDigest) async throws {
        // Most are not there: no transaction for those.
        guard try await isQuarantined(content) else { return }
        try await connection.writing("clear a content", .reserve) { db in
            let sql = "DELETE FROM quarantine WHERE digest = ? AND released_at IS NULL"
            guard try db.execute(sql, [content]) > 0 else { return }
            try db.writeAudit(.blobCleared, of: content.hex, by: Self.scanner)
        }
    }

    package func release(_ content: ContentDigest, actor: String) async throws {
        let operation = "release a content"
        // Verdicts are looked up before: they stand in another database.
        let isUnscanned = try await refusal(of: content) == .unscanned
        try await connection.administering(operation, .reserve, by: actor) { db in
            let malware: String? = try db.value(
                "SELECT malware FROM quarantine WHERE digest = ? AND released_at IS NULL", [content])
            guard let malware else {
                if isUnscanned, try Self.isKept(content, db) {
                    return try Self.releaseUnscanned(content, actor: actor, db)
                }
                throw StoreError(.notFound, operation, "nothing with this SHA-256 is in quarantine")
            }
            try db.execute(
                "UPDATE quarantine SET released_at = ?, released_by = ? WHERE digest = ?",
                [Timestamp.now, actor, content])
            try db.writeAudit(.blobReleased, of: content.hex, malware, by: actor)
        }
    }

    /// The name that stands in place of malware where something was released without a scan.
    static let unscanned = "unscanned"

    /// Whether the store has it, as a content or as a message.
    private static func isKept(_ content: ContentDigest, _ db: Database) throws -> Bool {
        try db.exists(
            "SELECT 1 FROM blob WHERE digest = ?1 UNION ALL SELECT 1 FROM message WHERE digest = ?1", [content])
    }

    private static func insert(
        _ content: ContentDigest, _ malware: String, at time: Timestamp, releasedBy actor: String?, _ db: Database
    ) throws {
        try db.execute(
            """
            INSERT INTO quarantine (digest, malware, found_at, released_at, released_by) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (digest) DO UPDATE SET malware = excluded.malware, found_at = excluded.found_at,
                released_at = excluded.released_at, released_by = excluded.released_by
            """, [content, malware, time, actor.map { _ in time }, actor])
    }

    private static func releaseUnscanned(_ content: ContentDigest, actor: String, _ db: Database) throws {
        try insert(content, unscanned, at: .now, releasedBy: actor, db)
        try db.writeAudit(.blobReleased, of: content.hex, unscanned, by: actor)
    }

    package func isQuarantined(_ content: ContentDigest) async throws -> Bool {
        try await connection.reading("look for a quarantined content") {
            try $0.exists("SELECT 1 FROM quarantine WHERE digest = ? AND released_at IS NULL", [content])
        }
    }

    package func refusal(of content: ContentDigest) async throws -> ContentRefusal? {
        try await connection.queues.shared.run { try kept.refusal(of: content) }
    }

    package func quarantineCount() async throws -> Int {
        try await connection.reading("count quarantined contents") { db in
            try db.value("SELECT count(*) FROM quarantine WHERE released_at IS NULL") ?? 0
        }
    }

    package func quarantined(_ page: PageQuery) async throws -> ListPage<QuarantinedContent> {
        try await connection.reading("list quarantined contents") { db in
            var list = try page.list { try Self.quarantined(after: $0, count: $1, db) }
            for index in list.items.indices {
                list.items[index].places = try Self.places(of: list.items[index].digest, db)
            }
            return list
        }
    }

    private static func quarantined(
        after cursor: ListCursor?, count: Int, _ db: Database
    ) throws -> [QuarantinedContent] {
        let isHeld = "CASE WHEN released_at IS NULL THEN 1 ELSE 0 END"
        let keys = Keyset(isHeld, "found_at", "digest", isDescending: true)
        return try db.rows(
            """
            SELECT digest, malware, found_at, released_at, released_by FROM quarantine
            WHERE ?1 IS NULL OR \(keys.isBehind("?1, ?2, ?3")) ORDER BY \(keys.order) \(SQL.limit(count))
            """, [cursor?.numbers[0], cursor?.numbers[1], cursor.flatMap { ContentDigest(hex: $0.texts[0]) }]
        ) { row in
            var content = QuarantinedContent(digest: try row.digest(0), malware: row[1], foundAt: row[2])
            (content.releasedAt, content.releasedBy) = (row[3], row[4])
            return content
        }
    }

    /// Places of a content in the files of people, and in mail that was not filed.
    private static func places(of content: ContentDigest, _ db: Database) throws -> [QuarantinedContent.Place] {
        try db.rows(
            """
            SELECT "user".email, fund.name, file.name,
                (SELECT email.from_address FROM attachment JOIN email ON email.id = attachment.email_id
                 WHERE attachment.id = file.attachment_id)
            FROM blob JOIN file ON file.blob_id = blob.id JOIN fund ON fund.id = file.fund_id
                JOIN "user" ON "user".id = fund.owner_id
            WHERE blob.digest = ?1
            UNION ALL SELECT '', '', coalesce(misroute.subject, ''), misroute.sender
            FROM blob JOIN message_blob ON message_blob.blob_id = blob.id
                JOIN misroute ON misroute.message_id = message_blob.message_id
            WHERE blob.digest = ?1 AND misroute.email_id IS NULL
            UNION ALL SELECT '', '', coalesce(misroute.subject, ''), misroute.sender
            FROM message JOIN misroute ON misroute.message_id = message.id
            WHERE message.digest = ?1 AND misroute.email_id IS NULL LIMIT \(maxPlaces)
            """, [content]
        ) { QuarantinedContent.Place(owner: $0[0], fund: $0[1], name: $0[2], sender: $0[3]) }
    }
}

extension QuarantinedContent: ListedItem {
    static var cursorParts: (numbers: Int, texts: Int) { (2, 1) }
    var cursor: ListCursor { ListCursor(releasedAt == nil ? 1 : 0, foundAt.rawValue, texts: [digest.hex]) }
}
