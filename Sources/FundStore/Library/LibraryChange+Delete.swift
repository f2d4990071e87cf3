import FundCore

extension LibraryChange {
    func delete(_ item: LibraryItemID) throws {
        try view.check(item)
        switch item {
        case .fund(let id): try deleteFund(id)
        case .folder(let id): try deleteTree(id)
        case .file(let id): try db.execute("UPDATE file SET deleted_at = ? WHERE id = ?", [now, id])
        case .email(let id): try touch(.email(id), in: view.email(id).fund)
        case .note(let id):
            try db.execute(
                "UPDATE note SET deleted_at = ?, modified_at = ? WHERE id = ?",
                [now, try noteTime(after: try view.note(id)), id])
        }
        try noteDeletion(of: item, root: item)
    }

    /// Items that a member deletes stand in the trash of the fund's owner, for whom they go on to count.
    func noteDeletion(of item: LibraryItemID, root: LibraryItemID) throws {
        try Deletion.note(item, of: owner(of: item), Deletion.restorable(since: now).column, root: root, db)
    }

    private func owner(of item: LibraryItemID) throws -> User.ID {
        let fund = item.kind == .fund ? "?" : "(SELECT fund_id FROM \(item.kind.table) WHERE id = ?)"
        let owner: User.ID? = try db.value("SELECT owner_id FROM fund WHERE id = \(fund)", [item.number])
        guard let owner else { throw view.missing() }
        return owner
    }

    /// The deletion that took an item, if it can be undone.
    func root(of item: LibraryItemID) throws -> LibraryItemID? {
        try db.row(
            """
            SELECT root_kind, root_id FROM deletion
            WHERE kind = ? AND item_id = ? AND owner_id = ? AND \(Deletion.isRestorable)
            """, [item.kind.rawValue, item.number, user]
        )?.item(0)
    }

    // MARK: Funds

    /// Deletes a fund. Its names are free at once. Rows of items in it stay as they are: a deleted fund hides them.
    private func deleteFund(_ id: Fund.ID) throws {
        let fund = try view.fund(id)
        try db.execute("UPDATE fund SET deleted_at = ?, modified_at = ? WHERE id = ?", [now, now, id])
        try db.execute("DELETE FROM fund_key WHERE fund_id = ?", [id])
        try db.writeAudit(.fundDelete, of: fund.name, by: try fundRows("delete a fund").actor, now: now)
    }

    func archiveFund(_ id: Fund.ID) throws {
        _ = try view.fund(id)
        try fundRows("archive a fund").archive(id)
    }

    /// Restores a fund under its name or a numbered one; aliases that others took are given up.
    func restoreFund(_ id: Fund.ID) throws -> FundEntry {
        let operation = "restore a fund"
        let fund = try view.one(view.funds(.deleted, where: "fund.id = ?2", [id]))
        let rows = try fundRows(operation)
        func isTaken(_ name: String) throws -> Bool { try rows.holder(of: FundName.key(name), owner: user) != nil }
        var (free, number) = (fund.name, 0)
        while try isTaken(free) {
            number += 1
            free = "\(fund.name)(\(number))"
        }
        try rows.claim(free, for: id, of: user, operation)
        for alias in fund.aliases {
            if try isTaken(alias) {
                try db.execute("DELETE FROM fund_alias WHERE fund_id = ? AND name = ?", [id, alias])
            } else {
                try rows.claim(alias, for: id, of: user, operation)
            }
        }
        try db.execute(
            "UPDATE fund SET name = ?, deleted_at = NULL, archived_at = NULL, modified_at = ? WHERE id = ?",
            [free, now, id])
        try restoreSpread(of: id)
        try Deletion.forget(.fund(id), db)
        try touchContents(of: id)
        try db.writeAudit(.fundRestore, of: free, by: rows.actor, now: now)
        return try view.fund(id)
    }

