/// One page of the notes of a fund.
package struct NotePage: Sendable, Hashable {
    package var notes: [NoteEntry]
    /// Changed notes that are deleted by now.
    package var deleted: [NoteEntry.ID]
    /// Gives the next ones; nil when there are none.
    package var next: String?

    package init(notes: [NoteEntry], deleted: [NoteEntry.ID], next: String?) {
        self.notes = notes
        self.deleted = deleted
        self.next = next
    }
}
