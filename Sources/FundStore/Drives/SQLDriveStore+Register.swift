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

    /// The upload is noted already.
    private struct AlreadyPulled: Error {}

    package func addPulled(
        _ upload: StagedUpload, from path: DrivePath, version: String?, named name: String, in folder: [String],
        modifiedAt: Timestamp?, of id: DriveTransfer.ID
    ) async throws -> FileEntry? {
        let operation = "add a file of a drive"
        guard let file = upload.owner as? UploadFile else {
            throw StoreError(.invalid, operation, "another store took the upload")
        }
        let name = LibraryName.cleaned(name)
        return try await connection.queues.upload.run { [connection, log] in
            do {
                // An upload that must be refused anyway is refused before anything is made durable.
                let isKnown = try connection.read(operation) {
                    try Self.isKnown(upload.digest, named: name, from: path, of: id, $0, operation)
                }
                if isKnown {
                    // Asked again in the transaction: the file may have been deleted meanwhile.
                    let isNoted = try connection.write(operation, .reserve) { db in
                        try Self.noteKnown(upload.digest, named: name, from: path, version, of: id, db, operation)
                    }
                    if isNoted { return nil }
                }
                let generation = log.generation
                let record = try file.store(upload.digest)
                return try log.committing(operation, appendedIn: [generation]) { db in
                    let goal = try Self.goal(for: path, of: id, db, operation)
                    let change = LibraryChange(db: db, user: goal.user)
                    var target = FileTarget(
                        name, in: try change.folder(folder, below: goal.place, operation), ifTaken: .number)
                    target.modifiedAt = modifiedAt
                    let entry = try change.addFile(
                        upload.digest, size: upload.size, contentType: upload.contentType, record, at: target, operation
                    )
                    try Self.note(path, version: version, of: id, db)
                    try goal.watched?.noteFiled(version ?? "", upload.digest, as: entry.id, db)
                    return entry
                } records: { _ in
                    [record].compactMap(\.self)
                } orElse: {
                    record?.giveUp()
                }
            } catch is AlreadyPulled { return nil }
        }
    }

    package func addPulledFolder(_ folder: [String], of id: DriveTransfer.ID) async throws {
        let operation = "add a folder of a drive"
        try await connection.writing(operation, on: connection.queues.changes) { db in
            let transfer = try TransferRows(db: db).runningHead(id, operation)
            let place = try Self.checked(transfer.place, of: transfer.user, db, operation)
            _ = try LibraryChange(db: db, user: transfer.user).folder(folder, below: place, operation)
        }
    }

    /// The place of a pull. Throws `placeGone` where it is not the user's any more.
    private static func checked(
        _ place: LibraryPlace?, of user: User.ID, _ db: Database, _ operation: String
    ) throws -> LibraryPlace {
        guard let place else { throw StoreError(.invalid, operation, "the transfer is no pull") }
        do { try LibraryView(db: db, user: user).check(place) } catch let error as StoreError
            where error.code == .notFound
        { throw DriveError(.placeGone) }
        return place
    }

    /// The place of a file that a transfer brings.
    private struct Goal {
        var user: User.ID
        var place: LibraryPlace
        /// The file of the watched folder for which the transfer was begun; nil for other transfers.
        var watched: WatchedGoal?
    }

    /// The goal in a transfer that is carried out and does not have the file yet.
    private static func goal(
        for path: DrivePath, of id: DriveTransfer.ID, _ db: Database, _ operation: String
    ) throws -> Goal {
        let transfer = try TransferRows(db: db).runningHead(id, operation)
        if try isNoted(path, of: id, db) { throw AlreadyPulled() }
        let place = try checked(transfer.place, of: transfer.user, db, operation)
        let watched = try transfer.watch.map { try WatchedGoal(path, of: $0, db, operation) }
        return Goal(user: transfer.user, place: place, watched: watched)
    }

    /// Whether a watched file has nothing that its place does not have.
    private static func isKnown(
        _ digest: ContentDigest, named name: String, from path: DrivePath, of id: DriveTransfer.ID, _ db: Database,
        _ operation: String
    ) throws -> Bool {
        let goal = try goal(for: path, of: id, db, operation)
        return try goal.watched?.sameFile(
            as: digest, named: name, in: goal.place, LibraryView(db: db, user: goal.user)) != nil
    }

    /// Notes a watched file whose content is filed already, as one that was renamed or only touched; false where it is
    /// not filed any more.
    private static func noteKnown(
        _ digest: ContentDigest, named name: String, from path: DrivePath, _ version: String?,
        of id: DriveTransfer.ID, _ db: Database, _ operation: String
    ) throws -> Bool {
        let goal = try goal(for: path, of: id, db, operation)
        guard let watched = goal.watched,
            let file = try watched.sameFile(
                as: digest, named: name, in: goal.place, LibraryView(db: db, user: goal.user))
        else { return false }
        try note(path, version: version, of: id, db)
        try watched.noteFiled(version ?? "", digest, as: file, isNew: false, db)
        return true
    }

    /// - Parameter file: nil for a file that is pulled.
    private static func isNoted(
        _ path: DrivePath, _ file: FileEntry.ID? = nil, of id: DriveTransfer.ID, _ db: Database
    ) throws -> Bool {
        try db.exists(
            "SELECT 1 FROM drive_transfer_file WHERE transfer_id = ? AND path = ? AND file_id = ?",
            [id, path.description, file?.rawValue ?? 0])
    }

    private static func note(
        _ path: DrivePath, _ file: FileEntry.ID? = nil, version: String? = nil, of id: DriveTransfer.ID, _ db: Database
    ) throws {
        try db.execute(
            """
            INSERT INTO drive_transfer_file (transfer_id, path, file_id, version) VALUES (?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """, [id, path.description, file?.rawValue ?? 0, version])
    }

    package func isPulled(_ path: DrivePath, of id: DriveTransfer.ID) async throws -> Bool {
        try await connection.reading("look for a file of a transfer") { try Self.isNoted(path, of: id, $0) }
    }

    package func isPushed(_ file: PushedFile, of id: DriveTransfer.ID) async throws -> Bool {
        try await connection.reading("look for a file of a transfer") { db in
            try Self.isNoted(file.path, file.id, of: id, db)
        }
    }

    package func notePushed(_ file: PushedFile, of id: DriveTransfer.ID) async throws {
        let operation = "note a file of a transfer"
        try await connection.writing(operation, .reserve, on: connection.queues.changes) { db in
            _ = try TransferRows(db: db).runningHead(id, operation)
            try Self.note(file.path, file.id, of: id, db)
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
    }

    package func deferTransfer(
        _ id: DriveTransfer.ID, until time: Timestamp, problem: DriveProblem, detail: String?
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
                [time, problem.rawValue, detail, id])
            try rows.noteChange(of: transfer.user)
        }
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
