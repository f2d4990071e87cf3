internal import FundHTTP
internal import Hummingbird
import FundCore

extension MobileAPI {
    var noteRoutes: [MobileRoute] {
        [
            MobileRoute(.get, "/notes/{1}/{2}/{3}") { call, _ in
                // Read before the notes: a change in between is sent twice rather than never.
                let time = authenticator.now()
                let since = try call.time("since")
                let (fund, user): (Fund.ID, User.ID) = (try call.id(0), call.user.id)
                @Sendable func page(_ cursor: String?) async throws -> NotePage {
                    try await library.notes(in: fund, since: since, PageQuery(cursor: cursor), of: user)
                }
                return MobileReply.notes(try await page(nil), isChanges: since != nil, time: time) {
                    try await call.sends?.takeForAnswer(within: nil)
                    return try await page($0)
                }
            },
            MobileRoute(.post, "/notes/{1}/{2}/{3}", maxBodyBytes: MobileRoute.maxNoteBytes) { call, _ in
                let text = NoteText(title: try call.text("title"), content: call.fields["content"] ?? "")
                return Self.reply(try await library.addNote(text, in: call.id(0), of: call.user.id))
            },
            MobileRoute(.put, "/notes/{1}/{2}/{3}/{4}", maxBodyBytes: MobileRoute.maxNoteBytes) { call, _ in
                let note = try await note(of: call)
                let change = NoteChange(
                    title: call.fields["title"], content: call.fields["content"],
                    unlessChangedSince: try call.time("date"))
                return try await orConflict(call) {
                    Self.reply(try await library.changeNote(note.id, change, if: nil, of: call.user.id))
                }
            },
            MobileRoute(.delete, "/notes/{1}/{2}/{3}/{4}") { call, _ in
                let note = try await note(of: call)
                let date = try call.time("date")
                return try await orConflict(call) {
                    try await library.deleteNote(note.id, unlessChangedSince: date, if: nil, of: call.user.id)
                    return MobileReply.ok()
                }
            },
        ]
    }

    /// The note of the path, which must lie in the fund of the path.
    private func note(of call: MobileCall) async throws -> NoteEntry {
        let note = try await library.note(call.id(0), of: call.user.id)
        guard note.fund == (try call.id(1)) else { throw RequestError.notFound }
        return note
    }

    /// Answers a conflict with the note as it is, instead of overwriting it.
    private func orConflict(_ call: MobileCall, _ change: () async throws -> Response) async throws -> Response {
        do {
            return try await change()
        } catch let failure as StoreError where failure.code == .conflict {
            let current = try await note(of: call)
            return MobileReply.error(.conflict, "conflict") { json in
                json.key("note")
                json.mobileNote(current)
            }
        }
    }

    private static func reply(_ note: NoteEntry) -> Response {
        MobileReply.ok { json in
            json.field("id", note.id)
            json.key("note")
            json.mobileNote(note)
        }
    }
}
