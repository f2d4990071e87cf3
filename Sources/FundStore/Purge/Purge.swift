internal import GRDB
internal import Glibc
package import FundCore

/// What a purge took away for good.
package struct PurgeReport: Sendable, Hashable {
    /// Funds, folders, files, emails and notes.
    package var items = 0
    package var blobs = 0
    /// Of the blobs.
    package var bytes: Int64 = 0

    package init() {}
}

/// What one user has deleted and can still restore.
package struct TrashRecord: Sendable, Hashable {
    package var email: String
    package var items: Int
    /// Of deleted files; fewer come free where others need the same bytes.
    package var bytes: Int64
}

extension FundStore {
    /// Takes away for good what was deleted before `time` (seconds since 1970), and then the bytes that no file and no
    /// attachment needs any more. Raw messages stay: they have a retention of their own. Short transactions, so that mail
    /// comes in meanwhile. Works on a full disk.
    package func purgeDeleted(before time: Int64) async throws -> PurgeReport {
        let report = try await purge(.before(time))
        try await note(report, "retention", of: "deleted items", by: "fundmail")
        return report
    }

    /// The same for all that a user, or anybody, has deleted until now. Raw messages and misrouted mail stay.
    @discardableResult
    package func emptyTrash(of user: User.ID?, actor: String) async throws -> PurgeReport {
        let report = try await purge(user.map { .all(of: $0) } ?? .everything)
        var subject = "everybody"
        if let user { subject = try read("empty the trash") { try UserRows.email(of: user, $0, "empty the trash") } }
        try await note(report, "trash.empty", of: subject, by: actor)
        return report
    }

    package func emptyTrash(of user: User.ID) async throws -> Int {
        let email = try await emailOfOwner(user)
        return try await emptyTrash(of: user, actor: email).items
    }

    package func deleteForGood(_ item: LibraryItemID, of user: User.ID) async throws {
        let operation = "delete an item for good"
        let email = try await emailOfOwner(user)
        try await changing(operation, .reserve, of: user) { change in
            guard try change.root(of: item) != nil else { throw change.view.missing() }
            try change.doom(item)
        }
        let report = try await purge(.doomed(of: user))
        try await note(report, "trash.delete", of: "\(item.kind) \(item.number)", by: email)
    }

    /// What each user has deleted and can still restore, most bytes first.
    package func trash() async throws -> [TrashRecord] {
        try await blocking { [self] in
            try read("look into the trash") { db in
                try Row.fetchAll(
                    db,
                    sql: """
                        SELECT user.email, count(*), ifnull(sum(file.size), 0) AS bytes FROM deletion
                            JOIN user ON user.id = deletion.owner_id
                            LEFT JOIN file ON deletion.kind = \(ItemKind.file.rawValue) AND file.id = deletion.item_id
                        WHERE \(Deletion.isRestorable) GROUP BY user.id ORDER BY bytes DESC, user.email
                        """
                ).map { TrashRecord(email: $0[0], items: $0[1], bytes: $0[2]) }
            }
        }
    }

    private func emailOfOwner(_ user: User.ID) async throws -> String {
        try await blocking { [self] in
            try read("find a user") { try UserRows.email(of: user, $0, "find a user") }
        }
    }

    private func purge(_ scope: PurgeScope) async throws -> PurgeReport {
        var report = PurgeReport()
        while true {
            let isFirst = report.items == 0
            let step = try await changing { [self] in
                // First the rows, durably, then the files, and both before anybody else may write: a crash in between leaves
                // files without need (`verify` finds them), never a need without its file. Who has written the same bytes
                // anew meanwhile finds out when the row is made (BlobRows).
                try write("purge what was deleted", .reserve) { db in
                    var step = PurgeStep(db: db, scope: scope, store: self)
                    return try step.run(isFirst: isFirst)
                } beforeUnlocking: { [layout] step in
                    for digest in step.digests { unlink(layout.blob(digest)) }
                }
            }
            report.items += step.items
            report.blobs += step.digests.count
            report.bytes += step.bytes
            if step.items + step.spread == 0 { break }
        }
        if report.items > 0 { try await changing { [self] in try giveBackSpace() } }
        return report
    }

    private func note(_ report: PurgeReport, _ action: String, of subject: String, by actor: String) async throws {
        guard report.items > 0 else { return }
        try await changing { [self] in
            try write("note a purge", .reserve) { db in
                try Audit.write(
                    db, actor: actor, action: action, subject: subject,
                    detail: "\(report.items) items, \(report.bytes) bytes")
            }
        }
    }
}

/// A row of `deletion`.
enum Deletion {
    /// As its time: it goes for good and cannot be restored. A purge that was interrupted is finished by the next purge of the same
    /// user's items, retention among them, since all else was deleted later.
    static let doomed: Int64 = 0

    /// In SQL, of a row.
    static let isRestorable = "purged_at IS NULL AND at > \(doomed)"
}

extension LibraryChange {
    /// With what was deleted with it, and, of a fund, with what was deleted in it before.
    func doom(_ item: LibraryItemID) throws {
        try execute(
            """
            UPDATE deletion SET at = \(Deletion.doomed) WHERE owner_id = ?1 AND purged_at IS NULL
                AND (kind = ?2 AND item_id = ?3 OR root_kind = ?2 AND root_id = ?3)
            """, [user, item.kind.rawValue, item.number])
        guard case .fund(let fund) = item else { return }
        for (kind, table) in [(ItemKind.file, "file"), (.folder, "folder"), (.note, "note"), (.email, "email")] {
            try execute(
                """
                UPDATE deletion SET at = \(Deletion.doomed) WHERE kind = ?1 AND owner_id = ?2 AND purged_at IS NULL
                    AND item_id IN (SELECT id FROM \(table) WHERE fund_id = ?3)
                """, [kind.rawValue, user, fund])
        }
    }
}
