internal import Dispatch
internal import Foundation
package import FundCore

/// Drives of users, and the register of what is on its way between drives and funds.
package struct SQLDriveStore: DriveStore {
    let connection: StoreConnection
    let pulled: PulledFiles
    let parts: PulledPartFiles

    init(connection: StoreConnection, log: StoreLog) {
        self.connection = connection
        (pulled, parts) = (PulledFiles(connection, log), PulledPartFiles(log))
    }

    private func reading<Value: Sendable>(
        _ operation: String, of user: User.ID, _ body: @escaping @Sendable (DriveRows) throws -> Value
    ) async throws -> Value {
        try await connection.readers.run(.look, for: user) { [connection] in
            try connection.read(operation) { try body(DriveRows(db: $0, user: user)) }
        }
    }

    private func changing<Value: Sendable>(
        _ operation: String, _ room: WriteRoom = .free, of user: User.ID,
        _ body: @escaping @Sendable (DriveRows) throws -> Value
    ) async throws -> Value {
        try await connection.writing(operation, room, on: connection.queues.changes) {
            try body(DriveRows(db: $0, user: user))
        }
    }

    private func seal() async throws -> DriveSeal {
        try await connection.running("open the key of the store") { [connection] in
            DriveSeal(serverKey: try ServerKey.load(connection.location, owner: connection.owner))
        }
    }

    // MARK: Drives

    package func drives(of user: User.ID) async throws -> [Drive] {
        try await reading("list drives", of: user) { try $0.drives() }
    }

    package func drive(_ id: Drive.ID, of user: User.ID) async throws -> Drive {
        let operation = "find a drive"
        return try await reading(operation, of: user) { try $0.drive(id, operation) }
    }

    package func addDrive(_ drive: NewDrive, of user: User.ID) async throws -> Drive {
        let operation = "add a drive"
        let (name, seal) = (try LibraryName.checked(drive.name, operation), try await seal())
        return try await changing(operation, of: user) { try $0.add(drive, named: name, seal, operation) }
    }

    package func checkNewDrive(named name: String, of user: User.ID) async throws {
        let operation = "add a drive"
        let name = try LibraryName.checked(name, operation)
        try await reading(operation, of: user) { try $0.checkNew(name, operation) }
    }

    package func renameDrive(_ id: Drive.ID, to name: String, of user: User.ID) async throws -> Drive {
        let operation = "rename a drive"
        let name = try LibraryName.checked(name, operation)
        return try await changing(operation, of: user) { try $0.rename(id, to: name, operation) }
    }

    package func changeDrive(_ id: Drive.ID, _ settings: DriveSettings, of user: User.ID) async throws -> Drive {
        let (operation, seal) = ("change a drive", try await seal())
        return try await changing(operation, of: user) { try $0.change(id, settings, seal, operation) }
    }

    package func removeDrive(_ id: Drive.ID, of user: User.ID) async throws {
        let operation = "remove a drive"
        try await changing(operation, .reserve, of: user) { try $0.remove(id, operation) }
        await removeParts()
    }

    package func driveAccess(_ id: Drive.ID, of user: User.ID) async throws -> DriveAccess {
        let operation = "open a drive"
        let sealed = try await reading(operation, of: user) { try $0.sealed(id, operation) }
        return DriveAccess(
            drive: sealed.drive, settings: try await seal().open(sealed.settings, of: id, user),
            revision: sealed.revision)
    }

    package func keepToken(_ token: String, of id: Drive.ID, ifRevision revision: Int64) async throws -> Bool {
        let (operation, seal) = ("keep the token of a drive", try await seal())
        return try await connection.writing(operation, .reserve, on: connection.queues.changes) { db in
            let owner: User.ID? = try db.value(
                "SELECT user_id FROM drive WHERE id = ? AND revision = ?", [id, revision])
            guard let owner else { return false }
            let sealed = try DriveRows(db: db, user: owner).sealed(id, operation)
            var settings = try seal.open(sealed.settings, of: id, owner)
            settings.token = token
            try db.execute(
                "UPDATE drive SET settings = ?, revision = revision + 1 WHERE id = ?",
                [Data(try seal.seal(settings, of: id, owner)), id])
            return true
        }
    }

    /// Longer than a token endpoint may take to answer.
    private static let tokenWait = Duration.seconds(45)

    package func tokenLease(of id: Drive.ID) async throws -> (any MailboxLease)? {
        try await DispatchQueue.runAlone("fundmail.drives.lease") { [connection] in
            try DiskDirectory.make(connection.location.leases, isPrivate: true, owner: connection.owner)
            return try connection.leases.take(.driveTokens(id), waitingUpTo: Self.tokenWait)
        }
    }

    package func noteProblem(_ problem: DriveProblem?, of id: Drive.ID) async throws {
        let operation = "note the state of a drive"
        let isNoted = try await connection.reading(operation) { db in
            try db.exists(
                "SELECT 1 FROM drive WHERE id = ? AND coalesce(problem, '') = ?", [id, problem?.rawValue ?? ""])
        }
        guard !isNoted else { return }
        try await connection.writing(operation, on: connection.queues.changes) { db in
            try db.execute("UPDATE drive SET problem = ? WHERE id = ?", [problem?.rawValue, id])
            let owner: User.ID? = try db.value("SELECT user_id FROM drive WHERE id = ?", [id])
            if let owner { try DriveRows(db: db, user: owner).noteChange() }
        }
    }

    // MARK: Transfers

    package func transfers(of user: User.ID, _ page: PageQuery) async throws -> ListPage<DriveTransfer> {
        try await reading("list transfers", of: user) { rows in
            try page.list { cursor, count in
                try TransferRows(db: rows.db).transfers(
                    where: "user_id = ? AND id < ? ORDER BY id DESC \(SQL.limit(count))",
                    [user, cursor?.numbers[0] ?? Int64.max])
            }
        }
    }

    package func transfer(_ id: DriveTransfer.ID, of user: User.ID) async throws -> DriveTransfer {
        let operation = "find a transfer"
        return try await reading(operation, of: user) {
            try TransferRows(db: $0.db).transfer(id, of: user, operation)
        }
    }

    package func addTransfer(_ transfer: NewDriveTransfer, of user: User.ID) async throws -> DriveTransfer {
        let operation = "begin a transfer"
        return try await changing(operation, of: user) {
            try TransferRows(db: $0.db).add(transfer, of: user, operation)
        }
    }

    package func cancelTransfer(_ id: DriveTransfer.ID, of user: User.ID) async throws {
        let operation = "cancel a transfer"
        try await changing(operation, .reserve, of: user) { drives in
            let rows = TransferRows(db: drives.db)
            let transfer = try rows.transfer(id, of: user, operation)
            if let watch = transfer.watch, !transfer.state.isEnded { try WatchRows(db: drives.db).pause(watch) }
            switch transfer.state {
            case .queued: try rows.end(transfer, as: .cancelled, nil, nil, operation)
            case .running: try drives.db.execute("UPDATE drive_transfer SET is_cancelled = 1 WHERE id = ?", [id])
            case .done, .failed, .cancelled: throw StoreError(.conflict, operation, "it has ended")
            }
        }
        await removeParts()
    }

    package func retryTransfer(_ id: DriveTransfer.ID, of user: User.ID) async throws {
        let operation = "try a transfer again"
        try await changing(operation, of: user) { drives in
            let rows = TransferRows(db: drives.db)
            let transfer = try rows.transfer(id, of: user, operation)
            guard transfer.state == .failed || transfer.state == .cancelled else {
                throw StoreError(.conflict, operation, "it has not failed")
            }
            // A look that began before would take what it files for new.
            guard transfer.watch == nil else {
                throw StoreError(.conflict, operation, "its watched folder begins another one by itself")
            }
            try rows.checkMayWait(user, operation)
            try drives.db.execute(
                """
                UPDATE drive_transfer SET state = 'queued', is_cancelled = 0, due_at = ?, ended_at = NULL,
                    problem = NULL, detail = NULL WHERE id = ?
                """, [Timestamp.now, id])
            try drives.noteChange()
        }
    }

    // MARK: Versions

    package func driveVersion(of user: User.ID) async throws -> Int64 {
        try await reading("read the version of drives", of: user) { rows in
            try rows.db.value("SELECT number FROM drive_version WHERE user_id = ?", [user]) ?? 0
        }
    }

    package func changedDrives(after number: Int64?) async throws -> ChangedLibraries {
        try await connection.reading("read whose drives changed") { db in
            let latest: Int64 = try db.value("SELECT max(number) FROM drive_version") ?? 0
            let users: [User.ID] =
                try number.map { try db.values("SELECT user_id FROM drive_version WHERE number > ?", [$0]) } ?? []
            return ChangedLibraries(number: latest, owners: Set(users))
        }
    }
}

extension DriveTransfer: ListedItem {
    var cursor: ListCursor { ListCursor(id.rawValue) }
    var textBytes: Int { paths.reduce(detail?.utf8.count ?? 0) { $0 + $1.description.utf8.count } }
}
