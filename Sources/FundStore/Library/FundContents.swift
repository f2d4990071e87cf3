package import FundCore

extension SQLLibraryStore {
    package func contents(
        of fund: Fund.ID, isOldestFirst: Bool, matching filter: FileFilter, _ page: PageQuery, of user: User.ID
    ) async throws -> ListPage<FundContent> {
        let cursor = try page.cursor.map { try FundContents.Cursor(decoding: $0) }
        return try await viewing("list what a fund has", of: user) { view in
            let place = LibraryPlace(fund: fund)
            try view.check(place)
            let contents = FundContents(
                view: view, place: place, isOldestFirst: isOldestFirst, filter: filter, limit: page.limit)
            return try contents.page(after: cursor)
        }
    }

    package func neighbours(
        of item: LibraryItemID, in fund: Fund.ID, isOldestFirst: Bool, matching filter: FileFilter, of user: User.ID
    ) async throws -> Neighbours<FundContent> {
        try await viewing("find what stands beside an item", of: user) { view in
            let place = LibraryPlace(fund: fund)
            try view.check(place)
            func first(isOldestFirst: Bool) throws -> FundContent? {
                try FundContents(view: view, place: place, isOldestFirst: isOldestFirst, filter: filter, limit: 5)
                    .first(behind: item)
            }
            return Neighbours(
                previous: try first(isOldestFirst: !isOldestFirst), next: try first(isOldestFirst: isOldestFirst))
        }
    }
}

/// The folders at the top of a fund by name, and then its files there, its mail and its notes together by time. Each
/// kind comes from an index of its own order, so that the work is bounded by the page. A cursor has the ends of all
/// kinds.
private struct FundContents {
    let view: LibraryView
    let place: LibraryPlace
    let isOldestFirst: Bool
    let filter: FileFilter
    let limit: Int

    /// The end of a page.
    struct Cursor {
        /// The last item of a kind; what is listed behind it comes next.
        struct End<Entity> {
            var time: Timestamp
            var id: ID<Entity>

            init(_ time: Timestamp, _ id: ID<Entity>) { (self.time, self.id) = (time, id) }
        }

        var files: End<FileEntry>
        var emails: End<EmailSummary>
        var notes: End<NoteEntry>
        /// Id of the last folder; nil once there are no more.
        var folder: FolderEntry.ID?
        /// Name of the last folder in the form in which names are compared.
        var folderKey = ""

        /// The beginning of the list.
        init(isOldestFirst: Bool) {
            let edge: Int64 = isOldestFirst ? .min : .max
            files = End(Timestamp(edge), ID(edge))
            emails = End(Timestamp(edge), ID(edge))
            notes = End(Timestamp(edge), ID(edge))
            folder = ID(0)
        }

        init(decoding text: String) throws {
            let cursor = try ListCursor(decoding: text, numbers: 7, texts: 1)
            let numbers = cursor.numbers
            files = End(Timestamp(numbers[0]), ID(numbers[1]))
            emails = End(Timestamp(numbers[2]), ID(numbers[3]))
            notes = End(Timestamp(numbers[4]), ID(numbers[5]))
            (folder, folderKey) = (numbers[6] < 0 ? nil : ID(numbers[6]), cursor.texts[0])
        }

        var text: String {
            ListCursor(
                files.time.rawValue, files.id.rawValue, emails.time.rawValue, emails.id.rawValue, notes.time.rawValue,
                notes.id.rawValue, folder?.rawValue ?? -1, texts: [folderKey]
            ).text
        }
    }

    func page(after start: Cursor?) throws -> ListPage<FundContent> {
        var end = start ?? Cursor(isOldestFirst: isOldestFirst)
        var list = ListPageBuilder<FundContent>(limit: limit)
        if filter.isEmpty, end.folder != nil {
            for folder in try folders(after: end) {
                guard list.add(.placed(PlaceRow(.folder(folder)))) else { break }
                (end.folder, end.folderKey) = (folder.id, FileName.key(folder.name))
            }
            if !list.hasMore { end.folder = nil }
        }
        let isWhole = try !list.hasMore && addByTime(to: &list, &end)
        return ListPage(items: list.items, next: isWhole ? nil : end.text)
    }

    private func folders(after end: Cursor) throws -> [FolderEntry] {
        let keys = Keyset("folder.name_key", "folder.id")
        return try view.folders(
            where: "\(LibraryView.lies(.folder)) AND \(keys.isBehind("?4, ?5"))",
            place.arguments + [end.folderKey, end.folder], LibraryView.Sorting(by: keys.order, limit: limit + 1))
    }

