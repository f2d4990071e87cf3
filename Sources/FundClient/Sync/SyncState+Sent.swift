internal import Foundation
internal import GRDB

/// New files whose sending was begun. All calls throw `SyncLocalError`.
extension SyncState {
    /// Before its first byte goes.
    func noteSending(_ file: SentFile) throws {
        let print = file.fingerprint
        do {
            try queue.write { db in
                try db.cachedStatement(sql: "INSERT OR REPLACE INTO sent VALUES (?, ?, ?, ?, ?, ?, ?)").execute(
                    arguments: [
                        Self.text(file.parent), file.name, Data(file.digest.bytes), Int64(bitPattern: print.inode),
                        print.size, print.modified, print.changed,
                    ])
            }
        } catch { throw Self.failure(error) }
    }

    /// Its row is written.
    func forgetSending(_ name: String, in parent: RemoteKey?) throws {
        do {
            try queue.write { db in
                try db.cachedStatement(sql: "DELETE FROM sent WHERE place = ? AND name = ?").execute(
                    arguments: [Self.text(parent), name])
            }
        } catch { throw Self.failure(error) }
    }

    /// Those whose row is not written.
    func sentFiles() throws -> [SentFile] {
        do {
            return try queue.read { db in
                try Row.fetchAll(db, sql: "SELECT * FROM sent").compactMap { row in
                    guard let digest = Digest(bytes: row["digest"] as Data) else { return nil }
                    let print = Fingerprint(
                        inode: UInt64(bitPattern: row["inode"]), size: row["size"], modified: row["modified"],
                        changed: row["changed"])
                    return SentFile(
                        parent: Self.key(row["place"]), name: row["name"], digest: digest, fingerprint: print)
                }
            }
        } catch { throw Self.failure(error) }
    }

    /// Writes the rows of those that arrived, where neither the file nor its name has one, and forgets the others.
    func noteArrived(_ arrived: [(file: SentFile, node: RemoteNode)]) throws {
        do {
            try queue.write { db in
                func row(of key: RemoteKey) throws -> BaseRow.ID? {
                    try Int64.fetchOne(
                        db, sql: "SELECT id FROM item WHERE kind = ? AND remote = ?",
                        arguments: [key.kind.rawValue, key.id])
                }
                for (file, node) in arrived {
                    let parent = try file.parent.map { try row(of: $0) }
                    // Of a folder without a row: the file waits until that has one.
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
                try db.execute(sql: "DELETE FROM sent")
            }
        } catch { throw Self.failure(error) }
    }

    private static func text(_ parent: RemoteKey?) -> String { parent.map { "\($0.kind.rawValue) \($0.id)" } ?? "top" }

    private static func key(_ text: String) -> RemoteKey? {
        let parts = text.split(separator: " ").compactMap { Int64($0) }
        guard parts.count == 2, let kind = SyncKind(rawValue: Int(parts[0])) else { return nil }
        return RemoteKey(kind: kind, id: parts[1])
    }
}
