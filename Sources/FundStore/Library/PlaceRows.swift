package import FundCore

extension SQLLibraryStore {
    package func rows(
        of place: LibraryPlace, by order: ItemOrder, matching filter: FileFilter, _ page: PageQuery, of user: User.ID
    ) async throws -> ListPage<PlaceRow> {
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 2, texts: 1) }
        return try await viewing("list a folder with its mail", of: user) { view in
            try view.check(place)
            let list = try ItemList(place, by: order, matching: filter, limit: page.limit, view)
            return try PlaceRows(view: view, place: place, hasVersions: filter.isEmpty).page(of: list, after: cursor)
        }
    }
}

/// The items of a place with the emails that brought the files, and with their other versions: a few questions for all
/// items of a page.
struct PlaceRows {
    /// Parts of a list that one page may be made of: older versions have no row of their own, and a part may have
    /// nothing else.
    private static let maxParts = 4

    let view: LibraryView
    let place: LibraryPlace
    let hasVersions: Bool

    func page(of list: ItemList, after cursor: ListCursor?) throws -> ListPage<PlaceRow> {
        var (rows, next, parts): ([PlaceRow], ListCursor?, Int) = ([], cursor, 0)
        while true {
            let part = try list.page(after: next)
            rows += try self.rows(part.items)
            parts += 1
            guard let text = part.next, rows.count < list.limit / 2, parts < Self.maxParts else {
                return ListPage(items: rows, next: part.next)
            }
            next = try ListCursor(decoding: text, numbers: 2, texts: 1)
        }
    }

    /// Rows of items, without the files that a later version stands for.
    func rows(_ items: [LibraryItem]) throws -> [PlaceRow] {
        let files = items.compactMap { if case .file(let file) = $0 { file } else { nil } }
        let emails = try emails(Set(files.compactMap(\.email)))
        let versions = hasVersions ? try VersionRows(view: view, place: place).versions(of: files) : [:]
        return items.compactMap { item in
            guard case .file(let file) = item else { return PlaceRow(item) }
            let all = versions[file.id]
            guard all?.files.first.map({ $0.id == file.id }) ?? true else { return nil }
            return PlaceRow(item, email: file.email.flatMap { emails[$0] }, versions: all)
        }
    }

    private func emails(_ ids: Set<EmailSummary.ID>) throws -> [EmailSummary.ID: EmailSummary] {
        guard !ids.isEmpty else { return [:] }
        let found = try view.emails(where: LibraryView.among(.email), [SQL.list(ids.map(\.rawValue))])
        return Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    }
}
