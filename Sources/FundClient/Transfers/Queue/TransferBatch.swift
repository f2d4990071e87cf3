internal import Foundation
internal import GRDB

/// Transfers of a queue that are waited for together, as those of one command. They stay in the queue when the process
/// dies: one that adds them again, with another batch, goes on with them, and so does a runner of the whole queue.
public struct TransferBatch: Sendable, Hashable {
    let name: String

    /// Creates an empty batch. Once it has something, other processes leave that alone as long as this one lives.
    public init() { name = UUID().uuidString }
}

/// Queries of a runner for a batch.
extension TransferQueue {
    /// No process waits for so long to tell of what has ended: a day.
    private static let staleMilliseconds: Int64 = 86_400_000

    /// Transfers of a batch with which nothing happens any more, or nothing for now: those that ended, that were
    /// paused, and those that wait after so many attempts in a row that failed.
    func settled(_ batch: TransferBatch, patience: Int) async throws(ClientError) -> [TransferRow] {
        try await database.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM transfer WHERE batch = ?1 AND state IN ('done', 'failed', 'cancelled', 'paused')
                    UNION ALL
                    SELECT * FROM transfer WHERE batch = ?1 AND state = 'waiting' AND attempts >= ?2
                    """, arguments: [batch.name, patience]
            ).map { try TransferRow(row: $0) }
        }
    }

    /// Whether something of a batch waits or runs.
    func isOpen(_ batch: TransferBatch) async throws(ClientError) -> Bool {
        try await database.read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM transfer WHERE batch = ? AND state IN ('waiting', 'running'))
                    """, arguments: [batch.name]) ?? false
        }
    }

    /// Forgets what was done for processes that died before they told of it.
    func forgetStale() async throws(ClientError) {
        let time = Date().milliseconds - Self.staleMilliseconds
        try await database.write { db in
            try db.execute(
                sql: "DELETE FROM transfer WHERE batch IS NOT NULL AND state = 'done' AND finished_at < ?",
                arguments: [time])
        }
    }

    /// Forgets those that were done or that failed; others leave the batch and stay in the queue.
    func release(_ ids: [TransferID]) async throws(ClientError) {
        try await database.write { db in
            for id in ids {
                try db.cachedStatement(sql: "DELETE FROM transfer WHERE id = ? AND state IN ('done', 'failed')")
                    .execute(arguments: [id.value])
                try db.cachedStatement(sql: "UPDATE transfer SET batch = NULL WHERE id = ?")
                    .execute(arguments: [id.value])
            }
        }
    }
}
