internal import Foundation
internal import GRDB

/// A row of `transfer` with what only the process that transfers it needs.
struct TransferRow: Sendable {
    var transfer: Transfer
    var digest: Digest?
    /// Digest of the content to which the part beside the destination belongs.
    var partDigest: Digest?
    var landing: String?
    var upload: String?
    var stamp: String?
    /// Attempts that brought wrong bytes.
    var damages: Int

    init(row: Row) throws {
        digest = try (row["digest"] as Data?).map { try Digest(column: $0) }
        partDigest = try (row["part_digest"] as Data?).map { try Digest(column: $0) }
        (landing, upload, stamp) = (row["landing"], row["upload"], row["stamp"])
        damages = row["damages"]
        let work = try Self.work(row)
        var failure: ClientError?
        if let code = row["failure_code"] as String? {
            failure = ClientError(ClientError.Code(rawValue: code) ?? .local, row["failure"] ?? "")
        }
        let result: String? = row["result"]
        var (destination, file) = (String?.none, FileID?.none)
        switch work {
        case .download(let download): destination = result ?? download.destination
        case .upload: file = result.flatMap { Int64($0) }.map(FileID.init)
        }
        transfer = Transfer(
            id: TransferID(row["id"]), work: work, name: row["name"],
            state: Transfer.State(rawValue: row["state"]) ?? .failed, priority: row["priority"], size: row["size"],
            bytes: row["bytes"], attempts: row["attempts"],
            nextAttemptAt: (row["next_attempt_at"] as Int64?).map { Date(milliseconds: $0) }, failure: failure,
            destination: destination, file: file, digest: digest, createdAt: Date(milliseconds: row["created_at"]),
            finishedAt: (row["finished_at"] as Int64?).map { Date(milliseconds: $0) })
    }

    private static func work(_ row: Row) throws -> Transfer.Work {
        let ifTaken = IfTaken(rawValue: row["if_taken"]) ?? .number
        if row["kind"] as String == "upload" {
            let target: Upload.Target
            if let file = row["item"] as Int64? {
                target = .content(
                    of: FileID(file), ifMatch: try (row["if_match"] as Data?).map { try Digest(column: $0) })
            } else {
                target = .new(
                    name: row["name"], fund: FundID(row["fund"] ?? 0),
                    folder: (row["folder"] as Int64?).map(FolderID.init), ifTaken: ifTaken)
            }
            return .upload(
                Upload(row["path"] ?? "", to: target, contentType: row["content_type"] ?? "application/octet-stream"))
        }
        let id: Int64 = row["item"] ?? 0
        let item: ContentSource =
            switch row["item_kind"] as String? {
            case "attachment": .attachment(AttachmentID(id))
            case "email": .email(EmailID(id))
            default: .file(FileID(id))
            }
        return .download(
            Download(
                item, name: row["name"], digest: try (row["digest"] as Data?).map { try Digest(column: $0) },
                size: row["size"], isExact: row["is_exact"], to: row["path"], ifTaken: ifTaken,
                modifiedAt: (row["modified_at"] as Int64?).map { Date(milliseconds: $0) }))
    }

    /// Adds a row.
    /// - Parameter position: among those of its priority.
    static func insert(
        _ work: Transfer.Work, priority: Int, position: Int64, _ batch: TransferBatch?, _ db: Database
    ) throws -> TransferID {
        var values: [String: (any DatabaseValueConvertible)?] = [
            "state": Transfer.State.waiting.rawValue, "priority": priority, "bytes": 0, "attempts": 0,
            "is_exact": false,
            "created_at": Date().milliseconds, "position": position, "batch": batch?.name,
        ]
        switch work {
        case .download(let download):
            let (kind, id) = download.item.columns
            values.merge([
                "kind": "download", "name": download.name, "item_kind": kind, "item": id, "path": download.destination,
                "if_taken": download.ifTaken.rawValue, "digest": download.digest?.column, "size": download.size,
                "is_exact": download.isExact, "modified_at": download.modifiedAt?.milliseconds,
            ]) { $1 }
        case .upload(let upload):
            values.merge(["kind": "upload", "path": upload.source, "content_type": upload.contentType]) { $1 }
            switch upload.target {
            case .new(let name, let fund, let folder, let ifTaken):
                values.merge([
                    "name": name, "fund": fund.value, "folder": folder?.value, "if_taken": ifTaken.rawValue,
                ]) { $1 }
            case .content(let file, let digest):
                values.merge([
                    "name": LocalFiles.name(of: upload.source), "item": file.value, "if_match": digest?.column,
                    "if_taken": IfTaken.replace.rawValue,
                ]) { $1 }
            }
        }
        let columns = values.keys.sorted()
        try db.cachedStatement(
            sql: """
                INSERT INTO transfer (\(columns.joined(separator: ", ")))
                VALUES (\(columns.map { ":\($0)" }.joined(separator: ", ")))
                """
        ).execute(arguments: StatementArguments(values))
        return TransferID(db.lastInsertedRowID)
    }
}

extension ContentSource {
    /// Values of the columns `item_kind` and `item`.
    var columns: (kind: String, id: Int64) {
        switch self {
        case .file(let id): ("file", id.value)
        case .attachment(let id): ("attachment", id.value)
        case .email(let id): ("email", id.value)
        }
    }
}

extension Date {
    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// Since 1970.
    var milliseconds: Int64 { Int64(clamped: timeIntervalSince1970 * 1000) }
}