    /// Returns whether nothing is left. A page ends where more of one kind has to be read than was, as older versions
    /// and long notes need.
    private func addByTime(to list: inout ListPageBuilder<FundContent>, _ end: inout Cursor) throws -> Bool {
        var files = try files(after: end)[...]
        var emails = try emails(after: end)[...]
        let notePage = try notes(after: end)
        var notes = notePage.items[...]
        let (hasMoreFiles, hasMoreEmails) = (files.count > limit, emails.count > limit)
        while true {
            let isCut =
                files.isEmpty && hasMoreFiles || emails.isEmpty && hasMoreEmails
                || notes.isEmpty && notePage.next != nil
            if isCut { return false }
            let times = [
                ItemKind.file: files.first?.time, .email: emails.first?.receivedAt, .note: notes.first?.modifiedAt,
            ].compactMapValues(\.self)
            guard let next = isOldestFirst ? times.values.min() : times.values.max() else { return true }
            let kind = kinds.first { times[$0] == next }
            if kind == .file, let file = files.first {
                // An older version has no row, and the next page begins behind it.
                if let row = file.row, !list.add(.placed(row)) { return false }
                end.files = .init(next, file.id)
                files.removeFirst()
            } else if kind == .email, let email = emails.first {
                guard list.add(.email(email), textBytes: email.textBytes) else { return false }
                end.emails = .init(next, email.id)
                emails.removeFirst()
            } else if let note = notes.popFirst() {
                let bytes = note.text.content.utf8.count
                guard list.add(.note(note), textBytes: bytes) else { return false }
                end.notes = .init(next, note.id)
            }
        }
    }

    // MARK: Beside an item

    /// Kinds in the order in which the list has what came at one time; turned round, that is turned round, too.
    private var kinds: [ItemKind] { isOldestFirst ? [.note, .email, .file] : [.file, .email, .note] }

    /// Pages that are looked through, since older versions have no rows.
    private static let maxPages = 12

    /// The first row behind an item, whether or not that has one.
    func first(behind item: LibraryItemID) throws -> FundContent? {
        var end: Cursor? = try cursor(at: item)
        for _ in 0..<Self.maxPages {
            let page = try page(after: end)
            if let first = page.items.first { return first }
            guard let next = page.next else { return nil }
            end = try Cursor(decoding: next)
        }
        return nil
    }

    private func cursor(at item: LibraryItemID) throws -> Cursor {
        let time: Timestamp
        switch item {
        case .file(let id): time = try view.file(id).modifiedAt
        case .email(let id): time = try view.email(id).receivedAt
        case .note(let id): time = try view.note(id).modifiedAt
        case .fund, .folder: throw view.missing()
        }
        let (before, after): (Int64, Int64) = isOldestFirst ? (.min, .max) : (.max, .min)
        let place = kinds.firstIndex(of: item.kind) ?? 0
        /// Behind those of its time that stand before the item, and before those that stand behind it.
        func end<Entity>(_ kind: ItemKind) -> Cursor.End<Entity> {
            let index = kinds.firstIndex(of: kind) ?? 0
            return .init(time, ID(index == place ? item.number : index < place ? after : before))
        }
        var cursor = Cursor(isOldestFirst: isOldestFirst)
        (cursor.files, cursor.emails, cursor.notes, cursor.folder) = (end(.file), end(.email), end(.note), nil)
        return cursor
    }

    private struct Listed {
        let id: FileEntry.ID
        let time: Timestamp
        /// Nil for an older version.
        let row: PlaceRow?
    }

    private func files(after end: Cursor) throws -> [Listed] {
        let order = ItemOrder(.modifiedAt, isDescending: !isOldestFirst)
        let cursor = ListCursor(
            Int64(ItemKind.file.rawValue), end.files.id.rawValue, texts: ["\(end.files.time)"])
        let files = try ItemList(place, by: order, matching: filter, limit: limit, view).files(after: cursor)
        let rows = try PlaceRows(view: view, place: place, hasVersions: filter.isEmpty)
            .rows(files.map(LibraryItem.file))
        let known = Dictionary(rows.map { ($0.item.itemID, $0) }) { first, _ in first }
        return files.map { Listed(id: $0.id, time: $0.modifiedAt, row: known[.file($0.id)]) }
    }

    private func emails(after end: Cursor) throws -> [EmailSummary] {
        guard filter.kind == nil else { return [] }
        var query = EmailQuery()
        (query.fund, query.isOldestFirst) = (place.fund, isOldestFirst)
        (query.sender, query.since, query.until) = (filter.sender, filter.since, filter.until)
        return try EmailList(query, view).emails(
            after: ListCursor(end.emails.time.rawValue, end.emails.id.rawValue), count: limit + 1)
    }

    private func notes(after end: Cursor) throws -> ListPage<NoteEntry> {
        guard filter.kind == nil, filter.sender?.isEmpty ?? true else { return ListPage(items: [], next: nil) }
        let order = NoteOrder(.modifiedAt, isDescending: !isOldestFirst)
        let cursor = ListCursor(end.notes.id.rawValue, texts: ["\(end.notes.time)"])
        var list = NoteList(view: view, fund: place.fund, order: order, limit: limit + 1)
        (list.since, list.until) = (filter.since, filter.until)
        return try list.page(after: cursor)
    }
}
