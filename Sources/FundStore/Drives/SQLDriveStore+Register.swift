internal import Dispatch
package import FundCore

extension SQLDriveStore: TransferRegister {
    package func transferLease() async throws -> (any MailboxLease)? {
        let operation = "take the transfers of drives"
        let lease = try await connection.running(operation) { [connection] in
            try connection.leases.take(.drives, waitingUpTo: .zero)
        }
        guard let lease else { return nil }
        do {
            try await connection.writing(operation, .reserve, on: connection.queues.changes) { db in
                let rows = TransferRows(db: db)
                for transfer in try rows.transfers(where: "state = 'running' AND is_cancelled = 1", []) {
                    try rows.end(transfer, as: .cancelled, nil, nil, operation)
                }
                try db.execute("UPDATE drive_transfer SET state = 'queued' WHERE state = 'running'")
            }
            await removeParts()
        } catch {
            lease.end()
            throw error
        }
        return lease
    }

    package func nextTransfer(besides others: Set<User.ID>) async throws -> DriveTransfer? {
        let operation = "begin a transfer"
        // Most calls find none, and write nothing.
        guard try await connection.reading(operation, { try Self.next(besides: others, $0) }) != nil else { return nil }
        return try await connection.writing(operation, on: connection.queues.changes) { db in
            guard let id = try Self.next(besides: others, db) else { return nil }
            try db.execute(
                """
                UPDATE drive_transfer SET state = 'running',
                    begun = (SELECT coalesce(max(begun), 0) + 1 FROM drive_transfer) WHERE id = ?
                """, [id])
            let transfer = try TransferRows(db: db).running(id, operation)
            try TransferRows(db: db).noteChange(of: transfer.user)
            return transfer
        }
    }

    /// The next transfer, of a user whose latest one began the longest ago. One that waits for longer than any pause
    /// waits for a clock that went back.
    private static func next(besides others: Set<User.ID>, _ db: Database) throws -> DriveTransfer.ID? {
        let now = Timestamp.now
        return try db.value(
            """
            SELECT transfer.id FROM drive_transfer AS transfer JOIN "user" ON "user".id = transfer.user_id
            WHERE transfer.state = 'queued' AND transfer.ended_at IS NULL
                AND (transfer.due_at <= ?1 OR transfer.due_at > ?2)
                AND "user".is_disabled = 0 AND NOT transfer.user_id \(SQL.isAmong("?3"))
            ORDER BY (SELECT max(begun) FROM drive_transfer AS other WHERE other.user_id = transfer.user_id),
                transfer.id
            LIMIT 1
            """, [now, now + DriveLimits.longestPause, SQL.list(others.map(\.rawValue).sorted())])
    }

    package func isTransferWaiting(besides others: Set<User.ID>) async throws -> Bool {
        try await connection.reading("look for a transfer") { try Self.next(besides: others, $0) } != nil
    }

    package func isCancelled(_ id: DriveTransfer.ID) async throws -> Bool {
        try await connection.reading("look at a transfer") { db in
            try !db.exists(
                """
                SELECT 1 FROM drive_transfer AS transfer JOIN "user" ON "user".id = transfer.user_id
                WHERE transfer.id = ? AND transfer.state = 'running' AND transfer.is_cancelled = 0
                    AND "user".is_disabled = 0
                """, [id])
        }
    }

    package func noteProgress(_ progress: TransferProgress, of id: DriveTransfer.ID) async throws {
        // A transfer that fails for want of room has to say so: the row does not grow.
        let operation = "note the progress of a transfer"
        try await connection.writing(operation, .reserve, on: connection.queues.changes) { db in
            let user: User.ID? = try db.value(
                "SELECT user_id FROM drive_transfer WHERE id = ? AND state = 'running'", [id])
            guard let user else { return }
            try db.execute(
                """
                UPDATE drive_transfer SET files = ?, total_files = ?, failed_files = ?, bytes = ?, total_bytes = ?
                WHERE id = ?
                """,
                [
                    progress.files, progress.totalFiles, progress.failedFiles, progress.bytes, progress.totalBytes, id,
                ])
            try TransferRows(db: db).noteChange(of: user)
        }
    }

    // MARK: Files

    package func addPulled(
        _ upload: StagedUpload, from path: DrivePath, version: String?, named name: String, in folder: [String],
        modifiedAt: Timestamp?, of id: DriveTransfer.ID
    ) async throws -> FileEntry? {
        guard let bytes = upload.owner as? UploadFile else {
            throw StoreError(.invalid, "add a file of a drive", "another store took the upload")
        }
        return try await pulled.add(
            PulledFile(
                upload: upload, bytes: bytes, path: path, version: version, name: LibraryName.cleaned(name),
                folder: folder, modifiedAt: modifiedAt, transfer: id))
    }

