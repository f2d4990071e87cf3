internal import Dispatch
package import FundCore

extension SQLDriveStore: DriveWatchStore {
    private func viewing<Value: Sendable>(
        _ operation: String, of user: User.ID, _ body: @escaping @Sendable (WatchRows) throws -> Value
    ) async throws -> Value {
        try await connection.readers.run(.look, for: user) { [connection] in
            try connection.read(operation) { try body(WatchRows(db: $0)) }
        }
    }

    private func changing<Value: Sendable>(
        _ operation: String, _ room: WriteRoom = .free, _ body: @escaping @Sendable (WatchRows) throws -> Value
    ) async throws -> Value {
        try await connection.writing(operation, room, on: connection.queues.changes) { try body(WatchRows(db: $0)) }
    }

    package func watches(of user: User.ID) async throws -> [DriveWatch] {
        try await viewing("list watched folders", of: user) {
            try $0.watches(where: "watch.user_id = ? ORDER BY watch.id", [user])
        }
    }

    package func watch(_ id: DriveWatch.ID, of user: User.ID) async throws -> DriveWatch {
        let operation = "find a watched folder"
        return try await viewing(operation, of: user) { try $0.watch(id, of: user, operation) }
    }

    package func addWatch(_ watch: NewDriveWatch, of user: User.ID) async throws -> DriveWatch {
        let operation = "watch a folder"
        return try await changing(operation) { try $0.add(watch, of: user, operation) }
    }

    package func changeWatch(
        _ id: DriveWatch.ID, _ change: DriveWatchChange, of user: User.ID
    ) async throws -> DriveWatch {
        let operation = "change a watched folder"
        return try await changing(operation) { try $0.change(id, change, of: user, operation) }
    }

    package func removeWatch(_ id: DriveWatch.ID, of user: User.ID) async throws {
        let operation = "remove a watched folder"
        try await changing(operation, .reserve) { try $0.remove(id, of: user, operation) }
    }

    /// Files that are named at most.
    private static let maxRefused = 100

    package func refusedFiles(of id: DriveWatch.ID, _ user: User.ID) async throws -> [WatchedFile] {
        let operation = "list files that cannot be filed"
        return try await viewing(operation, of: user) { rows in
            _ = try rows.watch(id, of: user, operation)
            return try WatchFileRows(db: rows.db, watch: id).files(
                where: """
                    gone_at IS NULL AND state IN ('refused', 'unmoved') ORDER BY name \(SQL.limit(Self.maxRefused))
                    """)
        }
    }
}

extension SQLDriveStore: WatchRegister {
    package func nextWatch(besides others: Set<User.ID>) async throws -> DriveWatch? {
        let operation = "look for a watched folder"
        while true {
            let found = try await connection.reading(operation) { db in
                let rows = WatchRows(db: db)
                return try rows.next(besides: others).map { (watch: $0, hasPlace: try rows.hasPlace($0)) }
            }
            guard let found else { return nil }
            guard !found.hasPlace else { return found.watch }
            try await changing(operation, .reserve) { rows in
                if try !rows.hasPlace(found.watch) { try rows.stop(found.watch, operation) }
            }
        }
    }

    package func watchedFiles(of id: DriveWatch.ID) async throws -> [WatchedFile] {
        try await connection.reading("read a watched folder") { try WatchFileRows(db: $0, watch: id).files() }
    }

    package func noteLook(_ findings: WatchFindings, of watch: DriveWatch) async throws -> WatchNote {
        let operation = "note a look at a watched folder"
        return try await changing(operation) { rows in
            let db = rows.db
            let current = try rows.watches(where: "watch.id = ?", [watch.id]).first
            let isBusy = try db.exists(
                "SELECT 1 FROM drive_transfer WHERE watch_id = ? AND ended_at IS NULL", [watch.id])
            guard let current, current.state == .on, current.revision == watch.revision, !isBusy else {
                throw StoreError(.conflict, operation, "it was changed meanwhile")
            }
            guard try rows.hasPlace(current) else {
                try rows.stop(current, operation)
                return .stopped
            }
            try WatchFileRows(db: db, watch: watch.id).write(findings)
            let isBegun = try Self.begin(findings.pulled, of: current, db, operation)
            let minutes = findings.isEarly ? 1 : current.rules.minutes
            let now = Timestamp.now
            try db.execute(
                """
                UPDATE drive_watch SET looked_at = ?, due_at = ?, folders = ? WHERE id = ?
                """, [now, now + .seconds(60 * minutes), findings.folders, watch.id])
            if findings.pulled.isEmpty, !findings.putsAway { try rows.noteWorking(watch.id) }
            if !findings.written.isEmpty || !findings.removed.isEmpty || current.problem != nil {
                try DriveRows(db: db, user: watch.user).noteChange()
            }
            return isBegun ? .begun : .idle
        }
    }

