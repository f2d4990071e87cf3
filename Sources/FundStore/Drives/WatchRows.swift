import FundCore

/// Watched folders within one transaction.
struct WatchRows {
    let db: Database

    // MARK: Reading

    private static let waiting = "file.state IN ('waiting', 'due')"
    private static let refused = "file.state IN ('refused', 'unmoved')"

    private static func count(_ condition: String) -> String {
        """
        (SELECT count(*) FROM drive_watch_file AS file
            WHERE file.watch_id = watch.id AND file.gone_at IS NULL AND \(condition))
        """
    }

    /// Watched folders of a condition on `watch`, a row of `drive_watch`.
    func watches(where condition: String, _ arguments: SQLArguments) throws -> [DriveWatch] {
        try db.rows(
            """
            SELECT watch.id, watch.user_id, watch.drive_id, watch.path, watch.fund_id, watch.folder_id,
                watch.disposition, watch.subfolder, watch.minutes, watch.state, watch.added_at, watch.looked_at,
                watch.due_at, watch.problem, watch.detail, watch.files, watch.folders, watch.revision,
                \(Self.count(Self.waiting)), \(Self.count(Self.refused))
            FROM drive_watch AS watch WHERE \(condition)
            """, arguments, as: Self.watch)
    }

    private static func watch(row: Row) throws -> DriveWatch {
        let (path, problem): (String, String?) = (row[3], row[13])
        guard let disposition = DriveWatch.Disposition(rawValue: row[6]), let path = DrivePath(path),
            let state = DriveWatch.State(rawValue: row[9])
        else { throw StoreError(.corrupted, "read a watched folder", "its row cannot be") }
        let due: Timestamp = row[12]
        return DriveWatch(
            id: row[0], user: row[1], drive: row[2], path: path,
            place: LibraryPlace(fund: row[4], folder: row[5]),
            rules: WatchRules(disposition, folder: row[7], minutes: row[8]), state: state, addedAt: row[10],
            lookedAt: row[11], nextLookAt: state == .on ? due : nil, problem: problem.flatMap(DriveProblem.init),
            detail: row[14],
            counts: WatchCounts(filed: row[15], waiting: row[18], refused: row[19], folders: row[16]),
            revision: row[17])
    }

    func watch(_ id: DriveWatch.ID, of user: User.ID, _ operation: String) throws -> DriveWatch {
        try watches(where: "watch.id = ? AND watch.user_id = ?", [id, user]).one(
            operation, "there is no watched folder \(id)")
    }

    /// The next folder that is due: one of the user whose last look was the longest ago, and of theirs the one that is
    /// due for the longest time. A folder that is due later than any pause was put off before the clock went back, and
    /// is due now; a look of the future does not count, for the same reason.
    func next(besides others: Set<User.ID>) throws -> DriveWatch? {
        let (now, longest) = (Timestamp.now, Duration.seconds(60 * WatchRules.allowedMinutes.upperBound))
        return try watches(
            where: """
                watch.state = 'on' AND (watch.due_at <= ?1 OR watch.due_at > ?2)
                    AND NOT watch.user_id \(SQL.isAmong("?3"))
                    AND EXISTS (SELECT 1 FROM "user" WHERE "user".id = watch.user_id AND "user".is_disabled = 0)
                    AND NOT EXISTS (
                        SELECT 1 FROM drive_transfer AS transfer
                        WHERE transfer.watch_id = watch.id AND transfer.ended_at IS NULL)
                ORDER BY
                    coalesce(
                        (SELECT max(other.looked_at) FROM drive_watch AS other
                        WHERE other.user_id = watch.user_id AND other.looked_at <= ?1), 0),
                    watch.due_at, watch.id
                LIMIT 1
                """, [now, now + longest + DriveLimits.longestPause, SQL.list(others.map(\.rawValue).sorted())]
        ).first
    }

    /// Whether files may be filed where they should.
    func hasPlace(_ watch: DriveWatch) throws -> Bool {
        do { try LibraryView(db: db, user: watch.user).check(watch.place) } catch let error as StoreError
            where error.code == .notFound
        { return false }
        return true
    }

    /// Whether a folder is watched as it was when `watch` was read, into a place that is its owner's.
    func isCurrent(_ watch: DriveWatch) throws -> Bool {
        let current = try watches(where: "watch.id = ? AND watch.state = 'on'", [watch.id]).first
        guard let current, current.revision == watch.revision else { return false }
        return try hasPlace(current)
    }

    // MARK: Changes by the owner

