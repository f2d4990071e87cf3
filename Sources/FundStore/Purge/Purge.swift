import FundCore

/// Result of a purge.
package struct PurgeReport: Sendable, Hashable {
    /// Count of funds, folders, files, emails and notes.
    package var items = 0
    package var blobs = 0
    /// Bytes of the blobs.
    package var bytes: Int64 = 0
    /// Bytes of the log that the disk has back by now. Fewer than `bytes` while a backup runs or a client still loads
    /// them.
    package var freedBytes: Int64 = 0

    package init() {}
}

/// Removes deleted items, and then the blobs to which no file, no attachment and no raw message refers any more. Raw
/// messages stay: they have a retention of their own. Works in short transactions, so that mail comes in meanwhile, and
/// on a full disk.
struct Purge: Sendable {
    let connection: StoreConnection
    let log: StoreLog

    /// Purges what is in `scope` and notes it in the audit trail as `action` on `subject` by `actor`.
    /// - Parameter prepare: is called in the first transaction, before anything is purged.
    @discardableResult
    func run(
        _ scope: PurgeScope, action: AuditAction, subject: String, actor: String,
        prepare: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) async throws -> PurgeReport {
        // Bytes that are away are not given back.
        try log.segments.requireInPlace()
        var (report, isPrepared) = (PurgeReport(), false)
        while true {
            let isFirst = report.items == 0
            let step = try await connection.queues.changes.run { [isPrepared] in
                try connection.write("purge what was deleted", .reserve) { db in
                    if !isPrepared { try prepare(db) }
                    var step = PurgeStep(db: db, scope: scope)
                    return try step.run(isFirst: isFirst)
                }
            }
            isPrepared = true
            report.items += step.items
            report.blobs += step.blobs
            report.bytes += step.bytes
            if step.items + step.spread == 0 { break }
        }
        guard report.items > 0 else { return report }
        report.freedBytes = try await connection.queues.changes.run {
            let freed = try log.reclaim()
            try connection.giveBackSpace()
            return freed
        }
        try await connection.writing("note a purge", .reserve, on: connection.queues.changes) { [report] db in
            try db.writeAudit(action, of: subject, "\(report.items) items, \(report.bytes) bytes", by: actor)
        }
        return report
    }
}
