import FundCore

/// Transfers between drives and funds within one transaction.
struct TransferRows {
    let db: Database

    /// Transfers of a condition on `drive_transfer`.
    func transfers(where condition: String, _ arguments: SQLArguments) throws -> [DriveTransfer] {
        let rows = try db.rows(
            "SELECT \(Self.columns) FROM drive_transfer WHERE \(condition)", arguments, as: Self.transfer)
        return try rows.map { transfer in
            var transfer = transfer
            try db.forEach(
                "SELECT path, kind, item_id FROM drive_transfer_part WHERE transfer_id = ? ORDER BY number",
                [transfer.id]
            ) { row in
                let (path, kind): (String?, Int?) = (row[0], row[1])
                if let path = path.flatMap({ DrivePath($0) }) { transfer.paths.append(path) }
                if let kind = kind.flatMap(ItemKind.init), let number = row[2] as Int64? {
                    transfer.items.append(LibraryItemID(kind, number))
                }
                return true
            }
            return transfer
        }
    }

    func transfer(_ id: DriveTransfer.ID, of user: User.ID, _ operation: String) throws -> DriveTransfer {
        try transfers(where: "id = ? AND user_id = ?", [id, user]).one(operation, "there is no transfer \(id)")
    }

    /// A transfer that is carried out. Throws `notFound` when its drive was removed meanwhile, `conflict` when it is
    /// not running any more.
    func running(_ id: DriveTransfer.ID, _ operation: String) throws -> DriveTransfer {
        let transfer = try transfers(where: "id = ?", [id]).one(operation, "there is no transfer \(id)")
        guard transfer.state == .running else { throw StoreError(.conflict, operation, "it has ended") }
        return transfer
    }

    /// A transfer without its parts.
    struct Head {
        var user: User.ID
        var place: LibraryPlace?
        var watch: DriveWatch.ID?

        /// The place of a pull. Throws `placeGone` where it is not the user's any more.
        func checkedPlace(_ db: Database, _ operation: String) throws -> LibraryPlace {
            guard let place else { throw StoreError(.invalid, operation, "the transfer is no pull") }
            do { try LibraryView(db: db, user: user).check(place) } catch let error as StoreError
                where error.code == .notFound
            { throw DriveError(.placeGone) }
            return place
        }
    }

    /// The head of a transfer that is carried out: this is read for each file. Throws as `running`.
    func runningHead(_ id: DriveTransfer.ID, _ operation: String) throws -> Head {
        let heads = try db.rows(
            "SELECT state, user_id, fund_id, folder_id, watch_id FROM drive_transfer WHERE id = ?", [id]
        ) {
            let (state, fund, folder): (String, Fund.ID?, FolderEntry.ID?) = ($0[0], $0[2], $0[3])
            return (state, Head(user: $0[1], place: fund.map { LibraryPlace(fund: $0, folder: folder) }, watch: $0[4]))
        }
        let (state, head) = try heads.one(operation, "there is no transfer \(id)")
        guard state == DriveTransfer.State.running.rawValue else {
            throw StoreError(.conflict, operation, "it has ended")
        }
        return head
    }

    private static let columns = """
        id, user_id, drive_id, fund_id, folder_id, state, files, total_files, failed_files, bytes, total_bytes,
            added_at, ended_at, problem, detail, watch_id
        """

    private static func transfer(row: Row) throws -> DriveTransfer {
        guard let state = DriveTransfer.State(rawValue: row[5]) else {
            throw StoreError(.corrupted, "read a transfer", "its state is unknown")
        }
        let (fund, folder): (Fund.ID?, FolderEntry.ID?) = (row[3], row[4])
        let problem: String? = row[13]
        return DriveTransfer(
            id: row[0], user: row[1], drive: row[2], direction: fund == nil ? .push : .pull, paths: [],
            place: fund.map { LibraryPlace(fund: $0, folder: folder) }, state: state,
            progress: TransferProgress(
                files: row[6], totalFiles: row[7], failedFiles: row[8], bytes: row[9], totalBytes: row[10]),
            addedAt: row[11], endedAt: row[12], problem: problem.flatMap(DriveProblem.init), detail: row[14],
            watch: row[15])
    }

    // MARK: Changes

    /// Throws unless one more transfer of a user may wait: `notFound` for a disabled user, `invalid` with a problem at
    /// `DriveLimits.maxWaiting`.
    func checkMayWait(_ user: User.ID, _ operation: String) throws {
        try UserRows.checkEnabled(user, db, operation)
        let waiting: Int =
            try db.value("SELECT count(*) FROM drive_transfer WHERE user_id = ? AND ended_at IS NULL", [user]) ?? 0
        guard waiting < DriveLimits.maxWaiting else {
            throw StoreError(
                operation, InputProblem(.tooManyTransfers, "\(waiting) transfers wait: let some of them end first"))
        }
    }

