package import FundCore

extension SQLLibraryStore {
    package func rows(
        of place: LibraryPlace, by order: ItemOrder, _ page: PageQuery, of user: User.ID
    ) async throws -> ListPage<PlaceRow> {
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 2, texts: 1) }
        return try await viewing("list a folder with its mail", of: user) { view in
            try view.check(place)
            let list = try ItemList(view: view, place: place, order: order, limit: page.limit).page(after: cursor)
            return ListPage(items: try PlaceRows(view: view).rows(list.items), next: list.next)
        }
    }
}

/// The emails that brought the files of one page: one question for all of them.
private struct PlaceRows {
    let view: LibraryView

    func rows(_ items: [LibraryItem]) throws -> [PlaceRow] {
        let files = items.compactMap { if case .file(let file) = $0 { file } else { nil } }
        let emails = try emails(Set(files.compactMap(\.email)))
        return items.map { item in
            guard case .file(let file) = item else { return PlaceRow(item) }
            return PlaceRow(item, email: file.email.flatMap { emails[$0] })
        }
    }

    private func emails(_ ids: Set<EmailSummary.ID>) throws -> [EmailSummary.ID: EmailSummary] {
        guard !ids.isEmpty else { return [:] }
        let found = try view.emails(where: LibraryView.among(.email), [SQL.list(ids.map(\.rawValue))])
        return Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    }
}
