internal import Dispatch
package import FundCore

/// Drives as administrators see them: without what signs in to them.
extension SQLDriveStore {
    /// Drives of all people, the oldest first.
    package func allDrives(_ page: PageQuery) async throws -> ListPage<OwnedDrive> {
        try await connection.reading("list drives") { db in
            try page.list { cursor, count in
                try Self.owned(
                    where: "drive.id > ? ORDER BY drive.id \(SQL.limit(count))", [cursor?.numbers[0] ?? 0], db)
            }
        }
    }

    /// Drives of people who are not disabled whose last operation failed, or of which a watched folder fails.
    package func failingDrives(atMost count: Int) async throws -> [OwnedDrive] {
        try await connection.reading("list failing drives") { db in
            try Self.owned(
                where: """
                    (drive.problem IS NOT NULL OR EXISTS (
                        SELECT 1 FROM drive_watch AS watch WHERE watch.drive_id = drive.id AND \(Self.fails)
                    )) AND "user".is_disabled = 0 ORDER BY drive.id LIMIT ?
                    """, [count], db)
        }
    }

    /// One drive of anybody. Throws `notFound`.
    package func ownedDrive(_ id: Drive.ID) async throws -> OwnedDrive {
        let operation = "find the drive \(id)"
        return try await connection.reading(operation) { db in
            try Self.owned(where: "drive.id = ?", [id], db).one(operation, "there is no drive \(id)")
        }
    }

    /// Forgets a drive of anybody, its secrets and its transfers. Throws `notFound`.
    package func removeDrive(_ id: Drive.ID, actor: String) async throws -> OwnedDrive {
        let operation = "remove the drive \(id)"
        return try await connection.administering(operation, .reserve, by: actor) { db in
            let owned = try Self.owned(where: "drive.id = ?", [id], db).one(operation, "there is no drive \(id)")
            try DriveRows(db: db, user: owned.drive.user).remove(id, by: actor, operation)
            return owned
        }
    }

    /// A condition on `watch`, as `DriveWatch.isFailing`.
    private static let fails = "watch.problem IS NOT NULL AND watch.state <> 'paused'"

    private static func owned(where condition: String, _ arguments: SQLArguments, _ db: Database) throws -> [OwnedDrive]
    {
        try db.rows(
            """
            SELECT \(Drive.columns), "user".email,
                (SELECT count(*) FROM drive_watch AS watch WHERE watch.drive_id = drive.id),
                (SELECT count(*) FROM drive_watch AS watch WHERE watch.drive_id = drive.id AND \(fails)),
                (SELECT watch.problem FROM drive_watch AS watch WHERE watch.drive_id = drive.id AND \(fails)
                    ORDER BY watch.id LIMIT 1)
            FROM drive JOIN "user" ON "user".id = drive.user_id WHERE \(condition)
            """, arguments
        ) { row in
            let problem: String? = row[11]
            return OwnedDrive(
                drive: try Drive(row: row), owner: row[8], watches: row[9], failingWatches: row[10],
                watchProblem: problem.flatMap(DriveProblem.init))
        }
    }
}

extension OwnedDrive: ListedItem {
    var cursor: ListCursor { ListCursor(drive.id.rawValue) }
}
