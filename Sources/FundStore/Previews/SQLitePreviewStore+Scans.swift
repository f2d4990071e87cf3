package import FundCore

/// Scans that fail, and what is known of a content without a verdict.
extension SQLitePreviewStore {
    private static let failed = "unscanned"

    package func noteFailedScan(
        _ job: PreviewJob, problem: String, signatures: Int64, at time: Timestamp
    ) async throws {
        let key = RenditionKey(job.order.key.content, .verdict)
        try await writing("put a scan off") { db in
            let sql = "SELECT attempt FROM job WHERE digest = ? AND kind = ? AND page = ?"
            if try db.value(sql, key.arguments) as Int? == nil {
                _ = try Self.enqueue([PreviewOrder(key, size: job.order.size, .scan)], at: time, db)
            }
            let attempt: Int = try db.value(sql, key.arguments) ?? 1
            guard attempt <= FailedScan.waits.count else {
                try db.execute("DELETE FROM job WHERE digest = ? AND kind = ? AND page = ?", key.arguments)
                // An earlier verdict stays: what was given before is not held because of newer signatures.
                try db.execute(
                    """
                    INSERT INTO verdict (digest, verdict, malware, signatures, at) VALUES (?1, '\(Self.failed)', ?2, ?3, ?4)
                    ON CONFLICT DO UPDATE SET signatures = ?3, at = ?4,
                        malware = iif(verdict = '\(Self.failed)', ?2, malware)
                    """, [key.content, problem, signatures, time])
                return
            }
            try db.execute(
                """
                UPDATE job SET is_running = is_running AND id <> ?, attempt = attempt + 1, not_before = ?
                WHERE digest = ? AND kind = ? AND page = ?
                """, [job.id, time + FailedScan.waits[attempt - 1]] + key.arguments)
        }
    }

    package func scanState(of content: ContentDigest) async throws -> ScanState {
        try await reading("look for a scan") { db in
            if try db.value(Self.hasFailed, [content]) as Int? != nil { return .failing }
            let sql = "SELECT is_running, attempt FROM job WHERE digest = ? AND kind = ? AND page = 1"
            guard let row = try db.row(sql, [content, RenditionKind.verdict.rawValue]) else { return .open }
            let (isRunning, attempt): (Bool, Int) = (row[0], row[1])
            return attempt > 1 ? .failing : isRunning ? .underWay : .open
        }
    }

    private static let hasFailed = "SELECT 1 FROM verdict WHERE digest = ? AND verdict = '\(failed)'"

    package func failedScans(limit: Int) async throws -> [FailedScan] {
        guard StoreLayout.size(of: connection.layout.previewDatabase) != nil else { return [] }
        return try await reading("list failed scans") { db in
            try db.rows(
                """
                SELECT digest, malware, at FROM verdict WHERE verdict = '\(Self.failed)'
                ORDER BY at DESC LIMIT \(limit)
                """
            ) { FailedScan(digest: try $0.digest(0), problem: $0[1] ?? "", at: $0[2]) }
        }
    }

    /// Has them tried again at once. Gives how many there were, waiting ones included.
    static func retryFailedScans(_ db: Database) throws -> Int {
        let count = try db.execute("UPDATE verdict SET at = 0 WHERE verdict = '\(failed)' AND at > 0")
        return try count
            + db.execute(
                "UPDATE job SET attempt = 1, not_before = 0 WHERE kind = ? AND attempt > 1 AND is_running = 0",
                [RenditionKind.verdict.rawValue])
    }

    package func enqueueRescans(signatures: Int64, limit: Int, at time: Timestamp) async throws -> Int {
        let connection = connection
        return try await writing("order scans") { db in
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
                // Of a file, or of a message that was not filed.
                let sql = "SELECT size FROM blob WHERE digest = ?1 UNION ALL SELECT size FROM message WHERE digest = ?1"
                return try contents.map { try store.value(sql, [$0]) as Int64? }
            }
            let orders = zip(contents, sizes).compactMap { content, size in
                size.map { PreviewOrder(RenditionKey(content, .verdict), size: $0, .rescan) }
            }
            return try Self.enqueue(orders, at: time, db)
        }
    }
}
