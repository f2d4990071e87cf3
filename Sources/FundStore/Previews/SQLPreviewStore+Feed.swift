package import FundCore

extension SQLPreviewStore: PreviewRegister {
    package func enqueueFiles(_ part: FeedPart, limit: Int, at time: Timestamp) async throws -> Int {
        let connection = connection
        return try await writing("order previews of files") { db in
            // Files that are not taken must stand behind the mark.
            guard try Self.room(db, forScans: false) >= limit else { return 0 }
            let marks = PreviewMarks(db: db)
            let found = try connection.read("find files") { store in
                let latest = try ChangeFeed.latest(store)
                try marks.begin(in: store, latest)
                return try part == .new
                    ? Self.newFiles(store, latest, marks, limit) : Self.oldFiles(store, marks, limit)
            }
            let priority: PreviewOrder.Priority = part == .new ? .fresh : .backfill
            let orders = found.map {
                PreviewOrder(RenditionKey($0.digest, .thumbnail), size: $0.size, priority).with(user: $0.user)
            }
            _ = try Self.add(try orders.filter { try !Self.isKnown($0, db) }, at: time, db)
            return found.count
        }
    }

    /// Files among the changes of people, one person after the other, and moves the marks behind them.
    private static func newFiles(
        _ store: Database, _ latest: LatestChanges, _ marks: PreviewMarks, _ limit: Int
    ) throws -> [PreviewedFile] {
        let sql = """
            SELECT change.seq, blob.digest, blob.size FROM change \(SQL.thenJoin) file ON file.id = change.item_id
                \(SQL.thenJoin) blob ON blob.id = file.blob_id
            WHERE change.user_id = ?1 AND change.seq > ?2 AND change.kind = \(ItemKind.file.rawValue)
            ORDER BY change.seq LIMIT ?3
            """
        let known = try marks.ofPeople()
        var files: [PreviewedFile] = []
        let waiting = latest.numbers.filter { $0.value > known[$0.key] ?? 0 }
        for (user, last) in waiting.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where files.count < limit {
            let left = limit - files.count
            let found = try store.rows(sql, [user, known[user] ?? 0, left]) { row in
                (mark: row[0] as Int64, file: PreviewedFile(digest: try row.digest(1), size: row[2], for: user))
            }
            files += found.map(\.file)
            // Changes of what is no file are not looked at again.
            try marks.set(user, found.count < left ? last : found.last?.mark ?? last)
        }
        return files
    }

    private static func oldFiles(_ store: Database, _ marks: PreviewMarks, _ limit: Int) throws -> [PreviewedFile] {
        let found = try store.rows(
            """
            SELECT file.id, blob.digest, blob.size, fund.owner_id FROM file JOIN blob ON blob.id = file.blob_id
                JOIN fund ON fund.id = file.fund_id WHERE file.id < ? ORDER BY file.id DESC LIMIT \(limit)
            """, [try marks.value(.file) ?? 0]
        ) { row in
            (
                mark: row[0] as Int64,
                file: PreviewedFile(digest: try row.digest(1), size: row[2], for: User.ID(row[3]))
            )
        }
        if let last = found.last { try marks.set(.file, last.mark) }
        return found.map(\.file)
    }

    package func enqueueScans(_ part: FeedPart, limit: Int, at time: Timestamp) async throws -> Int {
        let (connection, isNew) = (connection, part == .new)
        return try await writing("order scans") { db in
            try Self.forgetLostScans(connection, db)
            guard try Self.room(db, forScans: true) >= limit else { return 0 }
            try connection.read("find where new contents begin") { try PreviewMarks(db: db).beginContents(in: $0) }
            return try Self.enqueueScans(
                """
                SELECT id, digest, size FROM blob WHERE id \(isNew ? ">" : "<") ?
                ORDER BY id \(isNew ? "" : "DESC") LIMIT \(limit)
                """, from: isNew ? .content : .olderContent, isNew ? .scan : .backfill, at: time, connection, db)
        }
    }

    package func enqueueScansOfKeptMail(limit: Int, at time: Timestamp) async throws -> Int {
        try await writing("order scans of kept mail") { [connection] db in
            guard try Self.room(db, forScans: true) >= limit else { return 0 }
            return try Self.enqueueScans(
                """
                SELECT misroute.id, message.digest, message.size FROM misroute
                    JOIN message ON message.id = misroute.message_id
                WHERE misroute.id > ? AND misroute.email_id IS NULL AND message.segment IS NOT NULL
                ORDER BY misroute.id LIMIT \(limit)
                """, from: .keptMail, .scan, at: time, connection, db)
        }
    }

