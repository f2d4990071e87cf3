import FundCore

/// Changes of one user's library within one write transaction.
struct LibraryChange {
    let view: LibraryView
    let now: Timestamp
    /// The person who acts in place of the user; nil for the user.
    private let actor: String?
    let room: StorageRoom

    var db: Database { view.db }
    var user: User.ID { view.user }

    /// - Parameter limits: of what the change adds; none for changes that add no file, and for files that the store had
    ///   before.
    init(
        db: Database, user: User.ID, limits: StorageLimits, now: Timestamp = Timestamp.now, actor: String? = nil
    ) {
        view = LibraryView(db: db, user: user)
        room = StorageRoom(db: db, limits: limits)
        self.now = now
        self.actor = actor
    }

    func isTaken(_ key: String, in place: LibraryPlace) throws -> Bool { try LibraryName.isTaken(db, key, in: place) }

    /// Notes a change of an item that no trigger sees.
    func touch(_ item: LibraryItemID, in fund: Fund.ID) throws { try ChangeFeed.note(db, item, in: fund) }

    /// Throws `preconditionFailed` when the item, as it is in this transaction, does not fulfil the condition.
    func require(_ condition: ItemCondition?, of item: LibraryItemID, _ operation: String) throws {
        guard let condition, try !condition(view.state(of: item)) else { return }
        throw StoreError(.preconditionFailed, operation, "it is not what it was")
    }

    func fundRows(_ operation: String) throws -> FundRows {
        FundRows(db: db, actor: try actor ?? UserRows.email(of: user, db, operation))
    }

    func addFund(_ name: String) throws -> FundEntry {
        let operation = "add a fund"
        let name = try LibraryName.checkedFund(name, operation)
        let fund = try fundRows(operation).insert(name, owner: user, aliases: [])
        var entry = try view.fund(fund.id)
        entry.tookNameFrom = fund.tookNameFrom
        return entry
    }

    /// - Parameter name: one that was checked (`LibraryName.checked`). Throws `alreadyExists` where it is taken.
    func addFolder(_ name: String, in place: LibraryPlace, _ operation: String) throws -> FolderEntry.ID {
        try view.check(place)
        if try isTaken(FileName.key(name), in: place) { throw taken(name, operation) }
        try checkReach(name, in: place, operation)
        return try insertFolder(name, in: place)
    }

    func insertFolder(_ name: String, in place: LibraryPlace) throws -> FolderEntry.ID {
        try db.insert(
            """
            INSERT INTO folder (id, fund_id, parent_id, name, name_key, created_at, modified_at)
            VALUES (\(RowNumbers.next(.folder)), ?, ?, ?, ?, ?, ?)
            """, [place.fund, place.folder, name, FileName.key(name), now, now])
    }

    func taken(_ name: String, _ operation: String) -> StoreError {
        StoreError(.alreadyExists, operation, "the name \(name) is taken")
    }

    // MARK: Files

    struct Content {
        var blobID: BlobRows.ID
        var size: Int64
        var contentType: String
        /// Modification time; nil for now.
        var modifiedAt: Timestamp?
    }

    func addFile(_ content: Content, at target: FileTarget) throws -> FileEntry {
        let operation = "add a file"
        switch try self.target(of: target, operation) {
        case .free(let name): return try view.file(try insertFile(content, named: name, in: target.place, operation))
        case .file(let file):
            try replaceContent(of: file, with: content, operation)
            return try view.file(file.id)
        case .folder: throw taken(target.name, operation)
        }
    }

    /// The file that an upload would replace, or its name. Throws `notFound`, `invalid`, `conflict`, `alreadyExists`.
    func target(of target: FileTarget, _ operation: String) throws -> Target {
        let name = try LibraryName.checked(target.name, operation)
        try view.check(target.place)
        if let expected = target.expected {
            let found = try view.item(in: target.place, key: FileName.key(name))
            guard expected.fits(found) else { throw StoreError(.conflict, operation, "it was changed in between") }
        }
        let found = try self.target(named: name, in: target.place, ifTaken: target.ifTaken, operation)
        if case .folder = found { throw taken(name, operation) }
        return found
    }

    /// Throws `overQuota`.
    func insertFile(
        _ content: Content, named name: String, in place: LibraryPlace, _ operation: String
    ) throws -> FileEntry.ID {
        try take(content.size, in: place.fund, operation)
        let id: FileEntry.ID = try db.insert(
            """
            INSERT INTO file (id, fund_id, folder_id, name, name_key, blob_id, size, content_type, created_at,
                modified_at) VALUES (\(RowNumbers.next(.file)), ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                place.fund, place.folder, name, FileName.key(name), content.blobID, content.size, content.contentType,
                now, content.modifiedAt ?? now,
            ])
        try touch(.file(id), in: place.fund)
        return id
    }

    /// The file keeps its id, favourites and properties. What it held becomes a deleted file of its own, so that a
    /// mistaken overwrite can be undone; not the empty files that clients put first to keep a name. Throws `overQuota`.
    func replaceContent(of file: FileEntry, with content: Content, _ operation: String) throws {
        let row = try db.row("SELECT blob_id, attachment_id IS NULL FROM file WHERE id = ?", [file.id])
        guard let row else { throw view.missing() }
        let (old, isCounted): (BlobRows.ID, Bool) = (row[0], row[1])
        if old != content.blobID {
            // Triggers count it when the row gets it; what is kept of before has a new row.
            try room.take(content.size, in: file.fund, operation)
            if file.size > 0 {
                if isCounted { try FundUse.add(file.size, to: file.fund, db) }
                let old: FileEntry.ID = try db.insert(
                    """
                    INSERT INTO file (id, fund_id, folder_id, name, name_key, blob_id, attachment_id, size,
                            content_type, created_at, modified_at, deleted_at)
                        SELECT \(RowNumbers.next(.file)), fund_id, folder_id, name, name_key, blob_id, attachment_id,
                            size, content_type, created_at, modified_at, ? FROM file WHERE id = ?
                    """, [now, file.id])
                try noteDeletion(of: .file(old), root: .file(old))
            }
        }
        // Another content is no attachment any more.
        try db.execute(
            """
            UPDATE file SET attachment_id = CASE WHEN blob_id = ?1 THEN attachment_id END, blob_id = ?1, size = ?2,
                content_type = ?3, modified_at = ?4 WHERE id = ?5
            """, [content.blobID, content.size, content.contentType, content.modifiedAt ?? now, file.id])
    }

    // MARK: Names that are taken

    enum Target {
        case free(String)
        case file(FileEntry)
        case folder(FolderEntry)
    }

    /// The item that stands where another is to go. `item` is the one that goes there and does not hinder itself.
    func target(
        named name: String, in place: LibraryPlace, ifTaken conflict: NameConflict, for item: LibraryItemID? = nil,
        _ operation: String
    ) throws -> Target {
        guard let found = try view.item(in: place, key: FileName.key(name)), found.itemID != item else {
            return .free(name)
        }
        switch (conflict, found) {
        case (.refuse, _): throw taken(name, operation)
        case (.number, _): return .free(try LibraryName.free(name) { try isTaken($0, in: place) })
        case (.replace, .file(let file)): return .file(file)
        case (.replace, .folder(let folder)): return .folder(folder)
        case (.replace, .fund): throw StoreError(.invalid, operation, "a fund is no place in itself")
        }
    }
}

extension ExpectedFile {
    func fits(_ item: LibraryItem?) -> Bool {
        switch (self, item) {
        case (.nothing, nil): true
        case (.file(let id, let digest), .file(let file)): file.id == id && (digest == nil || digest == file.digest)
        default: false
        }
    }
}
