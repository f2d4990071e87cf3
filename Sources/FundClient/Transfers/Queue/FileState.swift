internal import Foundation
internal import GRDB

/// Whether the bytes of a file are on this machine.
public enum FileState: Sendable, Hashable {
    /// On the server alone.
    case remote
    case queued
    /// - Parameters:
    ///   - bytes: of which so many are here.
    ///   - size: nil while that is not known.
    case downloading(bytes: Int64, size: Int64?)
    /// In the cache.
    case here
    /// The cache has what it was; the server has something newer.
    case outdated
    case failed(ClientError)
}

extension TransferQueue {
    /// The state of each of some files; those that the catalogue does not know are left out.
    public func states(of files: [FileID]) async throws(ClientError) -> [FileID: FileState] {
        let board = progressBoard.all
        return try await database.read { db in
            var states: [FileID: FileState] = [:]
            for file in files { states[file] = try Self.state(of: file, board, db) }
            return states
        }
    }

    /// Nil where the catalogue does not know it.
    public func state(of file: FileID) async throws(ClientError) -> FileState? { try await states(of: [file])[file] }

    private static func state(
        of file: FileID, _ board: [TransferID: ProgressBoard.Entry], _ db: Database
    ) throws -> FileState? {
        let known = try Row.fetchOne(
            db,
            sql: """
                SELECT EXISTS (SELECT 1 FROM object WHERE object.digest = file.digest) AS is_here,
                    EXISTS (SELECT 1 FROM local_copy JOIN object ON object.digest = local_copy.digest
                        WHERE local_copy.file = file.id) AS was_here
                FROM file WHERE id = ?
                """, arguments: [file.value])
        guard let known else { return nil }
        if known["is_here"] { return .here }
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT * FROM transfer WHERE item = ? AND item_kind = 'file' AND kind = 'download' AND path IS NULL
                    AND state IN ('waiting', 'running', 'paused', 'failed') ORDER BY id DESC LIMIT 1
                """, arguments: [file.value])
        let transfer = try row.map { try TransferRow(row: $0).transfer }
        switch transfer?.state {
        case .running?:
            let entry = transfer.flatMap { board[$0.id] }
            return .downloading(
                bytes: entry?.bytes ?? transfer?.bytes ?? 0, size: entry?.size ?? transfer?.size)
        case .waiting?, .paused?: return .queued
        case .failed?:
            return .failed(transfer?.failure ?? ClientError(.local, "unknown"))
        default: return known["was_here"] ? .outdated : .remote
        }
    }
}
