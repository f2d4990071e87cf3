internal import Foundation
internal import GRDB

extension ContentCache {
    /// Result of a sweep.
    public struct Sweep: Sendable, Hashable {
        /// Contents that no row knew: a process died between a rename and its row. They are kept.
        public var adoptedCount = 0
        /// Rows whose content is gone.
        public var missingCount = 0
        /// Unfinished parts that nothing waits for.
        public var partCount = 0
        /// Contents that expired, or for which there was no room.
        public var removedCount = 0
    }

    /// Puts right what ended processes left, and keeps the limits. Harmless beside other processes at work.
    @discardableResult
    public func sweep() async throws(ClientError) -> Sweep {
        var sweep = Sweep()
        for prefix in LocalFiles.names(in: folder) where prefix.count == 2 {
            for name in LocalFiles.names(in: "\(folder)/\(prefix)") {
                let path = "\(folder)/\(prefix)/\(name)"
                if name.hasSuffix(".part") {
                    if try await removePart(path, of: Digest(hex: prefix + name.dropLast(5))) { sweep.partCount += 1 }
                } else if let digest = Digest(hex: prefix + name), try await adoptUnknown(digest, at: path) {
                    sweep.adoptedCount += 1
                }
            }
        }
        sweep.missingCount = try await forgetMissing()
        sweep.removedCount = try await makeRoom()
        return sweep
    }

    private func removePart(_ path: String, of digest: Digest?) async throws(ClientError) -> Bool {
        let limit = Date().column - limits.partExpiry.components.seconds
        return try await database.write { db in
            guard let status = try LocalFiles.existing(path), status.modified / 1_000_000_000 < limit else {
                return false
            }
            let isWanted = try digest.map { digest in
                try Bool.fetchOne(
                    db,
                    sql: """
                        SELECT EXISTS (SELECT 1 FROM transfer
                            WHERE digest = ? AND kind = 'download' AND state IN ('waiting', 'running', 'paused'))
                        """, arguments: [digest.column])
            }
            guard isWanted != true else { return false }
            try LocalFiles.remove(path)
            return true
        }
    }

    /// Removes the part of a download that was given up, unless another waits for it or has it open.
    func removePart(of digest: Digest) async {
        let path = partPath(of: digest)
        _ = try? await database.write { db in
            let isWanted = try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM transfer WHERE digest = ? AND kind = 'download'
                        AND state IN ('waiting', 'running', 'paused'))
                    """, arguments: [digest.column])
            if isWanted != true { try LocalFiles.remove(path) }
        }
    }

    private func adoptUnknown(_ digest: Digest, at path: String) async throws(ClientError) -> Bool {
        try await database.write { db in
            let isKnown = try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM object WHERE digest = ?)", arguments: [digest.column])
            guard isKnown == false, let status = try LocalFiles.existing(path), status.kind == .file else {
                return false
            }
            try Self.note(digest, size: status.size, usedAt: status.modified / 1_000_000_000, db)
            return true
        }
    }

    private func forgetMissing() async throws(ClientError) -> Int {
        let paths = { @Sendable (digest: Digest) in self.path(of: digest) }
        return try await database.write { db in
            let all = try Data.fetchAll(db, sql: "SELECT digest FROM object").map { try Digest(column: $0) }
            let missing = try all.filter { try LocalFiles.existing(paths($0)) == nil }
            for digest in missing { try Self.forget(digest, db) }
            return missing.count
        }
    }
}