    /// Restores items of the fund that a purge had begun to mark, see `PurgeStep`.
    private func restoreSpread(of fund: Fund.ID) throws {
        let spread = "root_kind = \(ItemKind.fund.rawValue) AND root_id = ? AND \(Deletion.isRestorable)"
        for kind in ItemKind.inFunds where kind != .email {
            try db.execute(
                """
                UPDATE \(kind.table) SET deleted_at = NULL
                WHERE id IN (SELECT item_id FROM deletion WHERE \(spread) AND kind = \(kind.rawValue))
                """, [fund])
        }
        try db.execute("DELETE FROM deletion WHERE \(spread)", [fund])
    }

    /// Clients that follow the feed dropped these items with the fund.
    private func touchContents(of fund: Fund.ID) throws {
        for kind in ItemKind.inFunds { try ChangeFeed.note(db, all: kind, in: fund) }
    }

    // MARK: Folders

    /// A folder and the live folders in it, but for folders of another fund that a damaged row puts into it.
    static let liveTree = """
        WITH RECURSIVE tree (id, fund_id) AS (
            SELECT id, fund_id FROM folder WHERE id = ?1
            UNION ALL SELECT folder.id, folder.fund_id FROM tree \(SQL.thenJoin) folder ON folder.parent_id = tree.id
            WHERE folder.deleted_at IS NULL AND folder.fund_id = tree.fund_id)
        """

    private func deleteTree(_ id: FolderEntry.ID) throws {
        let (file, folder) = (ItemKind.file.rawValue, ItemKind.folder.rawValue)
        let owner = try owner(of: .folder(id))
        let record = "INSERT INTO deletion (kind, item_id, owner_id, at, root_kind, root_id)"
        try db.execute(
            """
            \(Self.liveTree) \(record) SELECT \(file), file.id, ?2, ?3, \(folder), ?1
                FROM tree \(SQL.thenJoin) file ON file.folder_id = tree.id AND file.deleted_at IS NULL
                AND file.fund_id = tree.fund_id
            """, [id, owner, now])
        try db.execute(
            """
            \(Self.liveTree) \(record) SELECT \(folder), tree.id, ?2, ?3, \(folder), ?1 FROM tree WHERE tree.id <> ?1
            """, [id, owner, now])
        let gone = "SELECT item_id FROM deletion WHERE root_kind = \(folder) AND root_id = ?2 AND kind ="
        try db.execute(
            "UPDATE file SET deleted_at = ?1 WHERE deleted_at IS NULL AND id IN (\(gone) \(file))", [now, id])
        try db.execute(
            "UPDATE folder SET deleted_at = ?1 WHERE deleted_at IS NULL AND (id = ?2 OR id IN (\(gone) \(folder)))",
            [now, id])
    }

    // MARK: Restoring

    /// Throws `preconditionFailed` for an item of the user that was deleted or archived later; nil is no time.
    func refuse(_ item: LibraryItemID, ifDeletedAfter time: Timestamp?) throws {
        guard let time else { return }
        let isLater = try db.exists(
            """
            SELECT 1 FROM deletion WHERE kind = ?1 AND item_id = ?2 AND owner_id = ?3 AND at > ?4
            UNION ALL SELECT 1 FROM fund WHERE ?1 = \(ItemKind.fund.rawValue) AND fund.id = ?2
                AND \(LibraryView.visible(as: "?3")) AND archived_at > ?4
            """, item.arguments + [user, time])
        guard !isLater else {
            throw StoreError(.preconditionFailed, "restore an item", "it was deleted again since")
        }
    }

    /// Throws `notFound` for an item that is not deleted or not the user's.
    func restore(_ item: LibraryItemID) throws -> LibraryItem {
        switch item {
        case .fund(let id):
            return .fund(try restoreFund(id))
        case .folder(let id): return .folder(try restoreFolder(id))
        case .file(let id): return .file(try restoreFile(id))
        case .email, .note:
            throw StoreError(.invalid, "restore an item", "emails and notes have calls of their own")
        }
    }

    private func restoreFile(_ id: FileEntry.ID) throws -> FileEntry {
        guard let file = try view.files(.deleted, where: "file.id = ?2", [id]).first, try root(of: .file(id)) != nil
        else { throw view.missing() }
        let place = try placeToRestore(in: file.fund, folder: file.folder)
        let name = try LibraryName.free(file.name) { try isTaken($0, in: place) }
        try db.execute(
            "UPDATE file SET deleted_at = NULL, folder_id = ?, name = ?, name_key = ? WHERE id = ?",
            [place.folder, name, FileName.key(name), id])
        try Deletion.forget(.file(id), db)
        return try view.file(id)
    }

