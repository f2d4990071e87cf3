package import FundCore

extension SQLitePreviewStore: PreviewRegister {
    /// After this time nobody waits any more for what nobody asked for again.
    private static let patience = Duration.seconds(10)

    package func claimWork() throws -> Bool {
        try StoreError.wrapping("begin to make previews") { try database().claimWork() }
    }

    package func resumeWork() async throws {
        try await writing("resume making previews") { try $0.execute("UPDATE job SET is_running = 0") }
    }

    package func enqueue(_ orders: [PreviewOrder], at time: Timestamp) async throws -> Int {
        guard !orders.isEmpty else { return 0 }
        return try await writing("order previews") { try Self.enqueue(orders, at: time, $0) }
    }

    private static func enqueue(_ orders: [PreviewOrder], at time: Timestamp, _ db: Database) throws -> Int {
        let waiting: Int = try db.value("SELECT count(*) FROM job") ?? 0
        var room = max(0, PreviewOrder.maxWaiting - waiting)
        var taken = 0
        for order in orders {
            let raised = try db.execute(
                """
                UPDATE job SET priority = min(priority, ?), asked_at = ? WHERE digest = ? AND kind = ? AND page = ?
                """, [order.priority.rawValue, time] + order.key.arguments)
            if raised == 0 {
                guard room > 0 || order.priority == .asked else { continue }
                try db.execute(
                    """
                    INSERT INTO job (digest, kind, page, size, priority, asked_at, not_before)
                    VALUES (?, ?, ?, ?, ?, ?, 0)
                    """, order.key.arguments + [order.size, order.priority.rawValue, time])
                room -= 1
            }
            taken += 1
        }
        return taken
    }

    package func enqueueFiles(
        _ priority: PreviewOrder.Priority, limit: Int, at time: Timestamp
    ) async throws -> Int {
        let (isFresh, connection) = (priority == .fresh, connection)
        let name: PreviewMarks.Name = isFresh ? .change : .file
        return try await writing("order previews of files") { db in
            let marks = PreviewMarks(db: db)
            try connection.read("find where new files begin") { try marks.begin(in: $0) }
            let mark = try marks.value(name) ?? 0
            let found = try connection.read("find files") { store in
                try store.rows(Self.files(isFresh: isFresh, limit), [mark]) { row in
                    (mark: row[0] as Int64, file: PreviewedFile(digest: try row.digest(1), size: row[2]))
                }
            }
            guard let last = found.last else { return 0 }
            var orders: [PreviewOrder] = []
            for (_, file) in found where try !Self.isKnown(file.digest, db) {
                orders.append(PreviewOrder(RenditionKey(file.digest, .thumbnail), size: file.size, priority))
            }
            _ = try Self.enqueue(orders, at: time, db)
            try marks.set(name, last.mark)
            return found.count
        }
    }

    private static func files(isFresh: Bool, _ limit: Int) -> String {
        let blob = "JOIN blob ON blob.id = file.blob_id"
        guard isFresh else {
            return """
                SELECT file.id, blob.digest, blob.size FROM file \(blob) WHERE file.id < ? ORDER BY file.id DESC
                LIMIT \(limit)
                """
        }
        return """
            SELECT change.seq, blob.digest, blob.size FROM change JOIN file ON file.id = change.item_id \(blob)
            WHERE change.kind = \(ItemKind.file.rawValue) AND change.seq > ? ORDER BY change.seq LIMIT \(limit)
            """
    }

    package func enqueueScans(
        _ priority: PreviewOrder.Priority, signatures: Int64, limit: Int, at time: Timestamp
    ) async throws -> Int {
        let connection = connection
        return try await writing("order scans") { db in
            if priority == .rescan {
                let found = try db.rows(
                    "SELECT digest FROM verdict WHERE signatures < ? ORDER BY at DESC LIMIT \(limit)", [signatures]
                ) { try $0.digest(0) }
                let sizes = try connection.read("find contents") { store in
                    try found.map { try store.value("SELECT size FROM blob WHERE digest = ?", [$0]) as Int64? }
                }
                let orders = zip(found, sizes).compactMap { content, size in
                    size.map { PreviewOrder(RenditionKey(content, .verdict), size: $0, priority) }
                }
                return try Self.enqueue(orders, at: time, db)
            }
            let isFresh = priority == .fresh
            let marks = PreviewMarks(db: db)
            try connection.read("find where new contents begin") { try marks.beginContents(in: $0) }
            let mark = try marks.value(isFresh ? .content : .olderContent) ?? 0
            let found = try connection.read("find contents") { store in
                try store.rows(
                    """
                    SELECT id, digest, size FROM blob WHERE id \(isFresh ? ">" : "<") ?
                    ORDER BY id \(isFresh ? "" : "DESC") LIMIT \(limit)
                    """, [mark]
                ) { row in (mark: row[0] as Int64, file: PreviewedFile(digest: try row.digest(1), size: row[2])) }
            }
            guard let last = found.last else { return 0 }
            // What came just now is scanned also while the machine is busy: people may open it at any moment.
            let urgency: PreviewOrder.Priority = isFresh ? .listed : priority
            let orders = try found.compactMap { _, file in
                let isKnown: Int? = try db.value("SELECT 1 FROM verdict WHERE digest = ?", [file.digest])
                return isKnown == nil
                    ? PreviewOrder(RenditionKey(file.digest, .verdict), size: file.size, urgency) : nil
            }
            _ = try Self.enqueue(orders, at: time, db)
            try marks.set(isFresh ? .content : .olderContent, last.mark)
            return found.count
        }
    }

    private static func isKnown(_ content: ContentDigest, _ db: Database) throws -> Bool {
        try db.value(
            "SELECT 1 FROM rendition WHERE digest = ? AND kind = ? AND page = 1",
            [content, RenditionKind.thumbnail.rawValue]) ?? 0 == 1
    }

