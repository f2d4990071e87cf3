package import FundCore
internal import Glibc

extension SQLPreviewStore {
    /// Time after which work that was not asked for again waits among older work.
    private static let patience = Duration.seconds(10)

    package func claimWork() async throws -> Bool {
        try await blocking { [self] in
            try StoreError.wrapping("begin to make previews") { try database().claimWork() }
        }
    }

    package func resumeWork() async throws {
        try await writing("resume making previews") { try $0.execute("UPDATE job SET is_running = 0") }
        try await blocking { [files] in files.removeDrafts() }
    }

    package func enqueue(_ orders: [PreviewOrder], at time: Timestamp) async throws -> Int {
        guard !orders.isEmpty else { return 0 }
        return try await writing("order previews") { try Self.enqueue(orders, at: time, $0) }
    }

    static func enqueue(_ orders: [PreviewOrder], at time: Timestamp, _ db: Database) throws -> Int {
        let open = try orders.filter { try $0.recipe == nil || !isKnown($0, db) }
        return try orders.count - open.count + add(open, at: time, db)
    }

    /// `enqueue` for orders of which nothing is done.
    static func add(_ orders: [PreviewOrder], at time: Timestamp, _ db: Database) throws -> Int {
        var (room, roomForScans) = (try Self.room(db, forScans: false), try Self.room(db, forScans: true))
        let asked: Int = try db.value("SELECT count(*) FROM job WHERE priority = 0 AND is_running = 0") ?? 0
        var roomForAsked = max(0, PreviewOrder.maxAsked - asked)
        var taken = 0
        for order in orders {
            let raised = try db.execute(
                """
                UPDATE job SET priority = \(SQL.least("priority", "?")), asked_at = ?, user = coalesce(user, ?)
                WHERE digest = ? AND kind = ? AND page = ?
                """, [order.priority.rawValue, time, order.user] + order.key.arguments)
            if raised == 0 {
                let isScan = order.key.kind == .verdict
                guard isScan ? roomForScans > 0 : order.priority == .asked ? roomForAsked > 0 : room > 0 else {
                    continue
                }
                try db.execute(
                    """
                    INSERT INTO job (digest, kind, page, size, priority, asked_at, user, not_before)
                    VALUES (?, ?, ?, ?, ?, ?, ?, 0)
                    """, order.key.arguments + [order.size, order.priority.rawValue, time, order.user])
                if isScan {
                    roomForScans -= 1
                } else if order.priority == .asked {
                    roomForAsked -= 1
                } else {
                    room -= 1
                }
            }
            taken += 1
        }
        return taken
    }

    /// Room for more work: scans have their own, so that nothing keeps them away.
    static func room(_ db: Database, forScans: Bool) throws -> Int {
        let sql = "SELECT count(*) FROM job WHERE (kind = '\(RenditionKind.verdict.rawValue)') = ?"
        return max(0, PreviewOrder.maxWaiting - (try db.value(sql, [forScans]) ?? 0))
    }

    package func take(
        _ filter: PreviewJobFilter, at time: Timestamp, ordering: @escaping @Sendable ([User.ID?]) -> [User.ID?]
    ) async throws -> PreviewJob? {
        try await writing("take work") { db in
            try db.execute(
                "UPDATE job SET priority = ? WHERE is_running = 0 AND priority < ? AND asked_at < ?",
                [
                    PreviewOrder.Priority.backfill.rawValue, PreviewOrder.Priority.scan.rawValue,
                    time - Self.patience,
                ])
            guard let job = try Self.next(filter, at: time, ordering: ordering, db) else { return nil }
            try db.execute("UPDATE job SET is_running = 1 WHERE id = ?", [job.id])
            return job
        }
    }

    package func postpone(_ job: PreviewJob, family: TrueType.Family?, until time: Timestamp) async throws {
        try await writing("put work off") { db in
            try db.execute(
                "UPDATE job SET is_running = 0, family = coalesce(?, family), not_before = ? WHERE id = ?",
                [family?.rawValue, time, job.id])
        }
    }

    package func finish(
        _ job: PreviewJob, with result: PreviewResult, then orders: [PreviewOrder], at time: Timestamp
    ) async throws {
        let files = files
        // Before their rows. A file without a row is overwritten, or goes with its content.
        try await blocking { [self] in
            try StoreError.wrapping("keep a preview") {
                do {
                    for made in result.made { try files.write(made.bytes, as: made.rendition.key) }
                } catch let error as DiskError where error.code == ENOENT {
                    // The folder of the cache was deleted, with the database that is still open here.
                    reopen(isDamaged: false)
                    throw error
                }
            }
        }
        try await writing("keep a preview") { db in
            try Self.keep(result, of: job.order.key, at: time, db)
            if result.isTriedAgain {
                try db.execute("UPDATE job SET is_running = 0, attempt = attempt + 1 WHERE id = ?", [job.id])
            } else {
                try db.execute("DELETE FROM job WHERE id = ?", [job.id])
            }
            let missing = try orders.filter { try !Self.isKnown($0, db) }
            _ = try Self.add(missing, at: time, db)
        }
    }

