package import FundCore

extension SQLLibraryStore: FileLibrary {
    // MARK: Funds

    package func funds(of user: User.ID) async throws -> [FundEntry] {
        try await viewing("list funds", of: user) { try $0.funds() }
    }

    package func fund(_ id: Fund.ID, of user: User.ID) async throws -> FundEntry {
        try await viewing("find a fund", of: user) { try $0.fund(id) }
    }

    package func addFund(_ name: String, of user: User.ID) async throws -> FundEntry {
        let name = try LibraryName.checkedFund(name, "add a fund")
        return try await changing("add a fund", of: user) { try $0.addFund(name) }
    }

    package func copyFund(_ id: Fund.ID, to name: String, isShallow: Bool, of user: User.ID) async throws -> FundEntry {
        try await changing("copy a fund", of: user) { try $0.copyFund(id, to: name, isShallow: isShallow) }
    }

    package func changeFund(
        _ id: Fund.ID, name: String?, aliases: [String]?, if condition: ItemCondition?, of user: User.ID
    ) async throws -> FundEntry {
        let operation = "change a fund"
        return try await changing(operation, of: user) { change in
            let fund = try change.view.fund(id)
            try change.require(condition, of: .fund(id), operation)
            guard name != nil || aliases != nil else { return fund }
            let rows = try change.fundRows(operation)
            // First, since these are the aliases of the fund as it was called so far; its name becomes another one.
            if let aliases { try rows.setAliases(aliases, of: id) }
            let formerHolder = try name.flatMap {
                try rows.rename(id, to: try LibraryName.checkedFund($0, operation))
            }
            try change.db.execute("UPDATE fund SET modified_at = ? WHERE id = ?", [change.now, id])
            var changed = try change.view.fund(id)
            changed.tookNameFrom = formerHolder
            return changed
        }
    }

    // MARK: Looking

    /// Follows a path by one indexed query a step.
    package func items(along path: [String], of user: User.ID) async throws -> [LibraryItem] {
        try await viewing("find an item", of: user) { view in
            guard let first = path.first, let fund = try view.fund(named: first) else { return [] }
            var items = [LibraryItem.fund(fund)]
            var place = LibraryPlace(fund: fund.id)
            for name in path.dropFirst() {
                guard let found = try view.item(in: place, key: FileName.key(name)) else { break }
                items.append(found)
                guard case .folder(let folder) = found else { break }
                place.folder = folder.id
            }
            return items
        }
    }

    package func item(named name: String, in place: LibraryPlace, of user: User.ID) async throws -> LibraryItem? {
        try await viewing("find an item", of: user) { view in
            try view.check(place)
            return try view.item(in: place, key: FileName.key(name))
        }
    }

    package func children(of place: LibraryPlace, of user: User.ID) async throws -> [LibraryItem] {
        try await viewing("list a folder", of: user) { view in
            try view.check(place)
            return try view.folders(in: place).map { .folder($0) } + view.files(in: place).map { .file($0) }
        }
    }

    package func folder(_ id: FolderEntry.ID, of user: User.ID) async throws -> FolderEntry {
        try await viewing("find a folder", of: user) { try $0.folder(id) }
    }

    package func file(_ id: FileEntry.ID, of user: User.ID) async throws -> FileEntry {
        try await viewing("find a file", of: user) { try $0.file(id) }
    }

    // MARK: Changing

    package func addFolder(_ name: String, in place: LibraryPlace, of user: User.ID) async throws -> FolderEntry {
        let operation = "add a folder"
        // Checked before the write lock is waited for.
        let name = try LibraryName.checked(name, operation)
        return try await changing(operation, of: user) { change in
            try change.view.folder(try change.addFolder(name, in: place, operation))
        }
    }

    package func move(
        _ item: LibraryItemID, to target: ItemTarget, if condition: ItemCondition?, of user: User.ID
    ) async throws -> LibraryItem {
        let operation = "move an item"
        return try await changing(operation, .reserve, of: user) { change in
            try change.require(condition, of: item, operation)
            return try change.move(
                item, to: try change.place(target.place, for: item, operation), named: target.name,
                ifTaken: target.ifTaken)
        }
    }

    package func copy(
        _ item: LibraryItemID, to target: ItemTarget, isShallow: Bool, if condition: ItemCondition?, of user: User.ID
    ) async throws -> LibraryItem {
        let operation = "copy an item"
        return try await changing(operation, of: user) { change in
            try change.require(condition, of: item, operation)
            return try change.copy(
                item, to: try change.place(target.place, for: item, operation), named: target.name,
                ifTaken: target.ifTaken, isShallow: isShallow)
        }
    }

    package func setModifiedAt(_ time: Timestamp, of file: FileEntry.ID, of user: User.ID) async throws {
        try await changing("set the time of a file", of: user) { change in
            try change.view.check(.file(file))
            try change.db.execute("UPDATE file SET modified_at = ? WHERE id = ?", [time, file])
        }
    }

