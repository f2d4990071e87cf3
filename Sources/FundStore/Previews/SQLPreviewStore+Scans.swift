package import FundCore

/// Scans that fail, and what is known of a content without a verdict.
extension SQLPreviewStore {
    private static let failed = "unscanned"
    private static let limit = "limit"
    private static let limitProblem = "it is above limits of clamd, which did not look at all of it"

    package func noteFailedScan(
        _ job: PreviewJob, problem: String, signatures: Int64, at time: Timestamp
    ) async throws {
        let content = job.order.key.content
        try await writing("put a scan off") { db in
            let attempt: Int = try db.value("SELECT attempt FROM job WHERE id = ?", [job.id]) ?? 1
            guard attempt <= FailedScan.waits.count else {
                try db.execute("DELETE FROM job WHERE id = ?", [job.id])
                // An earlier verdict stays: what was given before is not held because of newer signatures.
                try db.execute(
                    """
                    INSERT INTO verdict (digest, verdict, malware, signatures, at)
                        VALUES (?1, '\(Self.failed)', ?2, ?3, ?4)
                    ON CONFLICT (digest) DO UPDATE SET signatures = ?3, at = ?4,
                        malware = CASE WHEN verdict.verdict = '\(Self.failed)' THEN ?2 ELSE verdict.malware END
                    """, [content, problem, signatures, time])
                return
            }
            try db.execute(
                "UPDATE job SET is_running = 0, attempt = attempt + 1, not_before = ? WHERE id = ?",
                [time + FailedScan.waits[attempt - 1], job.id])
        }
    }

    package func postponeUntilScanned(_ job: PreviewJob, at time: Timestamp, atMost wait: Duration) async throws {
        let (content, size) = (job.order.key.content, job.order.size)
        try await writing("wait for a scan") { db in
            if try !db.exists("SELECT 1 FROM verdict WHERE digest = ?", [content]) {
                let scan = PreviewOrder(RenditionKey(content, .verdict), size: size, .scan)
                _ = try Self.enqueue([scan], at: time, db)
            }
            // One that has ended meanwhile wakes it no more.
            let isOver = try Self.isLookedAt(content, db)
            try db.execute(
                "UPDATE job SET is_running = 0, not_before = ? WHERE id = ?", [isOver ? time : time + wait, job.id])
        }
    }

    /// Wakes work that waits for a verdict. To be called with each.
    static func wakeWork(at content: ContentDigest, _ db: Database) throws {
        try db.execute(
            "UPDATE job SET not_before = 0 WHERE digest = ? AND kind <> ? AND is_running = 0",
            [content, RenditionKind.verdict.rawValue])
    }

    package func failedScans(limit: Int) async throws -> [FailedScan] {
        guard hasDatabase else { return [] }
        let (connection, isHolding) = (connection, isHolding)
        return try await reading("list failed scans") { db in
            let released = try connection.read("list released contents") { store in
                let sql = "SELECT digest FROM quarantine WHERE released_at IS NOT NULL"
                return Set(try store.rows(sql) { try $0.digest(0) })
            }
            var scans: [FailedScan] = []
            // Each by an index of its own.
            for word in isHolding ? [Self.failed, Self.limit] : [Self.failed] {
                try db.forEach("SELECT digest, malware, at FROM verdict WHERE verdict = '\(word)' ORDER BY at DESC") {
                    let scan = FailedScan(digest: try $0.digest(0), problem: $0[1] ?? Self.limitProblem, at: $0[2])
                    if !released.contains(scan.digest) { scans.append(scan) }
                    return scans.count < 2 * limit
                }
            }
            return Array(scans.sorted { $0.at > $1.at }.prefix(limit))
        }
    }

    /// Has failed scans tried again at once. Returns how many there were, waiting ones included.
    static func retryFailedScans(_ db: Database) throws -> Int {
        let count = try db.execute("UPDATE verdict SET at = 0 WHERE verdict = '\(failed)' AND at > 0")
        // By signatures before all others: it is scanned again at the next look for newer ones.
        let limited = try db.execute(
            "UPDATE verdict SET signatures = -1 WHERE verdict = '\(limit)' AND signatures >= 0")
        return try count + limited
            + db.execute(
                "UPDATE job SET attempt = 1, not_before = 0 WHERE kind = ? AND attempt > 1 AND is_running = 0",
                [RenditionKind.verdict.rawValue])
    }

    package func enqueueRescans(signatures: Int64, limit: Int, at time: Timestamp) async throws -> Int {
        try await writing("order scans") { [connection] db in
            guard try Self.room(db, forScans: true) >= limit else { return 0 }
            let isFree = "NOT EXISTS (SELECT 1 FROM job WHERE job.digest = verdict.digest AND job.kind = ?)"
            let kind = RenditionKind.verdict.rawValue
            let found = try db.rows(
                "SELECT digest FROM verdict WHERE signatures < ? AND \(isFree) ORDER BY at DESC LIMIT \(limit)",
                [signatures, kind]
            ) { try $0.digest(0) }
            let failed = try db.rows(
                "SELECT digest FROM verdict WHERE verdict = '\(Self.failed)' AND at < ? AND \(isFree) LIMIT \(limit)",
                [time - FailedScan.pause, kind]
            ) { try $0.digest(0) }
            let contents = found + failed.filter { !found.contains($0) }
            let sizes = try connection.read("find contents") { store in
                // A content is that of a file, or a message that was not filed.
                let sql = "SELECT size FROM blob WHERE digest = ?1 UNION ALL SELECT size FROM message WHERE digest = ?1"
                return try contents.map { try store.value(sql, [$0]) as Int64? }
            }
            let orders = zip(contents, sizes).compactMap { content, size in
                size.map { PreviewOrder(RenditionKey(content, .verdict), size: $0, .rescan) }
            }
            let count = try Self.enqueue(orders, at: time, db)
            // One by one, as before, and once: together they would take all places from what comes in.
            try db.execute(
                """
                UPDATE job SET attempt = ?1 WHERE kind = ?2 AND priority = ?3 AND attempt = 1 AND is_running = 0
                    AND digest IN (SELECT digest FROM verdict WHERE verdict = '\(Self.failed)')
                """, [FailedScan.waits.count + 1, kind, PreviewOrder.Priority.rescan.rawValue])
            return count
        }
    }
}
