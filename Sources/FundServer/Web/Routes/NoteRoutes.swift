internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension WebRoute {
    private struct NoteBody: Decodable {
        var title: String
        var content: String
        /// `modified_at` of the note that was edited. Without it the last change wins.
        var unlessChangedSince: Timestamp?

        enum CodingKeys: String, CodingKey {
            case title, content
            case unlessChangedSince = "unless_changed_since"
        }

        var text: NoteText { NoteText(title: title, content: content) }

        var change: NoteChange { NoteChange(title: title, content: content, unlessChangedSince: unlessChangedSince) }
    }

    static let noteRoutes: [WebRoute] = [
        .get("/v1/funds/{fund}/notes") { call in
            let query = try call.query()
            let sort: (key: NoteOrder.Key, isDescending: Bool)? = try query.sort()
            if let sort { return try await notes(by: NoteOrder(sort.key, isDescending: sort.isDescending), call) }
            let found = try await call.library.notes(
                in: try call.id("fund"), since: try query.time("since"), try call.page(query), of: try call.userID)
            let next = try call.next(found.next)
            return call.json { json in
                json.objects("notes", found.notes) { $0.field($1) }
                json.field("deleted", found.deleted) { $0.value($1) }
                json.field("next", next)
            }
        },
        .post("/v1/funds/{fund}/notes") { call in
            let fund: Fund.ID = try call.id("fund")
            let body: NoteBody = try await call.body()
            let note = try await call.library.addNote(body.text, in: fund, of: try call.userID)
            return try call.representation(.created, headers: [.location: "/api/v1/notes/\(note.id)"], of: .note(note))
        },
        .get("/v1/notes/{note}") { call in
            let note = try await call.library.note(try call.id("note"), of: try call.userID)
            return try call.representation(of: .note(note))
        },
        .put("/v1/notes/{note}") { call in
            let id: NoteEntry.ID = try call.id("note")
            let body: NoteBody = try await call.body()
            let note = try await call.library.changeNote(id, body.change, if: call.condition, of: try call.userID)
            return try call.representation(of: .note(note))
        }.conditional,
        .act(.delete, "/v1/notes/{note}") { call in
            let since = try call.query().time("unless_changed_since")
            try await call.library.deleteNote(
                try call.id("note"), unlessChangedSince: since, if: call.condition, of: try call.userID)
        }.conditional,
        .post("/v1/notes/{note}/restore") { call in
            let note = try await call.library.restoreNote(try call.id("note"), of: try call.userID)
            return try call.representation(of: .note(note))
        },
    ]

    /// The notes that are there, for a reader; without an order the list is for programs that keep a copy.
    private static func notes(by order: NoteOrder, _ call: WebCall) async throws -> Response {
        let (query, fund): (QueryText, Fund.ID) = (try call.query(), try call.id("fund"))
        guard try query.time("since") == nil else {
            throw RequestError.invalid("since goes without sort: what changed comes in the order of the changes")
        }
        let user = try call.userID
        let page = try await call.library.notes(in: fund, by: order, try call.page(query), of: user)
        let next = try call.next(page.next)
        let total = try await call.library.countNotes(in: fund, of: user)
        return call.json { json in
            json.objects("notes", page.items) { $0.field($1) }
            json.field("deleted", [NoteEntry.ID]()) { $0.value($1) }
            json.field("next", next)
            json.field("total", total)
        }
    }
}