    package func delete(_ item: LibraryItemID, if condition: ItemCondition?, of user: User.ID) async throws {
        let operation = "delete an item"
        try await changing(operation, .reserve, of: user) { change in
            try change.require(condition, of: item, operation)
            try change.delete(item)
        }
    }

    package func archiveFund(_ id: Fund.ID, if condition: ItemCondition?, of user: User.ID) async throws {
        let operation = "archive a fund"
        try await changing(operation, of: user) { change in
            try change.require(condition, of: .fund(id), operation)
            try change.archiveFund(id)
        }
    }

    package func restore(
        _ item: LibraryItemID, unlessDeletedAfter time: Timestamp?, of user: User.ID
    ) async throws -> LibraryItem {
        try await changing("restore an item", .reserve, of: user) { change in
            try change.refuse(item, ifDeletedAfter: time)
            return try change.restore(item)
        }
    }

    package func setFavourite(_ isFavourite: Bool, _ item: LibraryItemID, of user: User.ID) async throws {
        try await changing("mark a favourite", of: user) { change in
            let fund = try change.view.fund(of: item)
            let key: SQLArguments = [user, item.kind.rawValue, item.number]
            try change.db.execute("DELETE FROM favourite WHERE user_id = ? AND kind = ? AND item_id = ?", key)
            if isFavourite {
                try change.db.execute("INSERT INTO favourite (user_id, kind, item_id) VALUES (?, ?, ?)", key)
            }
            try ChangeFeed.note(change.db, item, in: fund, for: user)
        }
    }

    // MARK: Bytes

    package func makeUpload(named name: String, announcing bytes: Int64?) throws -> any UploadWriter {
        try UploadFile(log, named: name, announcing: bytes)
    }

    package func resumeUpload(
        of part: PulledPart, named name: String, count: (Int) -> Void
    ) throws -> any UploadWriter {
        try UploadFile(log, resuming: part, named: name, count: count)
    }

    package func content(of digest: ContentDigest, size: Int64) throws -> any StoredContent {
        try GuardedContent(log.content(of: digest, size: size), of: digest, quarantine)
    }

    package func addFile(_ upload: StagedUpload, at target: FileTarget, of user: User.ID) async throws -> FileEntry {
        let operation = "add a file"
        guard let file = upload.owner as? UploadFile else {
            throw StoreError(.invalid, operation, "another store took the upload")
        }
        return try await connection.queues.upload.run { [connection, log] in
            try connection.read(operation) { db in
                // An upload that must be refused anyway is refused before anything is made durable.
                let change = LibraryChange(db: db, user: user, limits: connection.storageLimits)
                try change.requireRoom(upload.size, of: upload.digest, at: target, operation)
            }
            let generation = log.generation
            let record = try file.store(upload.digest)
            return try log.committing(operation, appendedIn: [generation]) { db in
                try LibraryChange(db: db, user: user, limits: connection.storageLimits).addFile(
                    upload.digest, size: upload.size, contentType: upload.contentType, record, at: target, operation)
            } records: { _ in
                [record].compactMap(\.self)
            } orElse: {
                record?.giveUp()
            }
        }
    }

    // MARK: Deleting for good

    package func emptyTrash(of user: User.ID, asShown shown: TrashQuestion?) async throws -> Int {
        let email = try await emailOfOwner(user)
        return try await purge.run(.final(of: user), action: .trashEmpty, subject: email, actor: email) { db in
            try LibraryChange(db: db, user: user, limits: .none).makeTrashFinal(asShown: shown)
        }.items
    }

    package func purge(_ item: LibraryItemID, of user: User.ID) async throws {
        let email = try await emailOfOwner(user)
        let subject = "\(item.kind) \(item.number)"
        try await purge.run(.final(of: user), action: .trashDelete, subject: subject, actor: email) { db in
            let change = LibraryChange(db: db, user: user, limits: .none)
            guard try change.root(of: item) != nil else { throw change.view.missing() }
            try change.makeFinal(item)
        }
    }

    private func emailOfOwner(_ user: User.ID) async throws -> String {
        try await connection.reading("find a user") { try UserRows.email(of: user, $0, "find a user") }
    }
}

extension LibraryChange {
    /// A file of bytes that are durable.
    ///
    /// - Parameter record: nil for no bytes.
    func addFile(
        _ digest: ContentDigest, size: Int64, contentType: String, _ record: AppendedRecord?, at target: FileTarget,
        _ operation: String
    ) throws -> FileEntry {
        try UserRows.checkEnabled(user, db, operation)
        // Also where the same bytes stand already these are kept, which may exist nowhere else.
        let blobID = try BlobRows(db: db).id(of: digest, size: size, record, replacing: .anything)
        let content = Content(blobID: blobID, size: size, contentType: contentType, modifiedAt: target.modifiedAt)
        return try addFile(content, at: target)
    }
}