    func add(_ new: NewDriveWatch, of user: User.ID, _ operation: String) throws -> DriveWatch {
        try UserRows.checkEnabled(user, db, operation)
        let drive = try DriveRows(db: db, user: user).drive(new.drive, operation)
        let count: Int = try db.value("SELECT count(*) FROM drive_watch WHERE user_id = ?", [user]) ?? 0
        guard count < DriveLimits.maxWatches else {
            throw StoreError(
                operation, InputProblem(.tooManyWatches, "there are \(count) watched folders: remove one first"))
        }
        let rules = try checked(new.rules, in: new.path, operation)
        try LibraryView(db: db, user: user).check(new.place)
        var place = new.place
        let isTaken = try db.exists(
            "SELECT 1 FROM drive_watch WHERE drive_id = ? AND path = ?", [new.drive, new.path.description])
        if isTaken { throw StoreError(operation, InputProblem(.watchTaken, "the folder is watched already")) }
        if let name = new.newFolder {
            let name = try LibraryName.checked(name, operation)
            place.folder = try LibraryChange(db: db, user: user, limits: .none).addFolder(name, in: place, operation)
        }
        let now = Timestamp.now
        let id: DriveWatch.ID = try db.insert(
            """
            INSERT INTO drive_watch (user_id, drive_id, path, fund_id, folder_id, disposition, subfolder, minutes,
                state, added_at, due_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'on', ?, ?)
            """,
            [
                user, new.drive, new.path.description, place.fund, place.folder, rules.disposition.rawValue,
                rules.folder, rules.minutes, now, now,
            ])
        let watch = try watch(id, of: user, operation)
        try writeAudit(.driveWatch, of: watch, drive.name, Self.words(watch), operation)
        return watch
    }

    func change(
        _ id: DriveWatch.ID, _ change: DriveWatchChange, of user: User.ID, _ operation: String
    ) throws -> DriveWatch {
        var watch = try watch(id, of: user, operation)
        watch.place = change.place ?? watch.place
        watch.rules.disposition = change.disposition ?? watch.rules.disposition
        watch.rules.folder = change.folder ?? watch.rules.folder
        watch.rules.minutes = change.minutes ?? watch.rules.minutes
        watch.rules = try checked(watch.rules, in: watch.path, operation)
        if change.place != nil || change.isOn == true { try LibraryView(db: db, user: user).check(watch.place) }
        if change.isOn == true {
            try UserRows.checkEnabled(user, db, operation)
            try WatchFileRows(db: db, watch: id).tryAgain()
        }
        if let isOn = change.isOn { watch.state = isOn ? .on : watch.state == .on ? .paused : watch.state }
        try db.execute(
            """
            UPDATE drive_watch SET fund_id = ?, folder_id = ?, disposition = ?, subfolder = ?, minutes = ?, state = ?,
                revision = revision + 1 WHERE id = ?
            """,
            [
                watch.place.fund, watch.place.folder, watch.rules.disposition.rawValue, watch.rules.folder,
                watch.rules.minutes, watch.state.rawValue, id,
            ])
        if let place = change.place {
            // Nothing more goes into the former place.
            try db.execute(
                "UPDATE drive_transfer SET fund_id = ?, folder_id = ? WHERE watch_id = ? AND ended_at IS NULL",
                [place.fund, place.folder, id])
        }
        if change.isOn == true {
            try noteWorking(id)
            try db.execute("UPDATE drive_watch SET due_at = ? WHERE id = ?", [Timestamp.now, id])
        }
        let changed = try self.watch(id, of: user, operation)
        let drive = try DriveRows(db: db, user: user).drive(watch.drive, operation)
        try writeAudit(.driveWatchChange, of: changed, drive.name, Self.words(changed), operation)
        return changed
    }

    func remove(_ id: DriveWatch.ID, of user: User.ID, _ operation: String) throws {
        let watch = try watch(id, of: user, operation)
        let drive = try DriveRows(db: db, user: user).drive(watch.drive, operation)
        let rows = TransferRows(db: db)
        for transfer in try rows.transfers(where: "watch_id = ? AND ended_at IS NULL", [id]) {
            if transfer.state == .queued {
                try rows.end(transfer, as: .cancelled, nil, nil, operation)
            } else {
                try db.execute("UPDATE drive_transfer SET is_cancelled = 1 WHERE id = ?", [transfer.id])
            }
        }
        try forget([id])
        try writeAudit(.driveUnwatch, of: watch, drive.name, Self.words(watch), operation)
    }

    func forget(_ watches: [DriveWatch.ID]) throws {
        for id in watches {
            try db.execute("DELETE FROM drive_watch_file WHERE watch_id = ?", [id])
            try db.execute("DELETE FROM drive_watch WHERE id = ?", [id])
        }
    }

