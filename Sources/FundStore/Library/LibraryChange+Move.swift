import FundCore

extension LibraryChange {
    /// Throws `notFound`, `alreadyExists`, `invalid`.
    func move(_ item: LibraryItemID, to place: LibraryPlace, named name: String?, ifTaken conflict: NameConflict) throws
        -> LibraryItem
    {
        let operation = "move an item"
        let old = try source(item, operation)
        try view.check(place)
        try refuseIntoItself(old, place, operation)
        let wanted = try name.map { try LibraryName.checked($0, operation) } ?? old.name
        var free = wanted
        switch try target(named: wanted, in: place, ifTaken: conflict, for: item, operation) {
        case .free(let name): free = name
        case .file(let file): try delete(.file(file.id))
        case .folder(let folder):
            try refuseAround(folder.id, old, operation)
            try delete(.folder(folder.id))
        }
        switch old {
        case .file(let file):
            try takeOver(file, in: place.fund, operation)
            try db.execute(
                "UPDATE file SET fund_id = ?, folder_id = ?, name = ?, name_key = ? WHERE id = ?",
                [place.fund, place.folder, free, FileName.key(free), file.id])
            return .file(try view.file(file.id))
        case .folder(let folder):
            try checkReach(
                free, in: place, holding: try reach(below: folder.id), from: try reach(to: folder.id), operation)
            try moveTree(folder, to: place, named: free, operation)
            return .folder(try view.folder(folder.id))
        case .fund: throw StoreError(.invalid, operation, "a fund cannot be moved")
        }
    }

    /// Moves a folder: only its own row, unless it comes into another fund.
    private func moveTree(
        _ folder: FolderEntry, to place: LibraryPlace, named name: String, _ operation: String
    ) throws {
        if folder.fund != place.fund {
            let below = "\(Self.liveTree) SELECT id FROM tree"
            let folders: [FolderEntry.ID] = try db.values(below, [folder.id])
            try takeOver(folder, in: place.fund, operation)
            for id in folders {
                try db.execute(
                    "UPDATE file SET fund_id = ? WHERE folder_id = ? AND fund_id = ? AND deleted_at IS NULL",
                    [place.fund, id, folder.fund])
                // Items that were deleted in there before stay restorable where the folder was.
                try db.execute("UPDATE file SET folder_id = NULL WHERE folder_id = ? AND deleted_at IS NOT NULL", [id])
                try db.execute(
                    "UPDATE folder SET parent_id = NULL WHERE parent_id = ? AND deleted_at IS NOT NULL", [id])
            }
            for id in folders where id != folder.id {
                try db.execute("UPDATE folder SET fund_id = ? WHERE id = ?", [place.fund, id])
            }
        }
        try db.execute(
            "UPDATE folder SET fund_id = ?, parent_id = ?, name = ?, name_key = ?, modified_at = ? WHERE id = ?",
            [place.fund, place.folder, name, FileName.key(name), now, folder.id])
    }

    /// Makes a new file or folder. Files are independent of the email that the first one came with.
    func copy(
        _ item: LibraryItemID, to place: LibraryPlace, named name: String?, ifTaken conflict: NameConflict,
        isShallow: Bool
    ) throws -> LibraryItem {
        let operation = "copy an item"
        let old = try source(item, operation)
        try view.check(place)
        if !isShallow { try refuseIntoItself(old, place, operation) }
        let wanted = try name.map { try LibraryName.checked($0, operation) } ?? old.name
        var (free, replaced): (String, FileEntry?) = (wanted, nil)
        switch try target(named: wanted, in: place, ifTaken: conflict, operation) {
        case .free(let name): free = name
        case .file(let file):
            guard item != .file(file.id) else {
                throw StoreError(operation, InputProblem(.sameFile, "it is the same file"))
            }
            replaced = file
        case .folder(let folder):
            try refuseAround(folder.id, old, operation)
            try delete(.folder(folder.id))
        }
        switch old {
        case .file(let file): return .file(try copy(file, to: place, named: free, replacing: replaced, operation))
        case .folder(let folder):
            if let replaced { try delete(.file(replaced.id)) }
            try checkReach(free, in: place, holding: isShallow ? .init() : try reach(below: folder.id), operation)
            // Read before anything is written: a copy beside itself must not meet itself.
            let tree = isShallow ? [folder] : try subtree(of: folder)
            if !isShallow { try checkSize(of: tree, operation) }
            return .folder(try copy(tree, to: place, named: free, withFiles: !isShallow))
        case .fund: throw StoreError(.invalid, operation, "a fund cannot be copied")
        }
    }

