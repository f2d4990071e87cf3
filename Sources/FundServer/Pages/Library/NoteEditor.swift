internal import FundCore

/// The form in which a note is read and written.
enum NoteEditor {
    static func title(_ text: NoteText, _ call: PageCall) -> String {
        call.words.title(text.title, of: .note)
    }

    /// For the template `noteform`.
    /// - Parameters:
    ///   - note: nil for a new one.
    ///   - since: `modifiedAt` of the note that the text is a change of; nil for that of `note`.
    static func model(
        _ text: NoteText, in fund: Fund.ID, note: NoteEntry?, since: Timestamp? = nil, _ call: PageCall
    ) -> PageModel {
        let address = note.map { "/library/notes/\($0.id)" } ?? "/library/funds/\(fund)/notes"
        var model: PageModel = [
            "noteTitle": text.title, "content": text.content, "isNew": note == nil, "here": address,
            "action": address, "isUnsaved": false, "draftKey": note.map { "note-\($0.id)" } ?? "new-\(fund)",
            "writer": call.signedIn.map { call.pages.sessions.drafts.writer($0.user.id) } ?? "",
            "notes": ShownList.notes(fund).address,
        ]
        if let note {
            (model["id"], model["since"]) = ("\(note.id)", "\(since ?? note.modifiedAt)")
            model["time"] = call.formats.exactTime(note.modifiedAt)
        }
        return model
    }
}
