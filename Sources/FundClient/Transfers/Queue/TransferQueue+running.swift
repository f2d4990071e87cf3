internal import Foundation
internal import GRDB

/// Writes of a runner.
extension TransferQueue {
    /// Folder of the marks of runners.
    var marks: String { database.folder + "/runners" }

    /// Takes up to so many transfers whose turn it is. Two downloads of one content into the cache do not run at once:
    /// the second finds it there.
    /// - Parameter batch: only those of it; nil for all.
    func claim(
        _ count: Int, for mark: ProcessMark, of batch: TransferBatch? = nil
    ) async throws(ClientError) -> [TransferRow] {
        let (holder, now) = (mark.name, Date().milliseconds)
        let isMember = batch == nil ? "" : "AND batch = :batch"
        // A clock that was set back must not keep a transfer waiting for years.
        let farthest = now + 2 * 3_600_000
        return try await database.write { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM transfer AS waiting WHERE state = 'waiting' \(isMember)
                        AND (next_attempt_at IS NULL OR next_attempt_at <= :now OR next_attempt_at > :farthest)
                        AND NOT (kind = 'download' AND path IS NULL AND digest IS NOT NULL AND EXISTS (
                            SELECT 1 FROM transfer AS other WHERE other.digest = waiting.digest
                                AND other.state = 'running' AND other.kind = 'download' AND other.path IS NULL))
                    ORDER BY priority DESC, position, id LIMIT :count
                    """,
                arguments: StatementArguments(
                    ["now": now, "farthest": farthest, "count": count].merging(
                        batch.map { ["batch": $0.name] } ?? [:] as [String: any DatabaseValueConvertible]
                    ) { $1 }))
            var taken: [TransferRow] = []
            var digests: Set<Digest> = []
            for row in rows {
                var row = try TransferRow(row: row)
                if let digest = row.digest, case .download(let download) = row.transfer.work,
                    download.destination == nil
                {
                    guard digests.insert(digest).inserted else { continue }
                }
                try db.cachedStatement(sql: "UPDATE transfer SET state = 'running', holder = ? WHERE id = ?")
                    .execute(arguments: [holder, row.transfer.id.value])
                row.transfer.state = .running
                taken.append(row)
            }
            return taken
        }
    }

    /// Transfers of processes that are gone wait again.
    func reclaim() async throws(ClientError) {
        let holders = try await database.read { db in
            try String.fetchAll(db, sql: "SELECT DISTINCT holder FROM transfer WHERE state = 'running'")
        }
        let marks = marks
        for holder in holders where ProcessMark.isGone(holder, in: marks) {
            try await database.write { db in
                try db.execute(
                    sql: """
                        UPDATE transfer SET state = 'waiting', holder = NULL, next_attempt_at = NULL
                        WHERE state = 'running' AND holder = ?
                        """, arguments: [holder])
            }
        }
    }

    /// Which of the transfers that this process has are still its own.
    func held(by mark: ProcessMark) async throws(ClientError) -> Set<TransferID> {
        let holder = mark.name
        return try await database.read { db in
            Set(
                try Int64.fetchAll(
                    db, sql: "SELECT id FROM transfer WHERE state = 'running' AND holder = ?", arguments: [holder]
                ).map { TransferID($0) })
        }
    }

    /// Number of transfers that could run now or later.
    func waitingCount() async throws(ClientError) -> Int {
        try await database.read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM transfer WHERE state = 'waiting'") ?? 0
        }
    }

    /// Writes down how far transfers are, for other processes.
    func note(_ bytes: [TransferID: Int64]) async throws(ClientError) {
        guard !bytes.isEmpty else { return }
        try await database.write { db in
            for (id, count) in bytes {
                try db.execute(
                    sql: "UPDATE transfer SET bytes = ? WHERE id = ? AND state = 'running'",
                    arguments: [count, id.value])
            }
        }
    }

    /// Changes columns of a row that this process holds. Throws `cancelled` when it does not hold it any more.
    func set(
        _ id: TransferID, heldBy mark: ProcessMark, _ values: [String: (any DatabaseValueConvertible & Sendable)?]
    ) async throws(ClientError) {
        let holder = mark.name
        let isHeld = try await database.write { db in
            let sets = values.keys.map { "\($0) = :\($0)" }.joined(separator: ", ")
            let own: [String: (any DatabaseValueConvertible)?] = ["own_id": id.value, "own_holder": holder]
            try db.execute(
                sql: "UPDATE transfer SET \(sets) WHERE id = :own_id AND holder = :own_holder AND state = 'running'",
                arguments: StatementArguments(values.mapValues { $0 }.merging(own) { first, _ in first }))
            return db.changesCount > 0
        }
        guard isHeld else { throw ClientError(.cancelled, "paused, cancelled, or taken over") }
    }

    /// Ends a transfer that is done.
    /// - Parameter local: which content a file of the server has on this machine now.
    func finish(
        _ id: TransferID, heldBy mark: ProcessMark, result: String?, size: Int64, digest: Digest?, local: FileID?
    ) async throws(ClientError) {
        let (holder, now) = (mark.name, Date().milliseconds)
        let isHeld = try await database.write { db in
            try db.cachedStatement(
                sql: """
                    UPDATE transfer SET state = 'done', holder = NULL, result = ?, size = ?, bytes = ?, digest = ?,
                        finished_at = ?, failure_code = NULL, failure = NULL, attempts = 0, next_attempt_at = NULL,
                        upload = NULL
                    WHERE id = ? AND holder = ? AND state = 'running'
                    """
            ).execute(arguments: [result, size, size, digest?.column, now, id.value, holder])
            guard db.changesCount > 0 else { return false }
            if let local, let digest {
                try db.execute(
                    sql: "INSERT OR REPLACE INTO local_copy VALUES (?, ?)", arguments: [local.value, digest.column])
            }
            return true
        }
        guard isHeld else { throw ClientError(.cancelled, "paused, cancelled, or taken over") }
    }

    /// Transfers that were given up and that may still have something here or on the server.
    func abandoned() async throws(ClientError) -> [TransferID] {
        try await database.read { db in
            try Int64.fetchAll(db, sql: "SELECT id FROM transfer WHERE state = 'cancelled' AND has_leftovers")
                .map { TransferID($0) }
        }
    }

    /// Nothing of it is left.
    func noteRemoval(of id: TransferID) async throws(ClientError) {
        try await database.write { db in
            try db.execute(
                sql: "UPDATE transfer SET upload = NULL, has_leftovers = 0, bytes = 0 WHERE id = ?",
                arguments: [id.value])
        }
    }
}