    package func take(_ filter: PreviewJobFilter, at time: Timestamp) async throws -> PreviewJob? {
        try await writing("take work") { db in
            try db.execute(
                "UPDATE job SET priority = ? WHERE priority < ? AND asked_at < ? AND kind <> ?",
                [
                    PreviewOrder.Priority.backfill.rawValue, PreviewOrder.Priority.fresh.rawValue,
                    time - Self.patience, RenditionKind.verdict.rawValue,
                ])
            let row = try db.row(
                """
                SELECT id, size, priority, attempt, family, digest, kind, page FROM job
                WHERE is_running = 0 AND priority <= ? AND not_before <= ? AND attempt <= ?
                    AND (family IS NULL OR family NOT IN (SELECT value FROM json_each(?)))
                ORDER BY priority, id LIMIT 1
                """,
                [
                    filter.leastUrgent.rawValue, time, filter.includesSecondAttempts ? 2 : 1,
                    SQL.list(words: filter.excluded.map(\.rawValue).sorted()),
                ])
            guard let row else { return nil }
            let id = PreviewJob.ID(row[0])
            guard let key = try RenditionKey(row, at: 5), let priority = PreviewOrder.Priority(rawValue: row[2]) else {
                try db.execute("DELETE FROM job WHERE id = ?", [id])
                return nil
            }
            try db.execute("UPDATE job SET is_running = 1 WHERE id = ?", [id])
            let family = (row[4] as String?).flatMap(TrueType.Family.init(rawValue:))
            return PreviewJob(
                id: id, order: PreviewOrder(key, size: row[1], priority), attempt: row[3], family: family)
        }
    }

    package func postpone(_ job: PreviewJob, family: TrueType.Family?, until time: Timestamp) async throws {
        try await writing("put work off") { db in
            try db.execute(
                "UPDATE job SET is_running = 0, family = ifnull(?, family), not_before = ? WHERE id = ?",
                [family?.rawValue, time, job.id])
        }
    }

    package func finish(_ job: PreviewJob, with result: PreviewResult, at time: Timestamp) async throws {
        let files = files
        // Before their rows. A file without a row is overwritten, or goes with its content.
        try await blocking {
            try StoreError.wrapping("keep a preview") {
                for made in result.made { try files.write(made.bytes, as: made.rendition.key) }
            }
        }
        try await writing("keep a preview") { db in
            let content = job.order.key.content
            if let (verdict, signatures) = result.verdict {
                try db.execute(
                    "INSERT OR REPLACE INTO verdict VALUES (?, ?, ?, ?, ?)",
                    [content, verdict.word, verdict.malware, signatures, time])
            }
            if case .infected? = result.verdict?.verdict {
                // What was made before shows what is kept from people now.
                try db.execute("DELETE FROM rendition WHERE digest = ?", [content])
            }
            let info = result.info ?? FileInfo(.unknown)
            try db.execute(
                """
                INSERT INTO info VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET type = CASE excluded.type WHEN '\(TrueType.unknown.rawValue)' THEN type
                    ELSE excluded.type END, pages = ifnull(excluded.pages, pages),
                    width = ifnull(excluded.width, width), height = ifnull(excluded.height, height),
                    milliseconds = ifnull(excluded.milliseconds, milliseconds), is_encrypted = excluded.is_encrypted
                """,
                [
                    content, info.type.rawValue, info.pageCount, info.width, info.height, info.milliseconds,
                    info.isEncrypted,
                ])
            let sql = """
                INSERT OR REPLACE INTO rendition
                    (digest, kind, page, recipe, bytes_digest, size, width, height, failure, used_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
            for made in result.made.map(\.rendition) {
                try db.execute(
                    sql,
                    made.key.arguments + [result.recipe, made.digest, made.size, made.width, made.height, nil, time])
            }
            if result.isTriedAgain {
                try db.execute(
                    "UPDATE job SET is_running = 0, attempt = attempt + 1, priority = max(priority, ?) WHERE id = ?",
                    [PreviewOrder.Priority.fresh.rawValue, job.id])
                return
            }
            if let failure = result.failure, job.order.key.kind != .verdict {
                try db.execute(
                    sql, job.order.key.arguments + [result.recipe, nil, 0, nil, nil, failure.rawValue, time])
            }
            try db.execute("DELETE FROM job WHERE id = ?", [job.id])
        }
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
}

/// How far files were given work: after which change, and before which file; and contents, the same way.
private struct PreviewMarks {
    enum Name: String {
        case change, file, content
        case olderContent = "older_content"
    }

    let db: Database

    /// Sets the marks where they are missing or lie beyond the end: then the store was restored from a backup.
    func begin(in store: Database) throws {
        let change = try ChangeEpochs.lastNumber(store)
        if let known = try value(.change), known <= change { return }
        let file: Int64 = try store.value("SELECT max(id) FROM file") ?? 0
        try set(.change, change)
        try set(.file, file + 1)
    }

    /// Ids of contents may be given again when the latest are removed: where they went back, all are looked at anew.
    func beginContents(in store: Database) throws {
        let latest: Int64 = try store.value("SELECT max(id) FROM blob") ?? 0
        if let known = try value(.content), known <= latest { return }
        try set(.content, latest)
        try set(.olderContent, latest + 1)
    }

    func value(_ name: Name) throws -> Int64? {
        try db.value("SELECT value FROM counter WHERE name = ?", [name.rawValue])
    }

    func set(_ name: Name, _ value: Int64) throws {
        try db.execute("INSERT OR REPLACE INTO counter VALUES (?, ?)", [name.rawValue, value])
    }
}
