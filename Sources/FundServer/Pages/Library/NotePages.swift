internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let noteRoutes: [PageRoute] = [
        .get("/library/funds/{fund}/new-note") { call in
            let head = try await FundHead(try call.id("fund"), .notes, call)
            return try await notePage(head, NoteText(title: "", content: ""), call)
        },
        .writing("/library/funds/{fund}/notes") { call, form in
            .note(NoteDraft(.new(try call.id("fund")), form))
        } save: { call, form in
            let head = try await FundHead(try call.id("fund"), .notes, call)
            let text = NoteText(title: form["title"] ?? "", content: form["content"] ?? "")
            do {
                let note = try await call.library.addNote(text, in: head.fund.id, of: try call.userID)
                return call.redirect(to: "/library/notes/\(note.id)?done=saved")
            } catch let failure as StoreError where failure.code == .invalid {
                return try await notePage(head, text, call, failure: call.words.sentence(failure.requestError))
            }
        },
        .writing("/library/notes/{note}") { call, form in
            .note(NoteDraft(.note(try call.id("note")), form))
        } save: { call, form in
            let (id, user): (NoteEntry.ID, User.ID) = (try call.id("note"), try call.userID)
            // Half a form would empty the note, or overwrite what another wrote.
            guard let title = form["title"], let content = form["content"],
                let since = form["since"].flatMap({ QueryText.number($0) })
            else { throw RequestError.invalid("the form is incomplete; load the note again") }
            let text = NoteText(title: title, content: content)
            do {
                let change = NoteChange(
                    title: title, content: content, unlessChangedSince: Timestamp(since))
                _ = try await call.library.changeNote(id, change, if: nil, of: user)
                return call.redirect(to: "/library/notes/\(id)?done=saved")
            } catch let failure as StoreError where failure.isOne(of: .conflict, .invalid) {
                // Both versions on one page.
                let note = try await call.library.note(id, of: user)
                let head = try await FundHead(note.fund, .notes, call)
                let isConflict = failure.code == .conflict
                return try await notePage(
                    head, text, call, note: note, isConflict: isConflict,
                    failure: isConflict ? call.words("note.conflict") : call.words.sentence(failure.requestError))
            }
        },
    ]

    /// The editor with a text that was sent when its session had ended, which another one may have followed. Saving it
    /// is up to its writer.
    static func noteDraftPage(_ draft: NoteDraft, _ call: PageCall) async throws -> Response {
        do {
            switch draft.place {
            case .new(let fund):
                return try await notePage(try await FundHead(fund, .notes, call), draft.text, call, isDraft: true)
            case .note(let id):
                let note = try await call.library.note(id, of: try call.userID)
                let head = try await FundHead(note.fund, .notes, call)
                // A change by another program meanwhile is found when it is saved.
                return try await notePage(head, draft.text, call, note: note, since: draft.since, isDraft: true)
            }
        } catch let failure as StoreError where failure.code == .notFound {
            return try await homelessDraftPage(draft, call)
        }
    }

    /// The page of a draft whose note or fund is gone: a new note of the first fund that there is, else a text that can
    /// be copied.
    static func homelessDraftPage(_ draft: NoteDraft, _ call: PageCall) async throws -> Response {
        // Whatever keeps a fund from being shown, the text is.
        let fund = try? await call.library.funds(of: try call.userID, PageQuery(limit: 1)).items.first
        guard let fund, let head = try? await FundHead(fund.id, .notes, call) else {
            return try await lonePage(
                of: .note(draft), call, because: "draft.nofund", next: ("/library", "error.home"))
        }
        return try await notePage(head, draft.text, call, isDraft: true, failure: call.words("draft.homeless"))
    }

    /// - Parameters:
    ///   - text: what stands in the fields; on a conflict `note` has what another wrote meanwhile.
    ///   - since: `modifiedAt` of the note that the text is a change of; nil for that of `note`.
    private static func notePage(
        _ head: FundHead, _ text: NoteText, _ call: PageCall, note: NoteEntry? = nil, since: Timestamp? = nil,
        isConflict: Bool = false, isDraft: Bool = false, failure: String? = nil
    ) async throws -> Response {
        var model = NoteEditor.model(text, in: head.fund.id, note: note, since: since, call)
        model.merge([
            "fund": head.model, "hasPaper": true, "isConflict": isConflict,
            "isUnsaved": isDraft || isConflict || failure != nil,
        ])
        if isDraft, failure == nil { model["done"] = call.words("draft.shown") }
        if let note, isConflict { (model["otherTitle"], model["otherContent"]) = (note.text.title, note.text.content) }
        if let failure { model["failure"] = failure }
        let title = note == nil && text.title.isEmpty ? call.words("note.new") : NoteEditor.title(text, call)
        // Two long notes on one page, where `"` takes six bytes.
        try await call.reservePage(of: model)
        return call.page(
            "note", model, title: title,
            status: isConflict ? .conflict : failure == nil || isDraft ? .ok : .unprocessableContent)
    }
}
