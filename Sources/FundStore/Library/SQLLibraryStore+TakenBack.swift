package import FundCore

extension SQLLibraryStore {
    package func takenBack(_ files: [FileEntry.ID], of user: User.ID) async throws -> [FileEntry.ID: String] {
        guard !files.isEmpty else { return [:] }
        return try await viewing("find who took files back", of: user) { view in
            let deleted: [(file: FileEntry.ID, at: Timestamp)] = try view.fetch(
                """
                SELECT file.id, file.deleted_at FROM file JOIN fund ON fund.id = file.fund_id
                WHERE fund.owner_id = ?1 AND file.deleted_at IS NOT NULL AND file.id \(SQL.isAmong("?2"))
                """, [SQL.list(files.map(\.rawValue))]
            ).map { ($0[0], $0[1]) }
            // Undoing a step deletes its files in the same second, and keeps their numbers in it.
            let steps = try view.db.rows(
                """
                SELECT undone_by, files FROM desk_step
                WHERE kind = '\(DeskRows.StepKind.file.rawValue)' AND undone_at \(SQL.isAmong("?1"))
                """, [SQL.list(Set(deleted.map(\.at.rawValue)).sorted())])
            var found: [FileEntry.ID: String] = [:]
            for step in steps {
                guard let who: String = step[0], let lines: String = step[1] else { continue }
                let numbers = Set(lines.split(separator: "\n").map { $0.prefix { $0 != " " } })
                for (file, _) in deleted where numbers.contains("\(file)") { found[file] = who }
            }
            return found
        }
    }
}
