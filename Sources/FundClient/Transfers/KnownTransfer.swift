internal import Foundation
internal import GRDB

/// A transfer that the queue has already, and is not done with. For a batch, one that failed is one of them.
struct KnownTransfer {
    let id: TransferID

    /// Nil when the queue has none that does the same.
    init?(of work: Transfer.Work, isBatch: Bool, _ db: Database) throws {
        let states = isBatch ? "'waiting', 'running', 'paused', 'failed'" : "'waiting', 'running', 'paused'"
        let found: Int64?
        switch work {
        case .download(let download): found = try Self.find(download, states, db)
        case .upload(let upload): found = try Self.find(upload, states, db)
        }
        guard let found else { return nil }
        id = TransferID(found)
    }

    /// A file of a person is made once, whichever bytes it had when it was asked for; the cache may hold several.
    private static func find(_ download: Download, _ states: String, _ db: Database) throws -> Int64? {
        let (kind, item) = download.item.columns
        guard let path = download.destination else {
            return try Int64.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT id FROM transfer WHERE item = ? AND state IN (\(states))
                            AND kind = 'download' AND item_kind = ?
                            AND path IS NULL AND digest IS ?
                        """), arguments: [item, kind, download.digest?.column])
        }
        return try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT id FROM transfer WHERE path = ? AND state IN (\(states))
                        AND kind = 'download' AND item_kind = ?
                        AND item = ?
                    """), arguments: [path, kind, item])
    }

    private static func find(_ upload: Upload, _ states: String, _ db: Database) throws -> Int64? {
        switch upload.target {
        case .new(let name, let fund, let folder, _):
            try Int64.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT id FROM transfer WHERE path = ? AND state IN (\(states))
                            AND kind = 'upload' AND item IS NULL
                            AND fund = ? AND folder IS ? AND name = ?
                        """), arguments: [upload.source, fund.value, folder?.value, name])
        case .content(let file, let digest):
            try Int64.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT id FROM transfer WHERE path = ? AND state IN (\(states))
                            AND kind = 'upload' AND item = ?
                            AND if_match IS ?
                        """), arguments: [upload.source, file.value, digest?.column])
        }
    }

    /// It is wanted again, as `work` says now. One that runs ends as it began.
    func take(_ work: Transfer.Work, _ batch: TransferBatch?, _ db: Database) throws {
        guard let batch else { return }
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
