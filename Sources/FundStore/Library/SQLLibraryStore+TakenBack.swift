package import FundCore

extension SQLLibraryStore {
    package func takenBack(_ files: [FileEntry.ID], of user: User.ID) async throws -> [FileEntry.ID: String] {
        guard !files.isEmpty else { return [:] }
        return try await viewing("find who took files back", of: user) { view in
            let deleted: [(file: FileEntry.ID, at: Timestamp)] = try view.fetch(
                """
                SELECT file.id, file.deleted_at FROM file JOIN fund ON fund.id = file.fund_id
                WHERE \(LibraryView.visible(as: "?1")) AND file.deleted_at IS NOT NULL AND file.id \(SQL.isAmong("?2"))
                """, [SQL.list(files.map(\.rawValue))]
            ).map { ($0[0], $0[1]) }
            // Undoing a step deletes its files in the same second, and keeps their numbers in it. The audit trail finds
            // the steps of these seconds by an index; those of one message are few.
            let steps = try view.db.rows(
                """
                SELECT desk_step.undone_by, desk_step.files FROM audit \(SQL.thenJoin) desk_step
                    ON desk_step.misroute_id = CAST(substr(audit.subject, length('misrouted ') + 1) AS INTEGER)
                WHERE audit.action = '\(AuditAction.misrouteUndo.rawValue)' AND audit.at \(SQL.isAmong("?1"))
                    AND desk_step.kind = '\(DeskRows.StepKind.file.rawValue)' AND desk_step.undone_at = audit.at
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
