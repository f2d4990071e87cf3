internal import Foundation
internal import GRDB

/// Work that was begun: new files that have no row yet, and deletes whose row is still there. All calls throw
/// `SyncLocalError`.
extension SyncState {
    // MARK: Deletes on the server

    /// Before the server hears of it.
    func noteDeleting(_ ids: [BaseRow.ID]) throws {
        try writing { db in
            for id in ids {
                try db.cachedStatement(sql: "INSERT OR IGNORE INTO deleting VALUES (?)").execute(arguments: [id])
            }
        }
    }

    /// Forgets what a run that was killed had deleted on the server: what is put back here since is new.
    func forgetDeleted(in places: any RemotePlaces) throws {
        // Asked first: at most looks there are none, and a transaction that writes costs more.
        let noted = try reading { try Int64.fetchAll($0, sql: "SELECT item FROM deleting") }
        if noted.isEmpty { return }
        try writing { db in
            for id in noted {
                if let row = try BasePlaces(db).row(id), try places.node(row.remote) == nil {
                    try Self.remove(id, db)
                }
            }
            try db.execute(sql: "DELETE FROM deleting")
        }
    }

    // MARK: New files

    /// Before the other side can have them: before the first byte goes, or the part gets its name.
    func noteUnrecorded(_ files: [UnrecordedFile]) throws {
        if files.isEmpty { return }
        try writing { db in
            let statement = try db.cachedStatement(
                sql: "INSERT OR REPLACE INTO unrecorded VALUES (?, ?, ?, ?, ?, ?, ?)")
            for file in files {
                let print = file.fingerprint
                try statement.execute(arguments: [
                    Int64(bitPattern: print.inode), print.size, print.modified, print.changed,
                    Self.text(file.parent), file.name, Data(file.digest.bytes),
                ])
            }
        }
    }

    /// Forgets a file whose row is written.
    static func forgetUnrecorded(_ name: String, inode: Int64, _ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM unrecorded WHERE inode = ? AND name = ?").execute(
            arguments: [inode, name])
    }

    /// Files whose row is not written.
    func unrecordedFiles() throws -> [UnrecordedFile] {
        return try reading { db in
            try Row.fetchAll(db, sql: "SELECT * FROM unrecorded").compactMap { row in
                guard let digest = Digest(bytes: row["digest"] as Data) else { return nil }
                let print = Fingerprint(
                    inode: UInt64(bitPattern: row["inode"]), size: row["size"], modified: row["modified"],
                    changed: row["changed"])
                return UnrecordedFile(
                    parent: Self.key(row["place"]), name: row["name"], digest: digest, fingerprint: print)
            }
        }
    }

    /// Writes the rows of those that arrived, where neither the file nor its name has one, and forgets the others.
    func recordArrived(_ arrived: [(file: UnrecordedFile, node: RemoteNode)]) throws {
        try writing { db in
            func row(of key: RemoteKey) throws -> BaseRow.ID? {
                try Int64.fetchOne(
                    db, sql: "SELECT id FROM item WHERE kind = ? AND remote = ?",
                    arguments: [key.kind.rawValue, key.id])
            }
            for (file, node) in arrived {
                let parent = try file.parent.map { try row(of: $0) }
                // A file in a folder without a row waits until that has one.
                if let parent, parent == nil { continue }
                let named = try Int64.fetchOne(
                    db, sql: "SELECT id FROM item WHERE parent IS ? AND name = ?",
                    arguments: [parent ?? nil, node.name])
                guard try named == nil && row(of: node.key) == nil else { continue }
                _ = try Self.save(
                    BaseRow(
                        id: 0, parent: parent ?? nil, name: node.name, remote: node.key, digest: node.digest,
                        fingerprint: file.fingerprint), db)
            }
            try db.execute(sql: "DELETE FROM unrecorded")
        }
    }

    private static func text(_ parent: RemoteKey?) -> String { parent.map { "\($0.kind.rawValue) \($0.id)" } ?? "top" }

    private static func key(_ text: String) -> RemoteKey? {
        let parts = text.split(separator: " ").compactMap { Int64($0) }
        guard parts.count == 2, let kind = SyncKind(rawValue: Int(parts[0])) else { return nil }
        return RemoteKey(kind: kind, id: parts[1])
    }
}