    /// Throws `notFound`, `alreadyExists`, `invalid`.
    func copyFund(_ id: Fund.ID, to name: String, isShallow: Bool) throws -> FundEntry {
        _ = try view.fund(id)
        let copy = try addFund(name)
        try copyProperties(from: .fund(id), to: .fund(copy.id))
        guard !isShallow else { return copy }
        let (from, to) = (LibraryPlace(fund: id), LibraryPlace(fund: copy.id))
        let trees = try view.folders(in: from).map { try subtree(of: $0) }
        try checkSize(of: trees.flatMap(\.self), andTopOf: id, "copy a fund")
        for tree in trees { _ = try self.copy(tree, to: to, named: tree[0].name, withFiles: true) }
        try copyFiles(in: from, to: to)
        var entry = try view.fund(copy.id)
        entry.tookNameFrom = copy.tookNameFrom
        return entry
    }

    private func copy(
        _ file: FileEntry, to place: LibraryPlace, named name: String, replacing old: FileEntry?, _ operation: String
    ) throws -> FileEntry {
        let blobID: BlobRows.ID? = try db.value("SELECT blob_id FROM file WHERE id = ?", [file.id])
        guard let blobID else { throw view.missing() }
        let content = Content(blobID: blobID, size: file.size, contentType: file.contentType)
        if let old {
            try replaceContent(of: old, with: content, operation)
            try db.execute("DELETE FROM property WHERE kind = ? AND item_id = ?", [ItemKind.file.rawValue, old.id])
        }
        let id = try old?.id ?? insertFile(content, named: name, in: place, operation)
        try copyProperties(from: .file(file.id), to: .file(id))
        return try view.file(id)
    }

    /// A copy holds the write lock, for 18 µs an item. The bound keeps it below a second.
    private static let maxCopied = 50_000

    private func checkSize(of tree: [FolderEntry], andTopOf fund: Fund.ID? = nil, _ operation: String) throws {
        var count = tree.count
        let sql = "SELECT count(*) FROM file WHERE fund_id = ? AND \(ItemKind.file.parent) = ? AND deleted_at IS NULL"
        var places = tree.map { LibraryPlace(fund: $0.fund, folder: $0.id) }
        if let fund { places.append(LibraryPlace(fund: fund)) }
        for place in places where count <= Self.maxCopied {
            count += try db.value(sql, place.arguments) ?? 0
        }
        guard count <= Self.maxCopied else {
            throw StoreError(
                .invalid, operation,
                "more than \(Self.maxCopied) files and folders cannot be copied at once: copy parts of it")
        }
    }

    /// Parents before children. Ends when there are too many for a copy.
    private func subtree(of folder: FolderEntry) throws -> [FolderEntry] {
        var (result, next) = ([folder], 0)
        while next < result.count, result.count <= Self.maxCopied {
            let parent = result[next]
            result += try view.folders(in: LibraryPlace(fund: parent.fund, folder: parent.id))
            next += 1
        }
        return result
    }

    private func copy(_ tree: [FolderEntry], to place: LibraryPlace, named name: String, withFiles: Bool) throws
        -> FolderEntry
    {
        var copies: [FolderEntry.ID: FolderEntry.ID] = [:]
        for (index, folder) in tree.enumerated() {
            let parent = index == 0 ? place.folder : folder.parent.flatMap { copies[$0] }
            let id = try insertFolder(
                index == 0 ? name : folder.name, in: LibraryPlace(fund: place.fund, folder: parent))
            copies[folder.id] = id
            try copyProperties(from: .folder(folder.id), to: .folder(id))
            if withFiles {
                try copyFiles(
                    in: LibraryPlace(fund: folder.fund, folder: folder.id),
                    to: LibraryPlace(fund: place.fund, folder: id))
            }
        }
        guard let top = tree.first.flatMap({ copies[$0.id] }) else { throw view.missing() }
        return try view.folder(top)
    }

