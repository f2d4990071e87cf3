import FundCore
internal import Glibc

/// An upload that can be resumed, as its row has it.
struct UploadRow: Sendable {
    let key: UploadKey
    let user: User.ID
    var goal: UploadGoal
    /// A name that its file has, for `salvage`.
    var name: String
    var contentType: String
    var length: Int64?
    /// Salt of its segment-to-be.
    var salt: UInt64
    var syncedBytes: Int64
    var boot: String
    var createdAt: Timestamp
    var touchedAt: Timestamp
    var file: FileEntry.ID?
    /// Modification time of the file, as its owner's program has it; nil for when it is complete.
    var modifiedAt: Timestamp?
}

/// Rows of uploads, within one transaction.
struct UploadRows {
    /// Limit of incomplete uploads of one user.
    static let maxOfUser = 100

    /// This start of the machine.
    static let boot: String = {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = bytes.withUnsafeMutableBytes { SystemCall.fill($0, from: descriptor, at: 0) }
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).filter { !$0.isWhitespace }
    }()

    private static let columns = """
        key, user_id, fund_id, folder_id, name, if_taken, replaced_id, replaced_digest, content_type, length, salt,
            synced_bytes, boot, created_at, touched_at, file_id, modified_at
        """

    let db: Database

    /// Throws `tooMany` when the user has enough that are not complete.
    func insert(_ row: UploadRow) throws {
        let operation = "begin an upload"
        let count: Int =
            try db.value(
                "SELECT count(*) FROM upload WHERE user_id = ? AND file_id IS NULL", [row.user]) ?? 0
        guard count < Self.maxOfUser else {
            throw StoreError(.tooMany, operation, "there are \(count) uploads that are not complete")
        }
        let goal = GoalColumns(row.goal)
        try db.execute(
            "INSERT INTO upload (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                row.key.text, row.user, goal.fund, goal.folder, row.name, goal.conflict, goal.file, goal.digest,
                row.contentType, row.length, Int64(bitPattern: row.salt), row.syncedBytes, row.boot, row.createdAt,
                row.touchedAt, row.file, row.modifiedAt,
            ])
    }

    /// The upload of a user. Throws `notFound`.
    func row(_ key: UploadKey, of user: User.ID) throws -> UploadRow {
        try fetch("key = ? AND user_id = ?", [key.text, user]).one("look for an upload", "there is no such thing")
    }

    /// Uploads without a byte since a time.
    func untouched(since time: Timestamp) throws -> [UploadRow] { try fetch("touched_at < ?", [time]) }

    func incompleteKeys() throws -> Set<String> {
        Set(try db.values("SELECT key FROM upload WHERE file_id IS NULL"))
    }

    private func fetch(_ condition: String, _ arguments: SQLArguments) throws -> [UploadRow] {
        let sql = "SELECT \(Self.columns) FROM upload WHERE \(condition)"
        return try db.rows(sql, arguments) { row in
            guard let key = UploadKey(row[0]) else {
                throw StoreError(.corrupted, "look for an upload", "its row has no key")
            }
            let goal: UploadGoal
            if let file: FileEntry.ID = row[6] {
                goal = .content(of: file, ifStill: row[7])
            } else {
                let place = LibraryPlace(fund: row[2], folder: row[3])
                goal = .file(FileTarget(row[4], in: place, ifTaken: GoalColumns.conflicts[min(max(row[5], 0), 2)]))
            }
            let salt: Int64 = row[10]
            return UploadRow(
                key: key, user: row[1], goal: goal, name: row[4], contentType: row[8], length: row[9],
                salt: UInt64(bitPattern: salt), syncedBytes: row[11], boot: row[12], createdAt: row[13],
                touchedAt: row[14], file: row[15], modifiedAt: row[16])
        }
    }

    /// Notes how many bytes are durable. A clock that was set back makes nothing older.
    func noteSynced(_ key: UploadKey, _ bytes: Int64, at time: Timestamp) throws {
        try db.execute(
            """
            UPDATE upload SET touched_at = CASE WHEN synced_bytes < ?2 THEN ?3 ELSE touched_at END,
                synced_bytes = ?2, boot = ?4 WHERE key = ?1
            """, [key.text, bytes, time, Self.boot])
    }

    /// Notes the length of the whole. Throws `conflict` when another was known.
    func noteLength(_ key: UploadKey, _ length: Int64) throws {
        let changed = try db.execute(
            "UPDATE upload SET length = ?2 WHERE key = ?1 AND (length IS NULL OR length = ?2)", [key.text, length])
        guard changed > 0 else {
            throw StoreError(.conflict, "note the length of an upload", "it was said to be another")
        }
    }

    /// Notes the file of a complete upload. Throws `notFound` when it was removed: then there must be no file.
    func noteComplete(_ key: UploadKey, _ file: FileEntry.ID, _ bytes: Int64, at time: Timestamp) throws {
        let changed = try db.execute(
            """
            UPDATE upload SET file_id = ?2, length = ?3, synced_bytes = ?3, touched_at = ?4
            WHERE key = ?1 AND file_id IS NULL
            """, [key.text, file, bytes, time])
        guard changed > 0 else { throw StoreError(.notFound, "complete an upload", "it was removed meanwhile") }
    }

    func remove(_ key: UploadKey) throws { try db.execute("DELETE FROM upload WHERE key = ?", [key.text]) }
}

private struct GoalColumns {
    static let conflicts: [NameConflict] = [.refuse, .number, .replace]

    var fund: Fund.ID?
    var folder: FolderEntry.ID?
    var conflict = 0
    var file: FileEntry.ID?
    var digest: ContentDigest?

    init(_ goal: UploadGoal) {
        switch goal {
        case .file(let target):
            (fund, folder) = (target.place.fund, target.place.folder)
            conflict = Self.conflicts.firstIndex(of: target.ifTaken) ?? 0
        case .content(let file, let digest): (self.file, self.digest) = (file, digest)
        }
    }
}