    func add(_ new: NewDriveTransfer, of user: User.ID, _ operation: String) throws -> DriveTransfer {
        try checkMayWait(user, operation)
        _ = try DriveRows(db: db, user: user).drive(new.drive, operation)
        let (paths, items, place) = try parts(of: new, user, operation)
        guard !items.isEmpty || place != nil && !paths.isEmpty else {
            throw StoreError(operation, InputProblem(.transferEmpty, "nothing is chosen"))
        }
        guard max(paths.count, items.count) <= NewDriveTransfer.maxItems else {
            throw StoreError(
                operation,
                InputProblem(.transferTooLarge, "a transfer names at most \(NewDriveTransfer.maxItems) things"))
        }
        let folder = try new.newFolder.flatMap { name in
            let name = try LibraryName.checked(name, operation)
            return try place.map {
                try LibraryChange(db: db, user: user, limits: .none).addFolder(name, in: $0, operation)
            }
        }
        let now = Timestamp.now
        let id: DriveTransfer.ID = try db.insert(
            """
            INSERT INTO drive_transfer (user_id, drive_id, fund_id, folder_id, state, due_at, added_at)
            VALUES (?, ?, ?, ?, 'queued', ?, ?)
            """, [user, new.drive, place?.fund, folder ?? place?.folder, now, now])
        let insert = "INSERT INTO drive_transfer_part (transfer_id, number, path, kind, item_id) VALUES (?, ?, ?, ?, ?)"
        for (index, path) in paths.enumerated() { try db.execute(insert, [id, index, path.description, nil, nil]) }
        for (index, item) in items.enumerated() {
            try db.execute(insert, [id, paths.count + index, nil, item.kind.rawValue, item.number])
        }
        try noteChange(of: user)
        return try transfer(id, of: user, operation)
    }

    /// Throws `notFound` for a place or an item that is not the user's, and `invalid` for items that are no files.
    private func parts(
        of new: NewDriveTransfer, _ user: User.ID, _ operation: String
    ) throws -> (paths: [DrivePath], items: [LibraryItemID], place: LibraryPlace?) {
        let view = LibraryView(db: db, user: user)
        switch new.work {
        case .pull(let paths, let place):
            try view.check(place)
            return (paths, [], place)
        case .push(let items, let folder):
            for item in items {
                guard [.folder, .file].contains(item.kind) else {
                    throw StoreError(.invalid, operation, "files and folders alone are copied to drives")
                }
                try view.check(item)
            }
            return ([folder], items, nil)
        }
    }

    func end(
        _ transfer: DriveTransfer, as state: DriveTransfer.State, _ problem: DriveProblem?, _ detail: String?,
        _ operation: String
    ) throws {
        let now = Timestamp.now
        try db.execute(
            "UPDATE drive_transfer SET state = ?, ended_at = ?, problem = ?, detail = ? WHERE id = ?",
            [state.rawValue, now, problem?.rawValue, detail, transfer.id])
        let rows = DriveRows(db: db, user: transfer.user)
        let drive: String = try db.value("SELECT name FROM drive WHERE id = ?", [transfer.drive]) ?? ""
        let (files, failed) = (transfer.progress.files, transfer.progress.failedFiles)
        let words = "\(state.rawValue): \(files) files, \(failed) failed, \(transfer.progress.bytes) bytes"
        try rows.writeAudit(transfer.direction == .pull ? .drivePull : .drivePush, of: drive, words, operation)
        try WatchRows(db: db).noteEnd(of: transfer, as: state, problem, detail, operation)
        try rows.noteChange()
    }

    /// - Parameter file: nil for a file that is pulled.
    func isNoted(_ path: DrivePath, _ file: FileEntry.ID? = nil, of id: DriveTransfer.ID) throws -> Bool {
        try db.exists(
            "SELECT 1 FROM drive_transfer_file WHERE transfer_id = ? AND path = ? AND file_id = ?",
            [id, path.description, file?.rawValue ?? 0])
    }

    /// Notes that a transfer has a file.
    func note(
        _ path: DrivePath, _ file: FileEntry.ID? = nil, version: String? = nil, of id: DriveTransfer.ID
    ) throws {
        try db.execute(
            """
            INSERT INTO drive_transfer_file (transfer_id, path, file_id, version) VALUES (?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """, [id, path.description, file?.rawValue ?? 0, version])
    }

    func noteChange(of user: User.ID) throws { try DriveRows(db: db, user: user).noteChange() }

    static func remove(_ transfers: [DriveTransfer.ID], _ db: Database) throws {
        for id in transfers {
            try db.execute("DELETE FROM drive_transfer_part WHERE transfer_id = ?", [id])
            try db.execute("DELETE FROM drive_transfer_file WHERE transfer_id = ?", [id])
            try db.execute("DELETE FROM drive_transfer_target WHERE transfer_id = ?", [id])
            try db.execute("DELETE FROM drive_transfer WHERE id = ?", [id])
        }
    }
}
