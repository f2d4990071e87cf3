internal import FundCore

/// A note that is opened: it is read and written in one form.
enum OpenedNote {
    static func content(_ id: NoteEntry.ID, in list: ShownList, _ call: PageCall) async throws -> OpenedContent {
        let user = try call.userID
        let note = try await call.library.note(id, of: user)
        let fund = try await call.library.fund(note.fund, of: user)
        let model = NoteEditor.model(note.text, in: note.fund, note: note, call)
        // A long note, where `"` takes six bytes.
        try await call.reservePage(of: model)
        return OpenedContent(
            title: NoteEditor.title(note.text, call), fund: fund, isFavourite: note.isFavourite,
            model: ["note": model])
    }
}
