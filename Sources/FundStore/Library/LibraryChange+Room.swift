import FundCore

extension LibraryChange {
    /// Throws `overQuota` unless the owner of a fund has room for a file that is on its way. Takes none.
    func requireRoom(_ bytes: Int64, in fund: Fund.ID, _ operation: String) throws {
        try StorageRoom(db: db, limits: room.limits).take(bytes, in: fund, operation)
    }

    /// `requireRoom` for an upload whose content is known: that of the file which it would replace takes none. Throws
    /// as `target(of:_:)`, too.
    func requireRoom(_ bytes: Int64, of digest: ContentDigest, at target: FileTarget, _ operation: String) throws {
        if case .file(let file) = try self.target(of: target, operation), file.digest == digest { return }
        try requireRoom(bytes, in: target.place.fund, operation)
    }

    /// Counts bytes that are added to a fund. Throws `overQuota` where its owner has no room for them.
    func take(_ bytes: Int64, in fund: Fund.ID, _ operation: String) throws {
        try room.take(bytes, in: fund, operation)
        try FundUse.add(bytes, to: fund, db)
    }

    // MARK: Moving to another person

    /// Takes the room of a file that goes into another fund, where that is another person's.
    func takeOver(_ file: FileEntry, in fund: Fund.ID, _ operation: String) throws {
        try takeOver(from: file.fund, in: fund, operation) {
            try db.value("SELECT size FROM file WHERE id = ? AND attachment_id IS NULL", [file.id])
        }
    }

    /// Takes the room of the files in a folder that goes into another fund, where that is another person's.
    func takeOver(_ folder: FolderEntry, in fund: Fund.ID, _ operation: String) throws {
        try takeOver(from: folder.fund, in: fund, operation) {
            try db.value(
                """
                \(Self.liveTree) SELECT sum(size) FROM tree \(SQL.thenJoin) file ON file.folder_id = tree.id
                    AND file.fund_id = tree.fund_id AND file.deleted_at IS NULL AND file.attachment_id IS NULL
                """, [folder.id])
        }
    }

    /// Takes the room of an email that goes into another fund, where that is another person's. Its files count with it.
    func takeOver(_ email: EmailSummary, in fund: Fund.ID, _ operation: String) throws {
        try takeOver(from: email.fund, in: fund, operation) {
            try db.value("SELECT sum(size) FROM attachment WHERE email_id = ?", [email.id])
        }
    }

    /// - Parameter bytes: asked only where the owners differ. The rows' own triggers count them.
    private func takeOver(
        from old: Fund.ID, in new: Fund.ID, _ operation: String, _ bytes: () throws -> Int64?
    ) throws {
        guard old != new, let owner: User.ID = try db.value("SELECT owner_id FROM fund WHERE id = ?", [new]),
            try !db.exists("SELECT 1 FROM fund WHERE id = ? AND owner_id = ?", [old, owner])
        else { return }
        try room.takeOver(try bytes() ?? 0, by: owner, operation)
    }
}
