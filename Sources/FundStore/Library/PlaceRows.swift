package import FundCore

extension SQLLibraryStore {
    package func rows(
        of place: LibraryPlace, by order: ItemOrder, _ page: PageQuery, of user: User.ID
    ) async throws -> ListPage<PlaceRow> {
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 2, texts: 1) }
        return try await viewing("list a folder with its mail", of: user) { view in
            try view.check(place)
            let list = try ItemList(view: view, place: place, order: order, limit: page.limit).page(after: cursor)
            return ListPage(items: try PlaceRows(view: view, place: place).rows(list.items), next: list.next)
        }
    }
}

/// The emails and the other versions of the files of one page: two questions for all of them.
private struct PlaceRows {
    let view: LibraryView
    let place: LibraryPlace

    /// The name of a file without the number behind it, in the form in which names are compared.
    private struct Name: Hashable {
        var base: String
        var suffix: String

        init(_ file: FileEntry) {
            let (stem, suffix) = FileName.split(file.name)
            var base = stem
            // Earlier versions of this program numbered a number: `x(1)(1).pdf`.
            while case let (shorter, number) = FileName.numbering(base), number > 0 { base = shorter }
            (self.base, self.suffix) = (FileName.key(base), FileName.key(suffix))
        }
    }

    func rows(_ items: [LibraryItem]) throws -> [PlaceRow] {
        let files = items.compactMap { if case .file(let file) = $0 { file } else { nil } }
        let emails = try emails(Set(files.compactMap(\.email)))
        let versions = try versions(of: files)
        return items.map { item in
            guard case .file(let file) = item else { return PlaceRow(item) }
            let all = versions[Name(file)] ?? []
            let index = all.firstIndex { $0.id == file.id }
            return PlaceRow(
                item, email: file.email.flatMap { emails[$0] },
                versions: index.map { FileVersions(files: all, index: $0) })
        }
    }

    private func emails(_ ids: Set<EmailSummary.ID>) throws -> [EmailSummary.ID: EmailSummary] {
        guard !ids.isEmpty else { return [:] }
        let found = try view.emails(where: LibraryView.among(.email), [SQL.list(ids.map(\.rawValue))])
        return Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Files by their names, where there are two at least and `FileVersions.maxCount` at most.
    private func versions(of files: [FileEntry]) throws -> [Name: [FileEntry]] {
        let names = Set(files.map(Name.init))
        guard !names.isEmpty else { return [:] }
        let (numbered, plain) = (
            SQL.list(words: Set(names.map { "\($0.base)(" }).sorted()),
            SQL.list(words: names.map { $0.base + $0.suffix }.sorted())
        )
        let lies = "fund_id = ?1 AND \(SQL.parent("folder_id")) = ?2 AND deleted_at IS NULL"
        // Behind `(` comes `)`: between the two stand all keys that begin with the base and the bracket.
        let few = """
            SELECT id FROM file AS numbered WHERE \(lies) AND name_key >= start.id
                AND name_key < substr(start.id, 1, length(start.id) - 1) || ')'
            ORDER BY name_key \(SQL.limit(FileVersions.maxCount + 1))
            """
        let ids: [Int64] = try view.db.values(
            """
            SELECT file.id FROM (\(SQL.each("?3"))) AS start \(SQL.thenJoin) file ON file.id IN (\(few))
            UNION SELECT id FROM file WHERE \(lies) AND name_key \(SQL.isAmong("?4"))
            """, place.arguments + [numbered, plain])
        // A page without versions is the usual case: its files are known.
        guard ids.count > files.count || names.count < files.count else { return [:] }
        let found = try view.files(where: LibraryView.among(.file), [SQL.list(ids)])
        let named = found.map { (name: Name($0), file: $0) }
        // A base with more names than were read lacks some of them.
        let counts = Dictionary(grouping: named, by: \.name.base).mapValues(\.count)
        let known = named.filter {
            names.contains($0.name) && counts[$0.name.base, default: 0] <= FileVersions.maxCount
        }
        return Dictionary(grouping: known, by: \.name).filter { $0.value.count > 1 }
            .mapValues { $0.map(\.file).sorted { $0.id > $1.id } }
    }
}
