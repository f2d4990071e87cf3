import FundCore
internal import Glibc

/// What a purge removed.
package struct PurgeReport: Sendable, Hashable {
    /// Funds, folders, files, emails and notes.
    package var items = 0
    package var blobs = 0
    /// Of the blobs.
    package var bytes: Int64 = 0

    package init() {}
}

/// Removes deleted items, and then the blobs to which no file and no attachment refers any more. Raw messages stay:
/// they have a retention of their own. Works in short transactions, so that mail comes in meanwhile, and on a full
/// disk.
struct Purge: Sendable {
    let connection: StoreConnection
    let files: StoreFiles

    /// Purges what is in `scope` and notes it in the audit trail as `action` on `subject` by `actor`.
    @discardableResult
    func run(
        _ scope: PurgeScope, action: String, subject: String, actor: String
    ) async throws -> PurgeReport {
        var report = PurgeReport()
        while true {
            let isFirst = report.items == 0
            let step = try await connection.queues.changes.run {
                // First the rows, durably, then the files, and both before any other process may write: a crash in
                // between leaves files without need (`verify` finds them), never a need without its file. A process
                // that has written the same bytes anew meanwhile finds out when the row is made (BlobRows).
                try connection.write("purge what was deleted", .reserve) { db in
                    var step = PurgeStep(db: db, scope: scope, files: files)
                    return try step.run(isFirst: isFirst)
                } beforeUnlocking: { step in
                    for digest in step.digests { unlink(files.layout.blob(digest)) }
                }
            }
            report.items += step.items
            report.blobs += step.digests.count
            report.bytes += step.bytes
            if step.items + step.spread == 0 { break }
        }
        guard report.items > 0 else { return report }
        try await connection.queues.changes.run { try connection.giveBackSpace() }
        try await connection.writing("note a purge", .reserve, on: connection.queues.changes) { [report] db in
            try db.writeAudit(action, of: subject, "\(report.items) items, \(report.bytes) bytes", by: actor)
        }
        return report
    }
}
