internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// An act that saves or sends a text: its writer gets it back, whatever becomes of the session and of what the text
    /// is about.
    static func writing(
        _ path: String, _ draft: @escaping @Sendable (PageCall, FieldText) throws -> PageDraft,
        save: @escaping @Sendable (PageCall, FieldText) async throws -> Response
    ) -> PageRoute {
        let route = PageRoute(method: .post, path: path, access: .user) { call in
            let form = try await call.form()
            do {
                try call.checkToken(form["csrf"])
            } catch {
                // The page is of an earlier session, of the same person.
                guard call.pages.sessions.drafts.user(ofWriter: form["writer"] ?? "") == (try call.userID) else {
                    throw error
                }
                var page = try await draftPage(try draft(call, form), call)
                page.status = .forbidden
                return page
            }
            do { try await call.requireSender(for: .user) } catch is AuthenticationError {
                return try await signInPage(call, keeping: try draft(call, form), of: try call.userID)
            }
            do {
                return try await save(call, form)
            } catch let failure as StoreError where failure.code == .notFound {
                // Deleted meanwhile.
                var page = try await lostPage(of: try draft(call, form), call)
                page.status = .notFound
                return page
            }
        }
        return route.keeping(draft)
    }

    /// The form with a text that was sent when its session had ended, which another one may have followed. To save or
    /// send it is up to its writer.
    static func draftPage(_ draft: PageDraft, _ call: PageCall) async throws -> Response {
        switch draft {
        case .note(let note): try await noteDraftPage(note, call)
        case .letter(let letter): try await letterDraftPage(letter, call)
        }
    }

    /// The form with a text that cannot be saved or sent, since something that it is about is gone.
    private static func lostPage(of draft: PageDraft, _ call: PageCall) async throws -> Response {
        switch draft {
        case .note(let note): try await homelessDraftPage(note, call)
        case .letter(let letter): try await letterDraftPage(letter, call)
        }
    }

    /// The page of a draft without its form: its text can be copied, and nothing else of the library is on it.
    static func lonePage(
        of draft: PageDraft, _ call: PageCall, because key: String, next: (path: String, key: String)
    ) async throws -> Response {
        var model: PageModel = ["why": call.words(key), "next": next.path, "goOn": call.words(next.key)]
        switch draft {
        case .note(let note):
            (model["heading"], model["content"]) = (note.text.title, note.text.content)
            (model["headingLabel"], model["contentLabel"]) = (call.words("note.title"), call.words("note.content"))
        case .letter(let letter):
            (model["heading"], model["content"]) = (letter.subject, letter.text)
            (model["headingLabel"], model["contentLabel"]) = (call.words("letter.subject"), call.words("letter.text"))
        }
        try await call.reservePage(of: model)
        return call.page("draft", model, title: call.words("error.title"), isKept: false)
    }
}
