package import FundCore
internal import Synchronization

extension SQLPreviewStore {
    /// Limit of rows that one transaction removes or looks at.
    private static let stepRows = 500

    // By `PreviewSchema.indexes` alone: with 200,000 renditions and 100,000 pieces of work 16 ms instead of 800.
    static let countReady = "SELECT kind, count(*), sum(size) FROM rendition WHERE failure IS NULL GROUP BY kind"
    static let countFailures =
        "SELECT failure, count(*) FROM rendition WHERE failure IS NOT NULL GROUP BY failure"
    static let countWork = "SELECT priority, count(*), min(asked_at) FROM job GROUP BY priority"

    package func status() async throws -> PreviewStatus {
        guard !connection.isReadOnly || hasDatabase else {
            return PreviewStatus()  // a store that nothing was made for
        }
        return try await reading("count previews") { db in
            var status = PreviewStatus()
            try db.forEach(Self.countReady) {
                guard let kind = RenditionKind(rawValue: $0[0]) else { return true }
                status.ready[kind] = PreviewStatus.Amount(count: $0[1], bytes: $0[2])
                return true
            }
            try db.forEach(Self.countFailures) {
                status.failures[Self.failure($0[0]), default: 0] += $0[1]
                return true
            }
            try db.forEach(Self.countWork) {
                let oldest = Timestamp($0[2] as Int64)
                status.oldestWaitingAt = min(status.oldestWaitingAt ?? oldest, oldest)
                guard let priority = PreviewOrder.Priority(rawValue: $0[0]) else { return true }
                status.waiting[priority] = $0[1]
                return true
            }
            return status
        }
    }

    package func evict(above limit: Int64, downTo bytes: Int64) async throws -> Int {
        let used = used.withLock { used in
            defer { used = [:] }
            return used
        }
        try await writing("note which previews are used") { db in
            for (key, time) in used {
                try db.execute(
                    "UPDATE rendition SET used_at = ? WHERE digest = ? AND kind = ? AND page = ?",
                    [time] + key.arguments)
            }
        }
        let files = files
        let total: Int64 = try await reading("weigh previews") {
            try $0.value("SELECT sum(size) FROM rendition WHERE failure IS NULL") ?? 0
        }
        guard total > limit else { return 0 }
        var (excess, count) = (total - bytes, 0)
        for kinds in Self.evictionOrder {
            while excess > 0 {
                let gone = try await removeLeastUsed(kinds, excess)
                if gone.keys.isEmpty { break }
                try await blocking { for key in gone.keys { files.remove(key) } }
                excess -= gone.bytes
                count += gone.keys.count
            }
        }
        return count
    }

    /// Removes the rows of so many bytes, or of one step.
    private func removeLeastUsed(
        _ kinds: [RenditionKind], _ excess: Int64
    ) async throws -> (keys: [RenditionKey], bytes: Int64) {
        try await writing("remove previews") { db in
            var gone: (keys: [RenditionKey], bytes: Int64) = ([], 0)
            try db.forEach(
                """
                SELECT digest, kind, page, size FROM rendition
                WHERE failure IS NULL AND kind \(SQL.isAmong("?"))
                ORDER BY used_at LIMIT \(Self.stepRows)
                """, [SQL.list(words: kinds.map(\.rawValue))]
            ) { row in
                if let key = try RenditionKey(row, at: 0) { gone.keys.append(key) }
                gone.bytes += row[3]
                return gone.bytes < excess
            }
            for key in gone.keys {
                try db.execute("DELETE FROM rendition WHERE digest = ? AND kind = ? AND page = ?", key.arguments)
            }
            return gone
        }
    }

    /// Texts stay: the search reads them again, and they are small.
    private static let evictionOrder: [[RenditionKind]] = [
        [.page, .large, .fields], [.document], [.thumbnail, .waveform],
    ]

    package func sweep() async throws -> Int {
        let (connection, files) = (connection, files)
        var (count, last) = (0, [UInt8]())
        while true {
            let from = last
            let contents: [ContentDigest] = try await reading("look through previews") { db in
                let sql = "SELECT digest FROM info WHERE digest > ? ORDER BY digest LIMIT \(Self.stepRows)"
                return try db.rows(sql, [ContentDigest(bytes: from) ?? Self.least]) { try $0.digest(0) }
            }
            guard let end = contents.last else { return count }
            last = end.bytes
            let gone = try await connection.reading("look for contents") { db in
                let sql = "SELECT 1 FROM blob WHERE digest = ?1 UNION ALL SELECT 1 FROM message WHERE digest = ?1"
                return try contents.filter { try !db.exists(sql, [$0]) }
            }
            guard !gone.isEmpty else { continue }
            try await blocking { for content in gone { files.remove(content) } }
            try await writing("remove previews") { db in
                for content in gone {
                    for table in ["info", "rendition", "job", "verdict"] {
                        try db.execute("DELETE FROM \(table) WHERE digest = ?", [content])
                    }
                }
            }
            count += gone.count
        }
    }

    /// The least digest.
    static let least = ContentDigest(bytes: [UInt8](repeating: 0, count: ContentDigest.byteCount))

    package func forgetFailures(_ reasons: Set<RenditionFailure>?) async throws -> Int {
        let words = SQL.list(words: (reasons ?? Set(RenditionFailure.allCases)).map(\.rawValue).sorted())
        return try await writing("forget failures") { db in
            // Pages are not asked for one by one: all are looked at again.
            let isRecognition = try db.exists(
                "SELECT 1 FROM rendition WHERE kind = ? AND failure \(SQL.isAmong("?"))",
                [RenditionKind.recognised.rawValue, words])
            let keptWords = try Self.forgetKeptWords(words, db)
            if isRecognition || keptWords > 0 { try Self.forgetRecognitionPlan(db) }
            let count = try db.execute(
                "DELETE FROM rendition WHERE failure \(SQL.isAmong("?"))", [words])
            if count > 0 { try Self.noteReset(db) }
            return try count + keptWords + (reasons == nil ? Self.retryFailedScans(db) : 0)
        }
    }

    package func forgetFailures(before recipe: Int) async throws {
        try await writing("forget failures") { db in
            try db.execute(
                "DELETE FROM rendition WHERE failure IS NOT NULL AND recipe < ? AND kind <> ?",
                [recipe, RenditionKind.recognised.rawValue])
        }
    }

    package func removeAll() async throws {
        try await writing("clear the previews") { db in
            for table in ["info", "rendition", "job"] { try db.execute("DELETE FROM \(table)") }
            try db.execute("DELETE FROM counter WHERE name <> ?", [Self.resets])
            try Self.noteReset(db)
        }
        try await blocking { [files] in files.removeAll() }
    }

    /// The row of `counter` that says how often what was known was taken back.
    private static let resets = "reset"

    private static func noteReset(_ db: Database) throws {
        try db.execute(
            "INSERT INTO counter VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = counter.value + 1", [resets])
    }

    package func resetCount() async throws -> Int64 {
        try await reading("look whether previews were reset") { db in
            try Counter.value(Self.resets, db) ?? 0
        }
    }
}