    /// Orders scans of the contents without a verdict among those that a query of the store finds from a mark on.
    /// Returns how many it found, and moves the mark behind them.
    private static func enqueueScans(
        _ sql: String, from name: PreviewMarks.Name, _ priority: PreviewOrder.Priority, at time: Timestamp,
        _ connection: StoreConnection, _ db: Database
    ) throws -> Int {
        let marks = PreviewMarks(db: db)
        let mark = try marks.value(name) ?? 0
        let found = try connection.read("find contents") { store in
            try store.rows(sql, [mark]) { (mark: $0[0] as Int64, digest: try $0.digest(1), size: $0[2] as Int64) }
        }
        guard let last = found.last else { return 0 }
        let orders = try found.compactMap { content in
            try db.exists("SELECT 1 FROM verdict WHERE digest = ?", [content.digest])
                ? nil : PreviewOrder(RenditionKey(content.digest, .verdict), size: content.size, priority)
        }
        _ = try enqueue(orders, at: time, db)
        try marks.set(name, last.mark)
        return found.count
    }

    package func lookAtAllContentsAgain() async throws {
        try await writing("look at all contents again") { [connection] in
            try PreviewMarks(db: $0).lookAtAllAgain(connection)
        }
    }

    /// Verdicts of before a loss of scans do not count: all is scanned again.
    private static func forgetLostScans(_ connection: StoreConnection, _ db: Database) throws {
        let loss = try connection.read("look for lost scans") { try ScanLoss.of($0) }
        guard try ScanLoss.of(db) != loss else { return }
        try db.execute("DELETE FROM verdict")
        try PreviewMarks(db: db).lookAtAllAgain(connection)
        try loss.note(db)
    }
}

/// Marks up to which files and contents were given work: after a change, and before a file or a content.
private struct PreviewMarks {
    enum Name: String {
        /// Up to where all changes were looked at before each person had a feed.
        case change
        case file, content
        case olderContent = "older_content"
        /// Mail that was not filed: all of it, in the order in which it came.
        case keptMail = "kept_mail"
    }

    let db: Database

    /// Sets the marks where they are missing or lie beyond the end: then the store was restored from a backup.
    func begin(in store: Database, _ latest: LatestChanges) throws {
        if let earlier = try value(.change) {
            for (user, last) in latest.numbers { try set(user, min(earlier, last)) }
            try db.execute("DELETE FROM counter WHERE name = ?", [Name.change.rawValue])
        }
        let isBeyond = try ofPeople().contains { $0.value > latest.numbers[$0.key] ?? 0 }
        guard try value(.file) == nil || isBeyond else { return }
        let file: Int64 = try store.value("SELECT max(id) FROM file") ?? 0
        try db.execute("DELETE FROM feed_mark")
        for (user, last) in latest.numbers { try set(user, last) }
        try set(.file, file + 1)
    }

    func ofPeople() throws -> [User.ID: Int64] {
        let rows: [(User.ID, Int64)] = try db.rows("SELECT user_id, number FROM feed_mark") { ($0[0], $0[1]) }
        return Dictionary(rows) { first, _ in first }
    }

    func set(_ user: User.ID, _ number: Int64) throws {
        try db.execute(
            """
            INSERT INTO feed_mark (user_id, number) VALUES (?, ?)
            ON CONFLICT (user_id) DO UPDATE SET number = excluded.number
            """, [user, number])
    }

    /// Ids of contents may be given again when the latest are removed: where they went back, all are looked at anew.
    func beginContents(in store: Database) throws {
        let latest: Int64 = try store.value("SELECT max(id) FROM blob") ?? 0
        if let known = try value(.content), known <= latest { return }
        try set(.content, latest)
        try set(.olderContent, latest + 1)
    }

    /// Has contents and kept mail looked at from the beginning.
    func lookAtAllAgain(_ connection: StoreConnection) throws {
        let latest: Int64 = try connection.read("find the latest content") {
            try $0.value("SELECT max(id) FROM blob") ?? 0
        }
        try set(.olderContent, latest + 1)
        try set(.keptMail, 0)
    }

    func value(_ name: Name) throws -> Int64? {
        try Counter.value(name.rawValue, db)
    }

    func set(_ name: Name, _ value: Int64) throws {
        try Counter.set(name.rawValue, value, db)
    }
}
