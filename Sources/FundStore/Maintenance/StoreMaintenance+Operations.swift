internal import GRDB
internal import Glibc
package import FundCore
internal import Synchronization

extension FundStore {
    package func keptCounts() async throws -> [KeptCount] {
        try await blocking { [self] in
            try read("count misrouted mail") { db in
                let rows = try Row.fetchAll(
                    db,
                    sql: """
                        SELECT reason, resolution IS NOT NULL, count(*) FROM misroute GROUP BY 1, 2 ORDER BY 1, 2
                        """)
                return rows.compactMap { row in
                    Reason(rawValue: row[0]).map { KeptCount(reason: $0, isResolved: row[1], count: row[2]) }
                }
            }
        }
    }

    /// Whether the store takes writes now: a transaction that changes nothing, and a file. Throws `StoreError`.
    package func checkWritable() async throws {
        try await blocking { [self] in
            try write("try to write") { try $0.execute(sql: "UPDATE misroute SET id = id WHERE 0") }
            do {
                var writer = try spool.makeFile()
                try [UInt8](repeating: 0, count: 4096).withUnsafeBytes { try writer.append($0) }
                unlink(writer.finish().path)
            } catch {
                throw StoreError.wrap(error, "try to write")
            }
        }
    }

    /// Since the store was opened.
    package var barrierStatistics: BarrierStatistics { barrier.statistics }

    /// How often this process wrote rows since the store was opened, and how long it waited for its turn, other processes' included.
    package var lockWaitStatistics: BarrierStatistics { lockWaits.withLock { $0 } }

    /// Changes that no search finds yet; counted no further than `limit`.
    package func indexBacklog(atMost limit: Int = 100_000) async throws -> Int {
        try await blocking { [self] in
            try read("count what is to be indexed") { db in
                try Int.fetchOne(
                    db, sql: "SELECT count(*) FROM (SELECT 1 FROM change WHERE seq > ? LIMIT ?)",
                    arguments: [try IndexBatch.cursor(db), limit]) ?? 0
            }
        }
    }
}