    /// Copies files into a place that is new: it holds nothing but the copies afterwards.
    private func copyFiles(in old: LibraryPlace, to place: LibraryPlace) throws {
        let lies = { (fund: String, folder: String) in
            "fund_id = \(fund) AND \(SQL.parent("folder_id")) = \(folder) AND deleted_at IS NULL"
        }
        let bytes: Int64? = try db.value("SELECT sum(size) FROM file WHERE \(lies("?1", "?2"))", old.arguments)
        try take(bytes ?? 0, in: place.fund, "copy files")
        try db.execute(
            """
            INSERT INTO file (id, fund_id, folder_id, name, name_key, blob_id, size, content_type, created_at,
                    modified_at)
                SELECT \(RowNumbers.next(.file)) - 1 + row_number() OVER (ORDER BY name_key), ?1, ?2, name, name_key,
                    blob_id, size, content_type, ?3, ?3 FROM file WHERE \(lies("?4", "?5"))
            """, [place.fund, place.folder, now, old.fund, old.folder ?? 0])
        let kind = ItemKind.file.rawValue
        try db.execute(
            """
            INSERT INTO change_due (kind, item_id, fund_id)
                SELECT \(kind), id, ?1 FROM file WHERE \(lies("?1", "?2")) ORDER BY id
            """, [place.fund, place.folder ?? 0])
        try db.execute(
            """
            INSERT INTO property (kind, item_id, name, value)
                SELECT \(kind), new.id, property.name, property.value FROM file AS old
                \(SQL.thenJoin) property ON property.kind = \(kind) AND property.item_id = old.id
                \(SQL.thenJoin) file AS new ON new.fund_id = ?1 AND \(SQL.parent("new.folder_id")) = ?2
                    AND new.name_key = old.name_key AND new.deleted_at IS NULL
                WHERE old.fund_id = ?3 AND \(SQL.parent("old.folder_id")) = ?4 AND old.deleted_at IS NULL
            """, [place.fund, place.folder ?? 0, old.fund, old.folder ?? 0])
    }

    private func copyProperties(from: LibraryItemID, to: LibraryItemID) throws {
        try db.execute(
            """
            INSERT INTO property (kind, item_id, name, value)
                SELECT kind, ?, name, value FROM property WHERE kind = ? AND item_id = ?
            """, [to.number, from.kind.rawValue, from.number])
    }

    // MARK: Source and target

    /// The place to which an item is to go, with what was left open as it is in this transaction.
    func place(_ place: ItemTarget.Place, for item: LibraryItemID, _ operation: String) throws -> LibraryPlace {
        switch place {
        case .place(let place): return place
        case .folder(let id): return LibraryPlace(fund: try view.folder(id).fund, folder: id)
        case .unchanged:
            switch try source(item, operation) {
            case .file(let file): return LibraryPlace(fund: file.fund, folder: file.folder)
            case .folder(let folder): return LibraryPlace(fund: folder.fund, folder: folder.parent)
            case .fund(let fund): return LibraryPlace(fund: fund.id)
            }
        }
    }

    private func source(_ item: LibraryItemID, _ operation: String) throws -> LibraryItem {
        switch item {
        case .folder(let id): return .folder(try view.folder(id))
        case .file(let id): return .file(try view.file(id))
        case .fund, .email, .note:
            try view.check(item)
            throw StoreError(.invalid, operation, "only files and folders can be moved and copied")
        }
    }

    private func refuseIntoItself(_ item: LibraryItem, _ place: LibraryPlace, _ operation: String) throws {
        guard case .folder(let folder) = item, try ancestors(of: place.folder).contains(folder.id) else { return }
        throw StoreError(operation, InputProblem(.intoItself, "a folder cannot go into itself"))
    }

    /// A folder that is to be replaced must not hold what replaces it.
    private func refuseAround(_ folder: FolderEntry.ID, _ item: LibraryItem, _ operation: String) throws {
        let start: FolderEntry.ID? =
            switch item {
            case .file(let file): file.folder
            case .folder(let folder): folder.id
            case .fund: nil
            }
        guard try !ancestors(of: start).contains(folder) else {
            throw StoreError(
                operation, InputProblem(.replacesItsFolder, "it lies in the folder that it would replace"))
        }
    }

    /// A folder and the folders that hold it.
    private func ancestors(of folder: FolderEntry.ID?) throws -> Set<FolderEntry.ID> {
        guard let folder else { return [] }
        return Set(
            try db.values(
                """
                WITH RECURSIVE up (id) AS (
                    SELECT ?1 UNION SELECT folder.parent_id FROM up \(SQL.thenJoin) folder ON folder.id = up.id
                    WHERE folder.parent_id IS NOT NULL)
                SELECT id FROM up
                """, [folder]))
    }
}

extension LibraryItem {
    var name: String {
        switch self {
        case .fund(let fund): fund.name
        case .folder(let folder): folder.name
        case .file(let file): file.name
        }
    }
}
