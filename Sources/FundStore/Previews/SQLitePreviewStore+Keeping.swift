package import FundCore
internal import Synchronization

extension SQLitePreviewStore {
    /// Of rows that one transaction removes or looks at.
    private static let stepRows = 500

    package func status() async throws -> PreviewStatus {
        guard !connection.isReadOnly || StoreLayout.size(of: connection.layout.previewDatabase) != nil else {
            return PreviewStatus()  // a store that nothing was made for
        }
        return try await reading("count previews") { db in
            var status = PreviewStatus()
            try db.forEach("SELECT kind, count(*), sum(size) FROM rendition WHERE failure IS NULL GROUP BY kind") {
                guard let kind = RenditionKind(rawValue: $0[0]) else { return true }
                status.ready[kind] = PreviewStatus.Amount(count: $0[1], bytes: $0[2])
                return true
            }
            try db.forEach("SELECT failure, count(*) FROM rendition WHERE failure IS NOT NULL GROUP BY failure") {
                status.failures[Self.failure($0[0]), default: 0] += $0[1]
                return true
            }
            try db.forEach("SELECT priority, count(*) FROM job GROUP BY priority") {
                guard let priority = PreviewOrder.Priority(rawValue: $0[0]) else { return true }
                status.waiting[priority] = $0[1]
                return true
            }
            status.oldestWaitingAt = try db.value("SELECT min(asked_at) FROM job")
            return status
        }
    }

    package func evict(downTo bytes: Int64) async throws -> Int {
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
        var count = 0
        for kinds in Self.evictionOrder {
            while true {
                let gone: [RenditionKey] = try await writing("remove previews") { db in
                    let total: Int64 = try db.value("SELECT sum(size) FROM rendition WHERE failure IS NULL") ?? 0
                    var excess = total - bytes
                    guard excess > 0 else { return [] }
                    var chosen: [RenditionKey] = []
                    try db.forEach(
                        """
                        SELECT digest, kind, page, size FROM rendition
                        WHERE failure IS NULL AND kind IN (SELECT value FROM json_each(?))
                        ORDER BY used_at LIMIT \(Self.stepRows)
                        """, [SQL.list(words: kinds.map(\.rawValue))]
                    ) { row in
                        if let key = try RenditionKey(row, at: 0) { chosen.append(key) }
                        excess -= row[3]
                        return excess > 0
                    }
                    for key in chosen {
                        try db.execute(
                            "DELETE FROM rendition WHERE digest = ? AND kind = ? AND page = ?", key.arguments)
                    }
                    return chosen
                }
                if gone.isEmpty { break }
                try await blocking { for key in gone { files.remove(key) } }
                count += gone.count
            }
        }
        return count
    }

    /// Texts stay: the search reads them again, and they are small.
    private static let evictionOrder: [[RenditionKind]] = [[.page, .large], [.document], [.thumbnail]]

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
                try contents.filter { try db.value("SELECT id FROM blob WHERE digest = ?", [$0]) as Int64? == nil }
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

    /// Below every digest.
    private static let least = ContentDigest(bytes: [UInt8](repeating: 0, count: ContentDigest.byteCount))

    package func forgetReleased() async throws {
        let reason = RenditionFailure.quarantined.rawValue
        let held: [ContentDigest] = try await reading("look for quarantined files") { db in
            try db.rows("SELECT DISTINCT digest FROM rendition WHERE failure = ?", [reason]) { try $0.digest(0) }
        }
        guard !held.isEmpty else { return }
        let released = try await connection.reading("look for released files") { db in
            try held.filter { content in
                let sql = "SELECT EXISTS (SELECT 1 FROM quarantine WHERE digest = ? AND released_at IS NULL)"
                return try db.value(sql, [content]) == false
            }
        }
        guard !released.isEmpty else { return }
        try await writing("forget what was released") { db in
            for content in released {
                try db.execute("DELETE FROM rendition WHERE digest = ? AND failure = ?", [content, reason])
            }
        }
    }

    package func forgetFailures(_ reasons: Set<RenditionFailure>?) async throws -> Int {
        let words = SQL.list(words: (reasons ?? Set(RenditionFailure.allCases)).map(\.rawValue).sorted())
        return try await writing("forget failures") { db in
            try db.execute(
                "DELETE FROM rendition WHERE failure IN (SELECT value FROM json_each(?))", [words])
        }
    }

    package func clear() async throws {
        let files = files
        try await writing("clear the previews") { db in
            for table in ["info", "rendition", "job", "verdict", "counter"] { try db.execute("DELETE FROM \(table)") }
        }
        try await blocking { files.removeAll() }
    }
}
