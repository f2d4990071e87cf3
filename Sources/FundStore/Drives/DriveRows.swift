internal import Foundation
import FundCore

/// The drives of one user within one transaction.
struct DriveRows: OwnRows {
    let db: Database
    let user: User.ID

    /// A drive with its settings as they are kept.
    struct Sealed {
        var drive: Drive
        var settings: [UInt8]
        var revision: Int64
    }

    func drives() throws -> [Drive] {
        try db.rows(
            "SELECT \(Drive.columns) FROM drive WHERE user_id = ? ORDER BY name_key", [user], as: Drive.init(row:))
    }

    func drive(_ id: Drive.ID, _ operation: String) throws -> Drive {
        try db.rows(
            "SELECT \(Drive.columns) FROM drive WHERE id = ? AND user_id = ?", [id, user], as: Drive.init(row:)
        ).one(operation, "there is no drive \(id)")
    }

    func sealed(_ id: Drive.ID, _ operation: String) throws -> Sealed {
        let rows = try db.rows(
            "SELECT \(Drive.columns), settings, revision FROM drive WHERE id = ? AND user_id = ?", [id, user]
        ) { Sealed(drive: try Drive(row: $0), settings: [UInt8]($0[8] as Data), revision: $0[9]) }
        return try rows.one(operation, "there is no drive \(id)")
    }

    // MARK: Changes

    func add(_ new: NewDrive, named name: String, _ seal: DriveSeal, _ operation: String) throws -> Drive {
        try UserRows.checkEnabled(user, db, operation)
        try checkNew(name, operation)
        let (kind, host) = (new.settings.kind, new.settings.host)
        let id: Drive.ID = try db.insert(
            """
            INSERT INTO drive (user_id, name, name_key, kind, host, account, settings, revision, added_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)
            """,
            [user, name, FileName.key(name), kind.rawValue, host, new.settings.account, Data(), Timestamp.now])
        // The sealed bytes name the row, whose number is known by now.
        try db.execute(
            "UPDATE drive SET settings = ? WHERE id = ?", [Data(try seal.seal(new.settings, of: id, user)), id])
        try writeAudit(.driveAdd, of: name, "\(kind.rawValue) \(host)", operation)
        try noteChange()
        return try drive(id, operation)
    }

    /// Throws where one more drive of a name cannot be added.
    func checkNew(_ name: String, _ operation: String) throws {
        let count: Int = try db.value("SELECT count(*) FROM drive WHERE user_id = ?", [user]) ?? 0
        guard count < DriveLimits.maxDrives else {
            throw StoreError(operation, InputProblem(.tooManyDrives, "there are \(count) drives: remove one first"))
        }
        try checkFree(name, in: "drive", besides: nil as Drive.ID?, operation)
    }

    func rename(_ id: Drive.ID, to name: String, _ operation: String) throws -> Drive {
        let old = try drive(id, operation)
        try checkFree(name, in: "drive", besides: id, operation)
        guard old.name != name else { return old }
        try db.execute("UPDATE drive SET name = ?, name_key = ? WHERE id = ?", [name, FileName.key(name), id])
        try writeAudit(.driveRename, of: old.name, name, operation)
        try noteChange()
        return try drive(id, operation)
    }

    func change(
        _ id: Drive.ID, _ settings: DriveSettings, _ seal: DriveSeal, _ operation: String
    ) throws -> Drive {
        let old = try drive(id, operation)
        guard old.kind == settings.kind else {
            throw StoreError(.invalid, operation, "it is a drive of \(old.kind.title)")
        }
        try db.execute(
            """
            UPDATE drive SET settings = ?, host = ?, account = ?, revision = revision + 1, problem = NULL WHERE id = ?
            """, [Data(try seal.seal(settings, of: id, user)), settings.host, settings.account, id])
        try WatchRows(db: db).lookSoon(at: id)
        try writeAudit(.driveChange, of: old.name, "\(settings.kind.rawValue) \(settings.host)", operation)
        try noteChange()
        return try drive(id, operation)
    }

    /// Removes a drive with its transfers and watched folders: what carries one out ends when it finds none.
    /// - Parameter actor: the one who does it; nil for the user.
    func remove(_ id: Drive.ID, by actor: String? = nil, _ operation: String) throws {
        let drive = try drive(id, operation)
        let transfers: [DriveTransfer.ID] = try db.values("SELECT id FROM drive_transfer WHERE drive_id = ?", [id])
        try TransferRows.remove(transfers, db)
        try WatchRows(db: db).forget(try db.values("SELECT id FROM drive_watch WHERE drive_id = ?", [id]))
        try db.execute("DELETE FROM drive WHERE id = ?", [id])
        try writeAudit(.driveRemove, of: drive.name, "\(drive.kind.rawValue) \(drive.host)", by: actor, operation)
        try noteChange()
    }

    /// Numbers a change of the user's drives or transfers.
    func noteChange() throws {
        try db.execute(
            """
            INSERT INTO drive_version (user_id, number)
            VALUES (?, (SELECT coalesce(max(number), 0) + 1 FROM drive_version))
            ON CONFLICT (user_id) DO UPDATE SET number = excluded.number
            """, [user])
    }
}

extension Drive {
    /// Columns of a drive, in the order in which `init(row:)` reads them.
    static let columns = """
        drive.id, drive.user_id, drive.name, drive.kind, drive.host, drive.added_at, drive.problem, drive.account
        """

    init(row: Row) throws {
        guard let kind = DriveKind(rawValue: row[3]) else {
            throw StoreError(.corrupted, "read a drive", "its kind is unknown")
        }
        let problem: String? = row[6]
        self.init(
            id: row[0], user: row[1], name: row[2], kind: kind, host: row[4], account: row[7], addedAt: row[5],
            problem: problem.flatMap(DriveProblem.init))
    }
}
