internal import GRDB
import FundCore

extension LibraryChange {
    func addNote(_ text: NoteText, in fund: Fund.ID) throws -> NoteEntry {
        _ = try view.fund(fund)
        let time = try max(now, latestNoteTime(in: fund) ?? now)
        try execute(
            """
            INSERT INTO note (fund_id, user_id, title, body, created_at, modified_at) VALUES (?, ?, ?, ?, ?, ?)
            """, [fund, user, text.title.cleaned, text.content.cleaned, now, time])
        return try view.note(db.lastInsertedID())
    }

    func changeNote(_ id: NoteEntry.ID, _ change: NoteChange) throws -> NoteEntry {
        let note = try unchanged(id, since: change.unlessChangedSince)
        try execute(
            "UPDATE note SET title = coalesce(?, title), body = coalesce(?, body), modified_at = ? WHERE id = ?",
            [change.title?.cleaned, change.content?.cleaned, try noteTime(after: note), id])
        return try view.note(id)
    }

    func deleteNote(_ id: NoteEntry.ID, unlessChangedSince: Timestamp?) throws {
        _ = try unchanged(id, since: unlessChangedSince)
        try delete(.note(id))
    }

    func restoreNote(_ id: NoteEntry.ID) throws -> NoteEntry {
        let note = try view.note(id, .deleted)
        guard try root(of: .note(id)) != nil else { throw view.missing() }
        try execute(
            "UPDATE note SET deleted_at = NULL, modified_at = ? WHERE id = ?", [try noteTime(after: note), id])
        try forgetDeletion(of: .note(id))
        return try view.note(id)
    }

    /// Later than the note's own time, and not before any other of the fund: who asks for what changed since the latest time
    /// they saw misses nothing.
    func noteTime(after note: NoteEntry) throws -> Timestamp {
        try max(now, latestNoteTime(in: note.fund) ?? now, note.modifiedAt + .seconds(1))
    }

    private func latestNoteTime(in fund: Fund.ID) throws -> Timestamp? {
        try Timestamp.fetchOne(
            db.cachedStatement(sql: "SELECT max(modified_at) FROM note WHERE fund_id = ?"), arguments: [fund])
    }

    private func unchanged(_ id: NoteEntry.ID, since: Timestamp?) throws -> NoteEntry {
        let note = try view.note(id)
        guard since == nil || since == note.modifiedAt else {
            throw StoreError(.conflict, "change a note", "it was changed in between")
        }
        return note
    }
}
