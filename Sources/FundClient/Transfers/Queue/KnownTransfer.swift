internal import Foundation
internal import GRDB

/// A transfer that the queue has already, and is not done with.
struct KnownTransfer {
    let id: TransferID

    /// Nil when the queue has none that does the same, for all that is known.
    init?(of work: Transfer.Work, _ db: Database) throws {
        guard case .download(let download) = work else { return nil }
        let (kind, item) = download.item.columns
        let found = try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT id FROM transfer WHERE item = ? AND state IN ('waiting', 'running', 'paused')
                        AND kind = 'download' AND item_kind = ? AND path IS ? AND digest IS ?
                    """), arguments: [item, kind, download.destination, download.digest?.column])
        guard let found else { return nil }
        id = TransferID(found)
    }

    /// For a batch: one for the same names here and there, whichever bytes were meant, also when it failed. Nil where
    /// there is none, or none but what another living process waits for.
    /// - Parameters:
    ///   - batch: nil for one that has nothing yet.
    ///   - marks: the folder of the marks of processes.
    init?(resuming work: Transfer.Work, for batch: TransferBatch?, marks: String, _ db: Database) throws {
        let found: [Row]
        switch work {
        case .download(let download):
            let (kind, item) = download.item.columns
            found = try Self.find(
                db, "kind = 'download' AND item_kind = ? AND item = ?", download.destination, [kind, item])
        case .upload(let upload):
            switch upload.target {
            case .new(let name, let fund, let folder, _):
                found = try Self.find(
                    db, "kind = 'upload' AND item IS NULL AND fund = ? AND folder IS ? AND name = ?", upload.source,
                    [fund.value, folder?.value, name])
            case .content(let file, let digest):
                found = try Self.find(
                    db, "kind = 'upload' AND item = ? AND if_match IS ?", upload.source,
                    [file.value, digest?.column])
            }
        }
        let free = found.first { row in
            guard let other: String = row[1], other != batch?.name else { return true }
            return ProcessMark.isGone(other, in: marks)
        }
        guard let free else { return nil }
        id = TransferID(free[0])
    }

    private static func find(
        _ db: Database, _ condition: String, _ path: String?, _ arguments: [(any DatabaseValueConvertible)?]
    ) throws -> [Row] {
        guard let path else { return [] }
        return try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id, batch FROM transfer WHERE path = ?
                        AND state IN ('waiting', 'running', 'paused', 'failed') AND \(condition) ORDER BY id DESC
                    """), arguments: StatementArguments([path] + arguments))
    }

    /// It is wanted again, as `work` says now. One that runs ends as it began.
    func take(_ work: Transfer.Work, _ batch: TransferBatch, _ db: Database) throws {
        try db.cachedStatement(sql: "UPDATE transfer SET batch = ?, attempts = 0 WHERE id = ?")
            .execute(arguments: [batch.name, id.value])
        var values: [String: (any DatabaseValueConvertible)?] = ["id": id.value]
        switch work {
        case .download(let download):
            values["if_taken"] = download.ifTaken.rawValue
            values["digest"] = download.digest?.column
            values["size"] = download.size
            values["modified_at"] = download.modifiedAt?.milliseconds
        case .upload(let upload):
            if case .new(_, _, _, let ifTaken) = upload.target { values["if_taken"] = ifTaken.rawValue }
        }
        let sets = values.keys.sorted().map { "\($0) = :\($0)" }.joined(separator: ", ")
        try db.cachedStatement(
            sql: """
                UPDATE transfer SET \(sets), state = 'waiting', next_attempt_at = NULL, failure_code = NULL,
                    failure = NULL, finished_at = NULL, damages = 0
                WHERE id = :id AND state IN ('waiting', 'paused', 'failed')
                """
        ).execute(arguments: StatementArguments(values))
    }
}