    /// Has all watched folders of a drive looked at soon, and what could not be filed tried again: its settings were
    /// changed.
    func lookSoon(at drive: Drive.ID) throws {
        let ids: [DriveWatch.ID] = try db.values(
            "SELECT id FROM drive_watch WHERE drive_id = ? AND state = 'on'", [drive])
        for id in ids { try WatchFileRows(db: db, watch: id).tryAgain() }
        try db.execute(
            "UPDATE drive_watch SET due_at = ?, failures = 0 WHERE drive_id = ? AND state = 'on'",
            [Timestamp.now, drive])
    }

    private func checked(_ rules: WatchRules, in path: DrivePath, _ operation: String) throws -> WatchRules {
        var rules = rules
        guard WatchRules.allowedMinutes.contains(rules.minutes) else {
            throw StoreError(
                operation, InputProblem(.watchMinutes, "the time between looks is a minute to a day (1 to 1440)"))
        }
        rules.folder = try LibraryName.checked(rules.folder, operation)
        guard path.appending(rules.folder) != nil else {
            throw StoreError(operation, InputProblem(.nameTooLong, "the path of the folder would be too long"))
        }
        return rules
    }

    // MARK: Changes by the program

    /// The name under which the program itself stands in the audit trail.
    private static let program = "fundmail"

    /// Stops a folder whose place is gone.
    func stop(_ watch: DriveWatch, _ operation: String) throws {
        try db.execute(
            """
            UPDATE drive_watch SET state = 'stopped', problem = ?, detail = NULL, revision = revision + 1,
                looked_at = ? WHERE id = ? AND state = 'on'
            """, [DriveProblem.placeGone.rawValue, Timestamp.now, watch.id])
        let name: String = try db.value("SELECT name FROM drive WHERE id = ?", [watch.drive]) ?? ""
        try writeAudit(
            .driveWatchStop, of: watch, name, "\(watch.id): \(DriveProblem.placeGone.text)", by: Self.program,
            operation)
    }

    /// Forgets failures in a row.
    func noteWorking(_ id: DriveWatch.ID) throws {
        try db.execute("UPDATE drive_watch SET failures = 0, problem = NULL, detail = NULL WHERE id = ?", [id])
    }

    /// Notes one more failure in a row. Returns the pause after it.
    /// - Parameter isFirst: whether something succeeded before.
    func noteFailure(
        _ problem: DriveProblem?, _ detail: String?, isFirst: Bool, of id: DriveWatch.ID
    ) throws -> Duration {
        let before: Int = try isFirst ? 0 : db.value("SELECT failures FROM drive_watch WHERE id = ?", [id]) ?? 0
        try db.execute("UPDATE drive_watch SET failures = ? WHERE id = ?", [before + 1, id])
        if let problem {
            try db.execute(
                "UPDATE drive_watch SET problem = ?, detail = ? WHERE id = ?", [problem.rawValue, detail, id])
        }
        return WatchPace.pause(failures: before + 1)
    }

    /// Pauses the folder of a transfer that its owner cancelled: the next look would begin the same anew.
    func pause(_ id: DriveWatch.ID) throws {
        try db.execute(
            "UPDATE drive_watch SET state = 'paused', revision = revision + 1 WHERE id = ? AND state = 'on'", [id])
    }

    /// Notes the end of a transfer: the files that it did not file are looked at again, and those that it filed are
    /// moved or marked by the next look. A store that was listed and could not be read is asked less often.
    func noteEnd(
        of transfer: DriveTransfer, as state: DriveTransfer.State, _ problem: DriveProblem?, _ detail: String?,
        _ operation: String
    ) throws {
        guard let id = transfer.watch,
            let watch = try watches(where: "watch.id = ?", [id]).first, watch.state == .on
        else { return }
        if problem == .placeGone, try !hasPlace(watch) { return try stop(watch, operation) }
        let hasArrived = transfer.progress.files > 0
        try WatchFileRows(db: db, watch: id).countFailures(areTheirs: hasArrived)
        var pause = Duration.zero
        if state == .cancelled || problem?.isOfOneFile == false {
            pause = try noteFailure(problem, detail, isFirst: hasArrived, of: id)
        } else {
            try noteWorking(id)
            if state != .done { pause = WatchPace.pause(failures: 1) }
        }
        try db.execute("UPDATE drive_watch SET due_at = ? WHERE id = ?", [Timestamp.now + pause, id])
    }

    /// Says what a folder does, without names of files.
    private static func words(_ watch: DriveWatch) -> String {
        "\(watch.id): \(watch.state.rawValue), \(watch.rules.disposition.rawValue), every \(watch.rules.minutes) min, "
            + "fund \(watch.place.fund)"
    }

    private func writeAudit(
        _ action: AuditAction, of watch: DriveWatch, _ name: String, _ detail: String, by actor: String? = nil,
        _ operation: String
    ) throws {
        let rows = DriveRows(db: db, user: watch.user)
        try rows.writeAudit(action, of: name, detail, by: actor, operation)
        try rows.noteChange()
    }
}
