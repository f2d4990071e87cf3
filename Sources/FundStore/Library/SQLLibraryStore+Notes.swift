package import FundCore

extension SQLLibraryStore {
    package func note(_ id: NoteEntry.ID, of user: User.ID) async throws -> NoteEntry {
        try await viewing("read a note", of: user) { try $0.note(id) }
    }

    package func addNote(_ text: NoteText, in fund: Fund.ID, of user: User.ID) async throws -> NoteEntry {
        let operation = "add a note"
        if let problem = NoteText.problem(ofTitle: text.title) { throw StoreError(operation, problem) }
        return try await changing(operation, of: user) { change in
            _ = try change.view.fund(fund)
            let time = try max(change.now, change.latestNoteTime(in: fund) ?? change.now)
            let id: NoteEntry.ID = try change.db.insert(
                """
                INSERT INTO note (id, fund_id, user_id, title, body, created_at, modified_at)
                SELECT \(RowNumbers.next(.note)), id, owner_id, ?, ?, ?, ? FROM fund WHERE id = ?
                """,
                [text.title, text.content, change.now, time, fund])
            return try change.view.note(id)
        }
    }

    package func changeNote(
        _ id: NoteEntry.ID, _ note: NoteChange, if condition: ItemCondition?, of user: User.ID
    ) async throws -> NoteEntry {
        let operation = "change a note"
        return try await changing(operation, of: user) { change in
            try change.require(condition, of: .note(id), operation)
            let old = try change.unchanged(id, since: note.unlessChangedSince)
            // A title of before the limit stays.
            if let title = note.title, !title.utf8.elementsEqual(old.text.title.utf8),
                let problem = NoteText.problem(ofTitle: title)
            {
                throw StoreError(operation, problem)
            }
            try change.db.execute(
                "UPDATE note SET title = coalesce(?, title), body = coalesce(?, body), modified_at = ? WHERE id = ?",
                [note.title, note.content, try change.noteTime(after: old), id])
            return try change.view.note(id)
        }
    }

    package func deleteNote(
        _ id: NoteEntry.ID, unlessChangedSince: Timestamp?, if condition: ItemCondition?, of user: User.ID
    ) async throws {
        let operation = "delete a note"
        try await changing(operation, .reserve, of: user) { change in
            try change.require(condition, of: .note(id), operation)
            _ = try change.unchanged(id, since: unlessChangedSince)
            try change.delete(.note(id))
        }
    }

    package func restoreNote(
        _ id: NoteEntry.ID, unlessDeletedAfter time: Timestamp?, of user: User.ID
    ) async throws -> NoteEntry {
        try await changing("restore a note", .reserve, of: user) { change in
            try change.refuse(.note(id), ifDeletedAfter: time)
            let note = try change.view.note(id, .deleted)
            guard try change.root(of: .note(id)) != nil else { throw change.view.missing() }
            try change.db.execute(
                "UPDATE note SET deleted_at = NULL, modified_at = ? WHERE id = ?",
                [try change.noteTime(after: note), id])
            try Deletion.forget(.note(id), change.db)
            return try change.view.note(id)
        }
    }
}

extension LibraryChange {
    /// Later than the note's own time, and not before any other of the fund, so that a client that asks for changes
    /// since the latest time it saw misses none.
    func noteTime(after note: NoteEntry) throws -> Timestamp {
        try max(now, latestNoteTime(in: note.fund) ?? now, note.modifiedAt + .seconds(1))
    }

    fileprivate func latestNoteTime(in fund: Fund.ID) throws -> Timestamp? {
        try db.value("SELECT max(modified_at) FROM note WHERE fund_id = ?", [fund])
    }

    fileprivate func unchanged(_ id: NoteEntry.ID, since: Timestamp?) throws -> NoteEntry {
        let note = try view.note(id)
        guard since == nil || since == note.modifiedAt else {
            throw StoreError(.conflict, "change a note", "it was changed in between")
        }
        return note
    }
}
