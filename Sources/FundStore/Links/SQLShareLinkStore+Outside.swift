package import FundCore

/// Share links as people outside use them.
extension SQLShareLinkStore {
    private static let operation = "look behind a link"
    /// Uses of a link that its owner sees, the latest; the audit trail has all.
    private static let keptUses = 1000
    /// Time within which openings by one visitor are one entry of the audit trail and of the owner's list. All are
    /// counted.
    private static let sameVisit = Duration.seconds(3600)

    package func openableLink(
        _ digest: ContentDigest, at now: Timestamp
    ) async throws -> (opened: OpenedLink, passwordHash: String?)? {
        try await connection.reading(Self.operation) { [quarantine] db in
            guard let id: ShareLink.ID = try db.value("SELECT id FROM share_link WHERE digest = ?", [digest]),
                let opened = try Self.openable(id, at: now, db, quarantine)
            else { return nil }
            return (opened, try Self.passwordHash(of: id, db))
        }
    }

    /// The link while it can be opened, see `ShareLinkStore.openableLink`.
    private static func openable(
        _ id: ShareLink.ID, at now: Timestamp, _ db: Database, _ quarantine: Quarantine
    ) throws -> OpenedLink? {
        do {
            let view = try ShareLinkView(id, at: now, db, quarantine)
            guard view.link.state(at: now) == .live, try view.hasItems() else { return nil }
            return OpenedLink(link: view.link, owner: view.owner)
        } catch let error as StoreError where error.code == .notFound { return nil }
    }

    private static func passwordHash(of link: ShareLink.ID, _ db: Database) throws -> String? {
        try db.value("SELECT password FROM share_link WHERE id = ?", [link])
    }

    package func open(
        _ link: ShareLink.ID, passwordHash: String?, by visitor: ShareVisitor, at now: Timestamp
    ) async throws -> OpenedLink? {
        try await connection.writing("open a link", on: connection.queues.changes) { [quarantine] db in
            guard var opened = try Self.openable(link, at: now, db, quarantine),
                try Self.passwordHash(of: link, db) == passwordHash
            else { return nil }
            try db.execute(
                "UPDATE share_link SET openings = openings + 1, opened_at = ? WHERE id = ?", [now, link])
            if try !Self.isSameVisit(visitor, of: link, db, at: now) {
                try Self.note(visitor, of: link, file: nil, db, at: now)
                try db.writeAudit(
                    .linkOpen, of: ShareLinkRows.subject(link), Self.detail(visitor), by: ShareLinkRows.subject(link),
                    now: now)
            }
            opened.link.openings += 1
            opened.link.lastOpenedAt = now
            return opened
        }
    }

    package func addFile(
        _ upload: StagedUpload, named name: String, through link: ShareLink.ID, by visitor: ShareVisitor,
        at now: Timestamp
    ) async throws -> FileEntry {
        let operation = "add a file by a link"
        guard let file = upload.owner as? UploadFile else {
            throw StoreError(.invalid, operation, "another store took the upload")
        }
        return try await connection.queues.upload.run { [connection, log, quarantine] in
            @Sendable func target(_ db: Database) throws -> (LinkUpload, FileTarget) {
                let upload = try LinkUpload(link, size: upload.size, at: now, db, quarantine, operation)
                return (upload, FileTarget(name, in: upload.place, ifTaken: .number))
            }
            try connection.read(operation) { db in
                let (upload, target) = try target(db)
                let change = LibraryChange(db: db, user: upload.owner, limits: connection.storageLimits)
                _ = try change.target(of: target, operation)
                try change.requireRoom(file.size, in: target.place.fund, operation)
            }
            let generation = log.generation
            let record = try file.store(upload.digest)
            return try log.committing(operation, appendedIn: [generation]) { db in
                let (place, target) = try target(db)
                let entry = try LibraryChange(db: db, user: place.owner, limits: connection.storageLimits).addFile(
                    upload.digest, size: upload.size, contentType: upload.contentType, record, at: target, operation)
                try db.execute(
                    "UPDATE share_link SET files = files + 1, bytes = bytes + ? WHERE id = ?", [upload.size, link])
                // It is news for the owner.
                try db.execute("UPDATE file SET is_from_others = 1 WHERE id = ?", [entry.id])
                try Self.note(visitor, of: link, file: entry, db, at: now)
                try db.writeAudit(
                    .linkUpload, of: ShareLinkRows.subject(link),
                    "file \(entry.id), \(upload.size) bytes, \(Self.detail(visitor))",
                    by: ShareLinkRows.subject(link), now: now)
                return entry
            } records: { _ in
                [record].compactMap(\.self)
            } orElse: {
                record?.giveUp()
            }
        }
    }

    /// Whether a visitor of the same name and network opened the link lately. An entry of a clock that was ahead is of
    /// another time.
    private static func isSameVisit(
        _ visitor: ShareVisitor, of link: ShareLink.ID, _ db: Database, at now: Timestamp
    ) throws -> Bool {
        try db.exists(
            """
            SELECT 1 FROM share_use WHERE link_id = ? AND at > ? AND at <= ? AND network = ?
                AND name IS NOT DISTINCT FROM ? AND file_id IS NULL
            """, [link, now - sameVisit, now, visitor.network, visitor.name])
    }

    private static func note(
        _ visitor: ShareVisitor, of link: ShareLink.ID, file: FileEntry?, _ db: Database, at now: Timestamp
    ) throws {
        let id: ShareLinkUse.ID = try db.insert(
            """
            INSERT INTO share_use (link_id, at, name, network, file_id, file_name, file_size)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, [link, now, visitor.name, visitor.network, file?.id, file?.name, file?.size])
        try db.execute(
            """
            DELETE FROM share_use WHERE link_id = ?1 AND id < (
                SELECT id FROM share_use WHERE link_id = ?1 AND id <= ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3)
            """, [link, id, keptUses])
    }

    private static func detail(_ visitor: ShareVisitor) -> String {
        "from \(visitor.network)" + (visitor.name.map { ", who wrote \($0.quoted)" } ?? "")
    }
}

/// One file that comes by an upload link, within a transaction.
private struct LinkUpload {
    let owner: User.ID
    let place: LibraryPlace

    /// Throws `notFound` unless the link takes files, and `tooMany` when it takes no more of this size.
    init(
        _ link: ShareLink.ID, size: Int64, at now: Timestamp, _ db: Database, _ quarantine: Quarantine,
        _ operation: String
    ) throws {
        let view = try ShareLinkView(link, at: now, db, quarantine)
        guard let place = try view.place(), let allowance = view.link.allowance else { throw ShareLinkView.missing }
        let received = view.link.received
        guard received.files < allowance.maxFiles, size <= allowance.maxBytes - received.bytes else {
            throw StoreError(.tooMany, operation, "no more files of this size come by this link")
        }
        (owner, self.place) = (view.link.owner, place)
    }
}