    package func mayPutAway(_ watch: DriveWatch) async throws -> Bool {
        try await connection.reading("look at a watched folder") { try WatchRows(db: $0).isCurrent(watch) }
    }

    package func noteWorking(_ watch: DriveWatch) async throws {
        try await changing("note a look at a watched folder", .reserve) { rows in
            guard try rows.isCurrent(watch) else { return }
            try rows.noteWorking(watch.id)
            if watch.problem != nil { try DriveRows(db: rows.db, user: watch.user).noteChange() }
        }
    }

    /// Begins the transfer of files that hold still; false where none are, or as many transfers of the user wait as
    /// may: the next look tries again.
    private static func begin(
        _ names: [String], of watch: DriveWatch, _ db: Database, _ operation: String
    ) throws -> Bool {
        let paths = names.compactMap(watch.path.appending)
        guard !paths.isEmpty else { return false }
        let new = NewDriveTransfer(drive: watch.drive, work: .pull(paths, into: watch.place))
        do {
            let transfer = try TransferRows(db: db).add(new, of: watch.user, operation)
            try db.execute("UPDATE drive_transfer SET watch_id = ? WHERE id = ?", [watch.id, transfer.id])
            return true
        } catch let error as StoreError where error.problem == .tooManyTransfers {
            return false
        }
    }

    package func noteFailedLook(_ problem: DriveProblem, _ detail: String?, of id: DriveWatch.ID) async throws {
        try await changing("note a look at a watched folder", .reserve) { rows in
            let db = rows.db
            guard let watch = try rows.watches(where: "watch.id = ? AND watch.state = 'on'", [id]).first else { return }
            let pause = max(
                .seconds(60 * watch.rules.minutes), try rows.noteFailure(problem, detail, isFirst: false, of: id))
            let now = Timestamp.now
            try db.execute(
                "UPDATE drive_watch SET looked_at = ?, due_at = ? WHERE id = ?", [now, now + pause, id])
            if watch.problem != problem { try DriveRows(db: db, user: watch.user).noteChange() }
        }
    }

    // MARK: Files

    private func changingFiles(
        of id: DriveWatch.ID, _ body: @escaping @Sendable (WatchFileRows) throws -> Void
    ) async throws {
        try await changing("note a file of a watched folder", .reserve) { rows in
            try body(WatchFileRows(db: rows.db, watch: id))
        }
    }

    package func noteMarking(_ name: String, as target: String, of id: DriveWatch.ID) async throws {
        try await changingFiles(of: id) { try $0.noteMarking(name, as: target) }
    }

    package func notePutAway(
        _ name: String, marked: (name: String, content: String, isSame: Bool)?, of id: DriveWatch.ID
    ) async throws {
        try await changingFiles(of: id) { try $0.notePutAway(name, marked: marked) }
    }

    package func noteUnmoved(_ name: String, _ problem: DriveProblem, of id: DriveWatch.ID) async throws {
        try await changingFiles(of: id) { try $0.noteUnmoved(name, problem) }
    }

    package func noteRefused(
        _ path: DrivePath, _ problem: DriveProblem, of transfer: DriveTransfer.ID
    ) async throws {
        try await changing("note a file of a watched folder", .reserve) { rows in
            let id: DriveWatch.ID? = try rows.db.value(
                "SELECT watch_id FROM drive_transfer WHERE id = ? AND state = 'running'", [transfer])
            guard let id, let name = path.name else { return }
            let files = WatchFileRows(db: rows.db, watch: id)
            if problem.isOfOneFile {
                try files.noteRefused(name, problem)
            } else {
                try files.noteFailure(name, problem)
            }
        }
    }
}
