internal import HTTPTypes
internal import Hummingbird
internal import Ingest

extension WebAPI {
    static let changeRoutes: [WebRoute] = [
        .get("/v1/changes") { call in
            let query = try call.query()
            let since = try query.number("since")
            let limit = try query.limit()
            guard call.request.headers[.accept]?.contains("text/event-stream") == true else {
                let page = try await call.store.changes(of: try call.userID, after: since, limit: limit)
                return call.json { json in
                    json.field("changes", page.changes) { json, change in json.object { $0.field(change) } }
                    json.field("cursor", page.cursor)
                    json.field("has_more", page.hasMore)
                }
            }
            // A client that comes back says where it was (HTML §9.2.3).
            let resumed = call.request.headers[.lastEventID].flatMap { QueryText.number($0) }
            return try await ChangeStream(call: call, token: call.bearerToken ?? "").response(after: resumed ?? since)
        }
    ]
}

extension HTTPField.Name {
    static let lastEventID = constant("Last-Event-ID")
}
