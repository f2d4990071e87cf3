import FundCore

/// The versions of files of one place. A number behind a name makes it a version only where a file has the name without
/// a number: `Invoice(12).pdf` and `Invoice(13).pdf` may be two invoices.
struct VersionRows {
    let view: LibraryView
    let place: LibraryPlace

    /// The name of a file without the number behind it, in the form in which names are compared.
    private struct Name: Hashable {
        var base: String
        var suffix: String
        /// False for a name with a number.
        var isPlain: Bool

        init(_ file: FileEntry) {
            let parts = FileNameParts(file.name)
            var base = parts.stem
            // Earlier versions of this program numbered a number: `x(1)(1).pdf`.
            while case let (shorter, number) = FileName.numbering(base), number > 0 { base = shorter }
            (self.base, suffix) = (FileName.key(base), FileName.key(parts.suffix))
            isPlain = base == parts.stem
        }

        static func == (first: Name, second: Name) -> Bool {
            first.base == second.base && first.suffix == second.suffix
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(base)
            hasher.combine(suffix)
        }
    }

    /// The versions of those of the files that have others, `FileVersions.maxCount` of each at most.
    func versions(of files: [FileEntry]) throws -> [FileEntry.ID: FileVersions] {
        let names = Set(files.map(Name.init))
        guard !names.isEmpty else { return [:] }
        let ids = try ids(of: names)
        // A list without versions is the usual case: its files are known.
        guard ids.count > files.count || names.count < files.count else { return [:] }
        let named = try view.files(where: LibraryView.among(.file), [SQL.list(ids)]).map { (name: Name($0), file: $0) }
        // A base with more names than were read lacks some of them.
        let counts = Dictionary(grouping: named, by: \.name.base).mapValues(\.count)
        let groups = Dictionary(grouping: named, by: \.name).filter { name, found in
            names.contains(name) && found.count > 1 && found.contains(where: \.name.isPlain)
                && counts[name.base, default: 0] <= FileVersions.maxCount
        }
        var versions: [FileEntry.ID: FileVersions] = [:]
        for group in groups.values {
            let all = FileVersions(files: group.map(\.file).sorted { $0.id > $1.id })
            for file in all.files { versions[file.id] = all }
        }
        return versions
    }

    /// The files of these names, and those with a number behind them.
    private func ids(of names: Set<Name>) throws -> [Int64] {
        let lies = "fund_id = ?1 AND \(SQL.parent("folder_id")) = ?2 AND deleted_at IS NULL"
        // Behind `(` comes `)`: between the two stand all keys that begin with the base and the bracket.
        let few = """
            SELECT id FROM file AS numbered WHERE \(lies) AND name_key >= start.id
                AND name_key < substr(start.id, 1, length(start.id) - 1) || ')'
            ORDER BY name_key \(SQL.limit(FileVersions.maxCount + 1))
            """
        return try view.db.values(
            """
            SELECT file.id FROM (\(SQL.each("?3"))) AS start \(SQL.thenJoin) file ON file.id IN (\(few))
            UNION SELECT id FROM file WHERE \(lies) AND name_key \(SQL.isAmong("?4"))
            """,
            place.arguments + [
                SQL.list(words: Set(names.map { "\($0.base)(" }).sorted()),
                SQL.list(words: names.map { $0.base + $0.suffix }.sorted()),
            ])
    }
}