    private static func keep(
        _ result: PreviewResult, of key: RenditionKey, at time: Timestamp, _ db: Database
    ) throws {
        if let (verdict, signatures) = result.verdict {
            // A content that was given before is not held because a limit is lower now.
            try db.execute(
                """
                INSERT INTO verdict VALUES (?, ?, ?, ?, ?) ON CONFLICT (digest) DO UPDATE SET
                    verdict = CASE WHEN excluded.verdict = 'limit' AND \(isLookedAt) THEN verdict.verdict
                        ELSE excluded.verdict END,
                    malware = excluded.malware, signatures = excluded.signatures, at = excluded.at
                """,
                [key.content, verdict.word, verdict.malware, signatures, time])
            try wakeWork(at: key.content, db)
        }
        try keep(result.info ?? FileInfo(.unknown), of: key.content, db)
        let sql = """
            INSERT INTO rendition (digest, kind, page, recipe, bytes_digest, size, width, height, failure, used_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (digest, kind, page) DO UPDATE SET recipe = excluded.recipe,
                bytes_digest = excluded.bytes_digest, size = excluded.size, width = excluded.width,
                height = excluded.height, failure = excluded.failure, used_at = excluded.used_at, is_indexed = 0
            """
        for made in result.made.map(\.rendition) {
            try db.execute(
                sql,
                made.key.arguments + [result.recipe, made.digest, made.size, made.width, made.height, nil, time])
        }
        // That a content is quarantined is looked up where it is asked for: it may be released.
        guard let failure = result.failure, !result.isTriedAgain, failure != .quarantined, key.kind != .verdict else {
            return
        }
        // Words that another recipe recognised stay where this one fails: they are in the search.
        let keptWords = "SELECT 1 FROM rendition WHERE digest = ? AND kind = ? AND page = ? AND failure IS NULL"
        if key.kind == .recognised, try db.exists(keptWords, key.arguments) {
            return try noteKeptWords(failure, db)
        }
        try db.execute(sql, key.arguments + [result.recipe, nil, 0, nil, nil, failure.rawValue, time])
    }

    /// Keeps facts about a content. A fact that was known stays when a later look did not find it.
    private static func keep(_ info: FileInfo, of content: ContentDigest, _ db: Database) throws {
        let isUnknown = "excluded.type = '\(TrueType.unknown.rawValue)'"
        try db.execute(
            """
            INSERT INTO info VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (digest) DO UPDATE SET type = CASE WHEN \(isUnknown) THEN info.type ELSE excluded.type END,
                is_encrypted = CASE WHEN \(isUnknown) THEN info.is_encrypted ELSE excluded.is_encrypted END,
                pages = coalesce(excluded.pages, info.pages), width = coalesce(excluded.width, info.width),
                height = coalesce(excluded.height, info.height),
                milliseconds = coalesce(excluded.milliseconds, info.milliseconds)
            """,
            [
                content, info.type.rawValue, info.pageCount, info.width, info.height, info.milliseconds,
                info.isEncrypted,
            ])
    }

    /// Whether it is there, or cannot be made; by the recipe that it names, if it does.
    static func isKnown(_ order: PreviewOrder, _ db: Database) throws -> Bool {
        try db.exists(
            "SELECT 1 FROM rendition WHERE digest = ? AND kind = ? AND page = ? AND recipe = coalesce(?, recipe)",
            order.key.arguments + [order.recipe])
    }

    package func waiting(before key: RenditionKey) async throws -> Int {
        try await reading("count what waits") { db in
            try db.value(
                """
                SELECT count(*) FROM job, (SELECT id, priority FROM job WHERE digest = ? AND kind = ? AND page = ?) own
                WHERE job.is_running = 0 AND (job.priority, job.id) < (own.priority, own.id)
                """, key.arguments) ?? 0
        }
    }

    package func countWaiting(_ priorities: Set<PreviewOrder.Priority>) async throws -> Int {
        let list = SQL.list(priorities.map { Int64($0.rawValue) })
        return try await reading("count what waits") { db in
            try db.value("SELECT count(*) FROM job WHERE priority \(SQL.isAmong("?"))", [list]) ?? 0
        }
    }
}
