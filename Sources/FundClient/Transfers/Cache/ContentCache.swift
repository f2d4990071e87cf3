internal import Foundation
internal import GRDB

/// Contents that are on this machine, by their digest: a file that was renamed, moved or copied need not be loaded
/// again. Each lies in `objects/ab/cdef…` and is never changed; `.part` behind a name is a download that is not
/// finished. Every change of a name happens within a transaction of the database, so that several processes may use
/// one cache.
public final class ContentCache: Sendable {
    /// Seconds after the last use in which a content is not removed: an app may be about to open it.
    private static let graceSeconds: Int64 = 10

    let database: ClientDatabase
    let folder: String
    /// Limits of the cache.
    public let limits: CacheLimits

    /// - Parameter catalogue: whose favourites are pinned.
    public init(of catalogue: Catalogue, limits: CacheLimits = CacheLimits()) {
        database = catalogue.database
        folder = catalogue.folder + "/objects"
        self.limits = limits
    }

    /// Path of a content, whether it is there or not.
    func path(of digest: Digest) -> String {
        let name = digest.description
        return "\(folder)/\(name.prefix(2))/\(name.dropFirst(2))"
    }

    func partPath(of digest: Digest) -> String { path(of: digest) + ".part" }

    /// The file with a content, and notes that it is used now; nil where it is not there. It may be removed later as
    /// the least recently used one; a file that is open stays readable. It is not to be changed.
    public func file(with digest: Digest) async throws(ClientError) -> String? {
        let (path, now) = (path(of: digest), Date().column)
        return try await database.write { db in
            let size = try Int64.fetchOne(
                db, sql: "SELECT size FROM object WHERE digest = ?", arguments: [digest.column])
            guard let size else { return nil }
            guard let status = try LocalFiles.existing(path), status.kind == .file, status.size == size else {
                try Self.forget(digest, db)
                return nil
            }
            try db.execute(
                sql: "UPDATE object SET used_at = ? WHERE digest = ?", arguments: [now, digest.column])
            return path
        }
    }

    /// Whether a content is there, without use of it.
    public func holds(_ digest: Digest) async throws(ClientError) -> Bool {
        try await database.read { db in
            try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM object WHERE digest = ?)", arguments: [digest.column]) ?? false
        }
    }

    /// Size of all contents together.
    public func byteCount() async throws(ClientError) -> Int64 {
        try await database.read { try Int64.fetchOne($0, sql: "SELECT bytes FROM object_total") ?? 0 }
    }

    /// Keeps a content, whether it is there yet or not, until it is unpinned. Those of favourites are kept anyway.
    public func pin(_ digest: Digest) async throws(ClientError) {
        try await database.write { db in
            try db.execute(sql: "INSERT OR IGNORE INTO pin VALUES (?)", arguments: [digest.column])
        }
    }

    /// A content may be removed again when there is no room.
    public func unpin(_ digest: Digest) async throws(ClientError) {
        try await database.write { db in
            try db.execute(sql: "DELETE FROM pin WHERE digest = ?", arguments: [digest.column])
        }
    }

    /// Removes a content: it was found damaged.
    func remove(_ digest: Digest) async throws(ClientError) {
        let path = path(of: digest)
        try await database.write { db in
            try Self.forget(digest, db)
            try LocalFiles.remove(path)
        }
    }

    /// A finished part becomes a content. Its bytes are those of the digest, and are on the disk.
    func adopt(_ digest: Digest, size: Int64) async throws(ClientError) {
        let (path, part, now) = (path(of: digest), partPath(of: digest), Date().column)
        try await database.write { db in
            try LocalFiles.rename(part, replacing: path)
            try LocalFiles.flush(LocalFiles.folder(of: path))
            try Self.note(digest, size: size, usedAt: now, db)
        }
        try await makeRoom()
    }

    static func note(_ digest: Digest, size: Int64, usedAt: Int64, _ db: Database) throws {
        // Not OR REPLACE: that would not run the trigger of the deletion.
        try forget(digest, db)
        try db.execute(sql: "INSERT INTO object VALUES (?, ?, ?)", arguments: [digest.column, size, usedAt])
    }

    static func forget(_ digest: Digest, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM object WHERE digest = ?", arguments: [digest.column])
    }

    /// Removes contents until the rest is within the limits: what expired, then the least recently used.
    /// - Returns: how many it removed.
    @discardableResult
    public func makeRoom() async throws(ClientError) -> Int {
        let now = Date().column
        let expired = limits.expiry.map { now - $0.components.seconds } ?? Int64.min
        let budget = limits.budget
        let paths = { @Sendable (digest: Digest) in self.path(of: digest) }
        return try await database.write { db in
            var total = try Int64.fetchOne(db, sql: "SELECT bytes FROM object_total") ?? 0
            let oldest = try Int64.fetchOne(db, sql: "SELECT min(used_at) FROM object") ?? Int64.max
            guard total > budget || oldest < expired else { return 0 }
            var victims: [Digest] = []
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT digest, size, used_at FROM object WHERE used_at <= ?
                        AND NOT EXISTS (SELECT 1 FROM pin WHERE pin.digest = object.digest)
                        AND NOT EXISTS (SELECT 1 FROM file WHERE file.digest = object.digest AND file.is_favourite)
                    ORDER BY used_at
                    """, arguments: [now - Self.graceSeconds])
            while let row = try rows.next(), total > budget || row["used_at"] < expired {
                victims.append(try Digest(column: row["digest"]))
                total -= row["size"]
            }
            for digest in victims {
                try Self.forget(digest, db)
                try LocalFiles.remove(paths(digest))
            }
            return victims.count
        }
    }
}
