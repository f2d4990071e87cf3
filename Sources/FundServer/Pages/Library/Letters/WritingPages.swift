internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// Letters that people write: to new recipients, in answer to a mail, or with files, notes and mails.
    static let letterRoutes: [PageRoute] = [
        .get(LetterDraft.path) { call in
            try await LetterPage(try await newDraft(call), call).response()
        },
        .writing(LetterDraft.path) { _, form in
            .letter(try LetterDraft(form: form))
        } save: { call, form in
            var page = LetterPage(try LetterDraft(form: form), call)
            page.isUnsaved = true
            switch form["act"] {
            case "send"?: return try await send(page.draft, call)
            case "find"?: page.asked = form["find"] ?? ""
            case let act?: if act.hasPrefix("remove-") { page.draft.items.remove(act.dropFirst("remove-".count)) }
            // Enter in a field sends no letter.
            case nil: break
            }
            return try await page.response()
        },
        // A form, since what is selected may not fit into an address.
        .post("/library/share") { call, form in
            let items = try ItemSelection(form: form)
            let back = call.localPath(form["back"]) ?? "/library"
            guard !items.items.isEmpty else { return call.redirect(to: LibraryPaths.with(back, "done=nothing")) }
            guard items.fitsAddress else { return call.redirect(to: LibraryPaths.with(back, "done=too-many")) }
            guard form["act"] == "link" else {
                return call.redirect(to: LetterDraft.path + items.query(back: back))
            }
            return call.redirect(to: SharingLinks.link(to: items, back: back))
        },
    ]

    /// The letter that an address begins: empty, with items, in answer to a mail, or passing one on.
    private static func newDraft(_ call: PageCall) async throws -> LetterDraft {
        let query = try call.query()
        var draft = LetterDraft()
        draft.items = try ItemSelection(query: query)
        (draft.fund, draft.back, draft.to) = (try query.id("fund"), call.localPath(query["back"]), query["to"] ?? "")
        if let id: EmailSummary.ID = try query.id("reply") {
            let answer = try await LetterAnswer(to: id, call)
            (draft.to, draft.cc) = answer.recipients(isToAll: query["all"] != nil)
            (draft.subject, draft.text) = (answer.subject("Re:"), try await answer.quotation())
            (draft.answered, draft.fund) = (id, answer.fund)
        } else if let id: EmailSummary.ID = try query.id("forward") {
            let answer = try await LetterAnswer(to: id, call)
            (draft.subject, draft.text) = (answer.subject("Fwd:"), try await answer.passedOn())
            (draft.items, draft.fund) = (ItemSelection(items: try await answer.items()), answer.fund)
        } else if !draft.items.items.isEmpty {
            draft.subject = try await LetterItems(draft.items.items, call).subject
        }
        return draft
    }

    static func letterDraftPage(_ draft: LetterDraft, _ call: PageCall) async throws -> Response {
        var page = LetterPage(draft, call)
        page.isCarried = true
        return try await page.response()
    }
}