    package func addPulledFolder(_ folder: [String], of id: DriveTransfer.ID) async throws {
        let operation = "add a folder of a drive"
        try await connection.writing(operation, on: connection.queues.changes) { db in
            let transfer = try TransferRows(db: db).runningHead(id, operation)
            let place = try transfer.checkedPlace(db, operation)
            _ = try LibraryChange(db: db, user: transfer.user, limits: .none).folder(folder, below: place, operation)
        }
    }

    package func isPulled(_ path: DrivePath, of id: DriveTransfer.ID) async throws -> Bool {
        try await connection.reading("look for a file of a transfer") { try TransferRows(db: $0).isNoted(path, of: id) }
    }

    package func isPushed(_ file: PushedFile, of id: DriveTransfer.ID) async throws -> Bool {
        try await connection.reading("look for a file of a transfer") { db in
            try TransferRows(db: db).isNoted(file.path, file.id, of: id)
        }
    }

    package func notePushed(_ file: PushedFile, of id: DriveTransfer.ID) async throws {
        let operation = "note a file of a transfer"
        try await connection.writing(operation, .reserve, on: connection.queues.changes) { db in
            let rows = TransferRows(db: db)
            _ = try rows.runningHead(id, operation)
            try rows.note(file.path, file.id, of: id)
        }
    }

    package func noteWriting(_ target: DrivePath, for file: PushedFile, of id: DriveTransfer.ID) async throws {
        let operation = "note a file of a transfer"
        try await connection.writing(operation, .reserve, on: connection.queues.changes) { db in
            _ = try TransferRows(db: db).runningHead(id, operation)
            try db.execute(
                """
                INSERT INTO drive_transfer_target (transfer_id, target, path, file_id) VALUES (?, ?, ?, ?)
                ON CONFLICT (transfer_id, target) DO UPDATE SET path = excluded.path, file_id = excluded.file_id
                """, [id, target.description, file.path.description, file.id])
            // It is written under one name: what stands under an earlier one is another's.
            try db.execute(
                """
                DELETE FROM drive_transfer_target
                WHERE transfer_id = ? AND path = ? AND file_id = ? AND target <> ?
                """, [id, file.path.description, file.id, target.description])
        }
    }

    package func isWriting(_ target: DrivePath, for file: PushedFile, of id: DriveTransfer.ID) async throws -> Bool {
        try await connection.reading("look for a file of a transfer") { db in
            try db.exists(
                """
                SELECT 1 FROM drive_transfer_target
                WHERE transfer_id = ? AND target = ? AND path = ? AND file_id = ?
                """, [id, target.description, file.path.description, file.id])
        }
    }

    // MARK: Ends

    package func endTransfer(
        _ id: DriveTransfer.ID, as state: DriveTransfer.State, problem: DriveProblem?, detail: String?
    ) async throws {
        let operation = "end a transfer"
        try await connection.writing(operation, .reserve, on: connection.queues.changes) { db in
            let rows = TransferRows(db: db)
            // One whose drive was removed is not there any more.
            guard let transfer = try rows.transfers(where: "id = ? AND state = 'running'", [id]).first else { return }
            try rows.end(transfer, as: state, problem, detail, operation)
        }
        await removeParts()
    }

    package func deferTransfer(
        _ id: DriveTransfer.ID, until time: Timestamp, problem: DriveProblem?, detail: String?
    ) async throws {
        let operation = "put a transfer off"
        try await connection.writing(operation, .reserve, on: connection.queues.changes) { db in
            let rows = TransferRows(db: db)
            guard let transfer = try rows.transfers(where: "id = ? AND state = 'running'", [id]).first else { return }
            // A transfer that is cancelled while it fails does not wait.
            let isCancelled = try db.exists("SELECT 1 FROM drive_transfer WHERE id = ? AND is_cancelled = 1", [id])
            guard !isCancelled else { return try rows.end(transfer, as: .cancelled, nil, nil, operation) }
            try db.execute(
                "UPDATE drive_transfer SET state = 'queued', due_at = ?, problem = ?, detail = ? WHERE id = ?",
                [time, problem?.rawValue, detail, id])
            try rows.noteChange(of: transfer.user)
        }
        await removeParts()
    }

    /// Removes what came of large files of transfers that have ended. What this leaves goes with the next sweep.
    func removeParts() async {
        _ = try? await connection.running("remove parts of files of drives") { [parts] in try parts.sweep() }
    }

    /// Transfers of one transaction.
    private static let maxRemoved = 100

    package func removeOldTransfers(before time: Timestamp) async throws -> Int {
        try await connection.writing("remove old transfers", .reserve, on: connection.queues.changes) { db in
            let old: [DriveTransfer.ID] = try db.values(
                "SELECT id FROM drive_transfer WHERE ended_at < ? LIMIT \(Self.maxRemoved)", [time])
            try TransferRows.remove(old, db)
            return old.count
        }
    }
}
