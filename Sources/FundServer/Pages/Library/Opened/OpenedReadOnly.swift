internal import FundHTTP
internal import FundCore

/// A deleted file, mail or note that is opened in the trash, or one of an archived fund: it is looked at, and nothing
/// of it changes.
struct OpenedReadOnly {
    let list: ShownList
    let call: PageCall

    /// Throws 404 for what the list does not hold.
    func content(of item: LibraryItemID) async throws -> OpenedContent {
        switch item {
        case .file(let id): try await file(id)
        case .email(let id): try await mail(id)
        case .note(let id): try await note(id)
        case .fund, .folder: throw RequestError.notFound
        }
    }

    private func file(_ id: FileEntry.ID) async throws -> OpenedContent {
        let user = try call.userID
        let file =
            list.isOfArchived
            ? try await call.archive.file(id, of: user) : try await call.library.deletedFile(id, of: user)
        return try await opened(
            file.name, in: file.fund, ["file": try await OpenedFile.shown(file, in: list, call)])
    }

    /// The text alone: pictures and files of a mail are those of one that is there.
    private func mail(_ id: EmailSummary.ID) async throws -> OpenedContent {
        let user = try call.userID
        let email =
            list.isOfArchived
            ? try await call.archive.email(id, of: user) : try await call.library.deletedEmail(id, of: user)
        var model = OpenedMail.heading(of: email.summary, call)
        model.merge([
            "hasFiles": !email.attachments.isEmpty,
            "attachments": try await OpenedMail.attachments(of: email, isOpen: false, call),
        ])
        model.merge(TextLinks.model(of: try await email.withPlainText(TextLinks.parts), call))
        return try await opened(call.words.subject(email.summary.subject), in: email.summary.fund, ["mail": model])
    }

    private func note(_ id: NoteEntry.ID) async throws -> OpenedContent {
        let user = try call.userID
        let note =
            list.isOfArchived
            ? try await call.archive.note(id, of: user) : try await call.library.deletedNote(id, of: user)
        let model: PageModel = ["wording": note.text.content]
        // A long note, where `"` takes six bytes.
        try await call.reservePage(of: model)
        return try await opened(NoteEditor.title(note.text, call), in: note.fund, ["formerNote": model])
    }

    private func opened(_ title: String, in fund: Fund.ID, _ model: PageModel) async throws -> OpenedContent {
        let funds: any FundLibrary = list.isOfArchived ? call.archive : call.library
        let fund = try await funds.fund(fund, of: try call.userID)
        return OpenedContent(title: title, fund: fund, isFavourite: false, model: model)
    }
}
