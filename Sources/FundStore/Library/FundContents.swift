package import FundCore

extension SQLLibraryStore {
    package func contents(
        of fund: Fund.ID, _ page: PageQuery, of user: User.ID
    ) async throws -> ListPage<FundContent> {
        let cursor = try page.cursor.map { try FundContents.Cursor(decoding: $0) }
        return try await viewing("list what a fund has", of: user) { view in
            let place = LibraryPlace(fund: fund)
            try view.check(place)
            return try FundContents(view: view, place: place, limit: page.limit).page(after: cursor)
        }
    }
}

/// The folders at the top of a fund by name, and then its files there, its mail and its notes together, latest first.
/// Each kind comes from an index of its own order, so that the work is bounded by the page. A cursor has the ends of
/// all kinds.
private struct FundContents {
    let view: LibraryView
    let place: LibraryPlace
    let limit: Int

    /// The end of a page.
    struct Cursor {
        /// Time and id of the last file, email and note.
        var files, emails, notes: (time: Int64, id: Int64)
        /// Id of the last folder; nil once there are no more.
        var folder: Int64?
        /// Name of the last folder in the form in which names are compared.
        var folderKey = ""

        private static let start: (time: Int64, id: Int64) = (.max, .max)

        init() { (files, emails, notes, folder) = (Self.start, Self.start, Self.start, 0) }

        init(decoding text: String) throws {
            let cursor = try ListCursor(decoding: text, numbers: 7, texts: 1)
            let numbers = cursor.numbers
            (files, emails, notes) = ((numbers[0], numbers[1]), (numbers[2], numbers[3]), (numbers[4], numbers[5]))
            (folder, folderKey) = (numbers[6] < 0 ? nil : numbers[6], cursor.texts[0])
        }

        var text: String {
            ListCursor(
                files.time, files.id, emails.time, emails.id, notes.time, notes.id, folder ?? -1, texts: [folderKey]
            ).text
        }
    }

    func page(after start: Cursor?) throws -> ListPage<FundContent> {
        var end = start ?? Cursor()
        var list = ListPageBuilder<FundContent>(limit: limit)
        if end.folder != nil {
            for folder in try folders(after: end) {
                guard list.add(.placed(PlaceRow(.folder(folder)))) else { break }
                (end.folder, end.folderKey) = (folder.id.rawValue, FileName.key(folder.name))
            }
            if !list.hasMore { end.folder = nil }
        }
        let isWhole = try !list.hasMore && addLatest(to: &list, &end)
        return ListPage(items: list.items, next: isWhole ? nil : end.text)
    }

    private func folders(after end: Cursor) throws -> [FolderEntry] {
        let keys = Keyset("folder.name_key", "folder.id")
        return try view.folders(
            where: "\(LibraryView.lies(.folder)) AND \(keys.isBehind("?4, ?5"))",
            place.arguments + [end.folderKey, end.folder ?? 0], LibraryView.Sorting(by: keys.order, limit: limit + 1))
    }

    /// Returns whether nothing is left. A page ends where more of one kind has to be read than was, as older versions
    /// and long notes need.
    private func addLatest(to list: inout ListPageBuilder<FundContent>, _ end: inout Cursor) throws -> Bool {
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
            let times = [files.first?.time, emails.first?.receivedAt, notes.first?.modifiedAt]
            guard let latest = times.compactMap({ $0 }).max() else { return true }
            if let file = files.first, file.time == latest {
                // An older version has no row, and the next page begins behind it.
                if let row = file.row, !list.add(.placed(row)) { return false }
                end.files = (latest.rawValue, file.id.rawValue)
                files.removeFirst()
            } else if let email = emails.first, email.receivedAt == latest {
                guard list.add(.email(email), textBytes: email.textBytes) else { return false }
                end.emails = (latest.rawValue, email.id.rawValue)
                emails.removeFirst()
            } else if let note = notes.popFirst() {
                let bytes = note.text.content.utf8.count
                guard list.add(.note(note), textBytes: bytes) else { return false }
                end.notes = (latest.rawValue, note.id.rawValue)
            }
        }
    }

    private struct Listed {
        let id: FileEntry.ID
        let time: Timestamp
        /// Nil for an older version.
        let row: PlaceRow?
    }

    private func files(after end: Cursor) throws -> [Listed] {
        let order = ItemOrder(.modifiedAt, isDescending: true)
        let cursor = ListCursor(Int64(ItemKind.file.rawValue), end.files.id, texts: ["\(end.files.time)"])
        let files = try ItemList(place, by: order, limit: limit, view).files(after: cursor)
        let rows = try PlaceRows(view: view, place: place, hasVersions: true).rows(files.map(LibraryItem.file))
        let known = Dictionary(rows.map { ($0.item.itemID, $0) }) { first, _ in first }
        return files.map { Listed(id: $0.id, time: $0.modifiedAt, row: known[.file($0.id)]) }
    }

    private func emails(after end: Cursor) throws -> [EmailSummary] {
        var query = EmailQuery()
        query.fund = place.fund
        return try EmailList(query, view).emails(
            after: ListCursor(end.emails.time, end.emails.id), count: limit + 1)
    }

    private func notes(after end: Cursor) throws -> ListPage<NoteEntry> {
        let order = NoteOrder(.modifiedAt, isDescending: true)
        let cursor = ListCursor(end.notes.id, texts: ["\(end.notes.time)"])
        return try NoteList(view: view, fund: place.fund, order: order, limit: limit + 1).page(after: cursor)
    }
}
