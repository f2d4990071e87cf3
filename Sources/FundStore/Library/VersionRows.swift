import FundCore

/// The versions of files of one place: files whose names differ by a number alone, files with the same bytes under
/// other names, and what either joins. A number behind a name makes it a version only where a file has the name without
/// a number: `Invoice(12).pdf` and `Invoice(13).pdf` may be two invoices.
///
/// Which files are versions of each other hangs on the files of the place alone, not on the page of the list from which
/// one asks: the latest stands for all others on every page, and on its own it has a row.
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

    private struct Candidate {
        let file: FileEntry
        let name: Name

        init(_ file: FileEntry) { (self.file, name) = (file, Name(file)) }
    }

    /// The versions of those of the files that have others, `FileVersions.maxCount` of each at most.
    func versions(of files: [FileEntry]) throws -> [FileEntry.ID: FileVersions] {
        var known = Dictionary(files.map { ($0.id, Candidate($0)) }) { first, _ in first }
        var (names, contents) = (Set<Name>(), Set<ContentDigest>())
        var stacks = Stacks()
        var fresh = Array(known.values)
        // A file that joins the others may have versions of its own. A list without any is done after the first round.
        while !fresh.isEmpty {
            let newNames = Set(fresh.map(\.name)).subtracting(names)
            // All empty files have the same bytes.
            let newContents = Dictionary(fresh.filter { $0.file.size > 0 }.map { ($0.file.digest, $0.file.id) }) {
                first, _ in first
            }.filter { !contents.contains($0.key) }
            let named = try candidates(try ids(of: newNames), &known)
            let same = try candidates(try ids(withBytesOf: newContents.values.map(\.rawValue)), &known)
            let groups = Self.groups(of: newNames, among: named) + Self.groups(of: Set(newContents.keys), among: same)
            names.formUnion(newNames)
            contents.formUnion(newContents.keys)
            var joined: [Candidate] = []
            for group in groups { joined += group.filter { stacks.join($0.file.id, group[0].file.id) } }
            fresh = joined.filter { stacks.members(with: $0.file.id).count <= FileVersions.maxCount }
        }
        var versions: [FileEntry.ID: FileVersions] = [:]
        for members in stacks.all where members.count <= FileVersions.maxCount {
            let all = FileVersions(files: members.compactMap { known[$0]?.file }.sorted { $0.id > $1.id })
            for file in all.files { versions[file.id] = all }
        }
        return versions
    }

    /// The files that have these ids; only those that are not known yet are read.
    private func candidates(
        _ ids: Set<Int64>, _ known: inout [FileEntry.ID: Candidate]
    ) throws -> [Candidate] {
        let unknown = ids.filter { known[FileEntry.ID($0)] == nil }
        if !unknown.isEmpty {
            for file in try view.files(where: LibraryView.among(.file), [SQL.list(unknown)]) {
                known[file.id] = Candidate(file)
            }
        }
        return ids.compactMap { known[FileEntry.ID($0)] }
    }

    // MARK: Names

    private static func groups(of names: Set<Name>, among found: [Candidate]) -> [[Candidate]] {
        let groups = Dictionary(grouping: found, by: \.name).filter { name, group in
            group.count > 1 && group.count <= FileVersions.maxCount && names.contains(name)
                && group.contains(where: \.name.isPlain)
        }
        guard !groups.isEmpty else { return [] }
        // A base with more names than were read lacks some of them.
        var counts = Dictionary(groups.keys.map { ($0.base, 0) }) { first, _ in first }
        for candidate in found {
            let key = FileName.key(candidate.file.name)
            for place in key.indices where key[place] == "(" { counts[String(key[..<place])]? += 1 }
        }
        return groups.filter { counts[$0.key.base, default: 0] <= FileVersions.maxCount }.map(\.value)
    }

    /// The files of these names, and those with a number behind them.
    private func ids(of names: Set<Name>) throws -> Set<Int64> {
        guard !names.isEmpty else { return [] }
        let lies = "fund_id = ?1 AND \(SQL.parent("folder_id")) = ?2 AND deleted_at IS NULL"
        // Behind `(` comes `)`: between the two stand all keys that begin with the base and the bracket.
        let few = """
            SELECT id FROM file AS numbered WHERE \(lies) AND name_key >= start.id
                AND name_key < substr(start.id, 1, length(start.id) - 1) || ')'
            ORDER BY name_key \(SQL.limit(FileVersions.maxCount + 1))
            """
        return Set(
            try view.db.values(
                """
                SELECT file.id FROM (\(SQL.each("?3"))) AS start \(SQL.thenJoin) file ON file.id IN (\(few))
                UNION SELECT id FROM file WHERE \(lies) AND name_key \(SQL.isAmong("?4"))
                """,
                place.arguments + [
                    SQL.list(words: Set(names.map { "\($0.base)(" }).sorted()),
                    SQL.list(words: names.map { $0.base + $0.suffix }.sorted()),
                ]))
    }

    // MARK: Bytes

    private static func groups(of contents: Set<ContentDigest>, among found: [Candidate]) -> [[Candidate]] {
        Dictionary(grouping: found, by: \.file.digest).filter { content, group in
            group.count > 1 && group.count <= FileVersions.maxCount && contents.contains(content)
        }.map(\.value)
    }

    /// The files with the bytes of these: themselves, and others of the place.
    private func ids(withBytesOf files: [Int64]) throws -> Set<Int64> {
        guard !files.isEmpty else { return [] }
        let few = """
            SELECT other.id FROM \(SQL.table("file AS other", using: "file_content"))
            WHERE other.blob_id = own.blob_id AND other.fund_id = ?1 AND \(SQL.parent("other.folder_id")) = ?2
                AND other.deleted_at IS NULL \(SQL.limit(FileVersions.maxCount + 1))
            """
        return Set(
            try view.db.values(
                """
                SELECT same.id FROM (\(SQL.each("?3"))) AS start \(SQL.thenJoin) file AS own ON own.id = start.id
                    \(SQL.thenJoin) file AS same ON same.id IN (\(few))
                """, place.arguments + [SQL.list(files.sorted())]))
    }
}

/// Files that belong together, each in one stack.
private struct Stacks {
    private var stackOf: [FileEntry.ID: Int] = [:]
    private var stacks: [[FileEntry.ID]] = []

    var all: [[FileEntry.ID]] { stacks.filter { $0.count > 1 } }

    func members(with file: FileEntry.ID) -> [FileEntry.ID] { stackOf[file].map { stacks[$0] } ?? [] }

    /// Puts two files, with all that belong to them, into one stack.
    /// - Returns: whether the first was in none before.
    mutating func join(_ first: FileEntry.ID, _ second: FileEntry.ID) -> Bool {
        let isNew = stackOf[first] == nil
        let (target, source) = (stack(of: second), stack(of: first))
        guard target != source else { return isNew }
        for file in stacks[source] { stackOf[file] = target }
        stacks[target] += stacks[source]
        stacks[source] = []
        return isNew
    }

    private mutating func stack(of file: FileEntry.ID) -> Int {
        if let stack = stackOf[file] { return stack }
        stackOf[file] = stacks.count
        stacks.append([file])
        return stacks.count - 1
    }
}