    /// Restores a folder with all that went with it, and nothing that was deleted before.
    private func restoreFolder(_ id: FolderEntry.ID) throws -> FolderEntry {
        guard let folder = try view.folders(.deleted, where: "folder.id = ?2", [id]).first,
            let root = try root(of: .folder(id))
        else { throw view.missing() }
        let place = try placeToRestore(in: folder.fund, folder: folder.parent)
        let name = try LibraryName.free(folder.name) { try isTaken($0, in: place) }
        let (fileKind, folderKind) = (ItemKind.file.rawValue, ItemKind.folder.rawValue)
        let wasDeletedWithIt = """
            EXISTS (SELECT 1 FROM deletion WHERE root_kind = ?2 AND root_id = ?3
                AND \(Deletion.isRestorable) AND kind =
            """
        let tree = """
            WITH RECURSIVE tree (id) AS (
                SELECT ?1 UNION ALL SELECT folder.id FROM tree \(SQL.thenJoin) folder ON folder.parent_id = tree.id
                WHERE \(wasDeletedWithIt) \(folderKind) AND item_id = folder.id))
            """
        let arguments: SQLArguments = [id, root.kind.rawValue, root.number]
        let folders: [FolderEntry.ID] = try db.values("\(tree) SELECT id FROM tree", arguments)
        let files: [FileEntry.ID] = try db.values(
            """
            \(tree) SELECT file.id FROM tree \(SQL.thenJoin) file ON file.folder_id = tree.id
            WHERE \(wasDeletedWithIt) \(fileKind) AND item_id = file.id)
            """, arguments)
        // Its name first: while it is deleted nothing hinders that.
        try db.execute(
            "UPDATE folder SET parent_id = ?, name = ?, name_key = ? WHERE id = ?",
            [place.folder, name, FileName.key(name), id])
        for id in folders {
            try db.execute("UPDATE folder SET deleted_at = NULL WHERE id = ?", [id])
            try Deletion.forget(.folder(id), db)
        }
        for id in files {
            try db.execute("UPDATE file SET deleted_at = NULL WHERE id = ?", [id])
            try Deletion.forget(.file(id), db)
        }
        // The folder that holds it may lie deeper now.
        if place.folder != nil, try !(reach(to: id) + reach(below: id)).isAllowed {
            let name = try LibraryName.free(folder.name) { try isTaken($0, in: LibraryPlace(fund: folder.fund)) }
            try db.execute(
                "UPDATE folder SET parent_id = NULL, name = ?, name_key = ? WHERE id = ?",
                [name, FileName.key(name), id])
        }
        return try view.folder(id)
    }

    private func placeToRestore(in fund: Fund.ID, folder: FolderEntry.ID?) throws -> LibraryPlace {
        let isThere = try folder.map { try !view.folders(where: "folder.id = ?2", [$0]).isEmpty } ?? false
        return LibraryPlace(fund: fund, folder: isThere ? folder : nil)
    }

    // MARK: Deleting for good

    /// Lets an item go for good, with what was deleted with it, and, of a fund, with what was deleted in it before.
    func makeFinal(_ item: LibraryItemID) throws {
        try db.execute(
            """
            UPDATE deletion SET at = \(Deletion.final.column) WHERE owner_id = ?1 AND purged_at IS NULL
                AND (kind = ?2 AND item_id = ?3 OR root_kind = ?2 AND root_id = ?3)
            """, [user, item.kind.rawValue, item.number])
        guard case .fund(let fund) = item else { return }
        for kind in ItemKind.inFunds {
            try db.execute(
                """
                UPDATE deletion SET at = \(Deletion.final.column)
                WHERE kind = ?1 AND owner_id = ?2 AND purged_at IS NULL
                    AND item_id IN (SELECT id FROM \(kind.table) WHERE fund_id = ?3)
                """, [kind.rawValue, user, fund])
        }
    }
}
