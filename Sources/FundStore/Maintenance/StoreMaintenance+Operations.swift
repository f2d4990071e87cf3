package import FundCore

extension StoreMaintenance {
    /// Whether the store takes writes now: a transaction that changes nothing, and a file. Throws `StoreError`.
    package func checkWritable() async throws {
        try await connection.queues.shared.run { [self] in
            try connection.write("try to write") { try $0.execute("UPDATE misroute SET id = id WHERE 1 = 0") }
            try StoreError.wrapping("try to write") {
                try log.segments.requireInPlace()
                let record = try log.makeLarge(.blob, origin: "")
                try [UInt8](repeating: 0, count: 4096).withUnsafeBytes { try record.append($0) }
                try record.finishBody()
            }
        }
    }

    /// The server that has the rows; nil for rows in the folder. Throws `unreachable` and others of asking it.
    package func databaseServer() async throws -> DatabaseServer? {
        guard case .server(let server) = connection.engine else { return nil }
        return try await connection.queues.shared.run { try server.look("look at the database") }
    }

    /// Waits of this process for bytes to become durable, since the store was opened.
    package var barrierDurations: DurationHistogram { log.syncDurations }

    /// Waits of this process's write transactions for their turn, behind those of any process, since the store was
    /// opened.
    package var lockWaits: DurationHistogram { connection.lockWaits }

    /// Fills the reserve of the disk up where part of it is missing. To be called now and then by what keeps running.
    package func refillReserve() async throws {
        try await connection.queues.shared.run { [connection] in
            guard connection.space.isReserveShort else { return }
            guard case .file = connection.engine else { return connection.space.refill() }
            try connection.locked("refill the reserve") { _ in connection.space.refill() }
        }
    }

    /// Bytes that are left for what users and mail bring in, beside what is kept back.
    package func freeBytes() async throws -> Int64 { try await connection.freeBytes() }

    /// Random number that tells this store from others, also after it was restored from a backup; 0 where it has none.
    package func storeNumber() async throws -> Int64 {
        try await connection.reading("read the store's number") { try StoreIdentity.of($0) ?? 0 }
    }

    /// Purges what was deleted before `time` (seconds since 1970), see `Purge`.
    package func purgeDeleted(before time: Timestamp) async throws -> PurgeReport {
        let operation = "forget deleted contacts"
        while try await connection.writing(
            operation, .reserve, on: connection.queues.changes,
            { db in
                try ContactRows.forget(before: time, db)
            }) > 0
        {}
        return try await purge.run(.before(time), action: .retention, subject: "deleted items", actor: "fundmail")
    }

    /// Purges all that a user, or every user, has deleted until now. Raw messages and misrouted mail stay.
    @discardableResult
    package func emptyTrash(of user: User.ID?, actor: String) async throws -> PurgeReport {
        var subject = "everybody"
        if let user {
            subject = try await connection.reading("empty the trash") {
                try UserRows.email(of: user, $0, "empty the trash")
            }
        }
        return try await purge.run(
            user.map { .all(of: $0) } ?? .everything, action: .trashEmpty, subject: subject, actor: actor)
    }

    /// Deleted items of each user that can still be restored, most bytes first.
    package func trash() async throws -> [TrashRecord] {
        try await connection.reading("look into the trash") { db in
            try db.rows(
                """
                SELECT "user".email, count(*), coalesce(sum(file.size), 0) AS bytes FROM deletion
                    JOIN "user" ON "user".id = deletion.owner_id
                    LEFT JOIN file ON deletion.kind = \(ItemKind.file.rawValue) AND file.id = deletion.item_id
                WHERE \(Deletion.isRestorable) GROUP BY "user".id ORDER BY bytes DESC, "user".email
                """
            ).map { TrashRecord(email: $0[0], items: $0[1], bytes: $0[2]) }
        }
    }
}

/// Items that one user has deleted and can still restore.
package struct TrashRecord: Sendable, Hashable {
    package var email: String
    package var items: Int
    /// Bytes of deleted files; fewer come free where others need the same bytes.
    package var bytes: Int64
}
