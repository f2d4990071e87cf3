internal import FundHTTP
internal import Hummingbird
internal import FundCore
internal import HTTPTypes

extension WebRoute {
    private struct EmailChange: Decodable {
        var fund: Fund.ID
    }

    static let emailRoutes: [WebRoute] = [
        .get("/v1/emails") { call in
            let (query, user) = (try emailQuery(call), try call.userID)
            let page = try await call.library.emails(query, of: user)
            // Counted where an index tells it, and once for a list: for the mail of one fund, on the first page.
            var all = EmailQuery()
            (all.fund, all.isOldestFirst, all.limit) = (query.fund, query.isOldestFirst, query.limit)
            let total = query == all ? try await count(in: query.fund, call) : nil
            return try call.list("emails", page, total: total) { $0.field($1) }
        },
        .get("/v1/emails/{email}") { call in
            let email = try await call.library.email(try call.id("email"), of: try call.userID)
            return try call.representation(of: .email(email))
        },
        // Beside it in the list that the same query gives.
        .get("/v1/emails/{email}/neighbours") { call in
            let found = try await call.library.neighbours(
                of: try call.id("email"), in: try emailQuery(call), of: try call.userID)
            return call.json { $0.field(found) { $0.field($1) } }
        },
        .get("/v1/emails/{email}/text") { call in
            let email = try await call.library.email(try call.id("email"), of: try call.userID)
            let text = try await email.withPlainText { $0 }
            try await call.context.reserveResponse(of: text.utf8.count)
            return Response(
                .ok, "text/plain; charset=utf-8", ByteBuffer(string: text),
                headers: [.xContentTypeOptions: "nosniff", .contentSecurityPolicy: ContentHeaders.policy])
        },
        .get("/v1/emails/{email}/raw") { call in try await call.rawMessage() }.streamed,
        .patch("/v1/emails/{email}") { call in
            let id: EmailSummary.ID = try call.id("email")
            let change: EmailChange = try await call.body()
            let email = try await call.library.moveEmail(id, to: change.fund, if: call.condition, of: try call.userID)
            return call.json { $0.field(email) }
        }.conditional,
        .act(.delete, "/v1/emails/{email}") { call in
            try await call.library.deleteEmail(try call.id("email"), if: call.condition, of: try call.userID)
        }.conditional,
        .post("/v1/emails/{email}/restore") { call in
            let email = try await call.library.restoreEmail(try call.id("email"), of: try call.userID)
            return call.json { $0.field(email) }
        },
        .get("/v1/attachments/{attachment}") { call in
            let attachment = try await call.library.attachment(try call.id("attachment"), of: try call.userID)
            return try call.representation { $0.field(attachment) }
        },
        .get("/v1/attachments/{attachment}/content") { call in
            try await content(try await call.attachmentContent(), call)
        }.streamed,
        .get("/v1/attachments/{attachment}/preview") { call in
            try await call.preview(of: try await call.attachmentContent())
        },
        .get("/v1/attachments/{attachment}/preview/text") { call in
            try await call.previewText(of: try await call.attachmentContent())
        },
        .get("/v1/attachments/{attachment}/preview/fields") { call in
            try await call.previewFields(of: try await call.attachmentContent())
        },
    ]

    private static func count(in fund: Fund.ID?, _ call: WebCall) async throws -> Int? {
        guard let fund else { return nil }
        return try await call.library.countEmails(in: fund, of: try call.userID)
    }

    private enum EmailSort: String, CaseIterable {
        case receivedAt = "received_at"
    }

    private static func emailQuery(_ call: WebCall) throws -> EmailQuery {
        let text = try call.query()
        var query = EmailQuery()
        query.fund = try text.id("fund")
        query.text = text["q"]
        query.sender = text["sender"]
        query.since = try text.time("since")
        query.until = try text.time("until")
        query.favouritesOnly = try text.flag("favourites")
        query.deletedOnly = try text.flag("deleted")
        let sort: (key: EmailSort, isDescending: Bool)? = try text.sort()
        query.isOldestFirst = sort?.isDescending == false
        query.limit = try text.limit()
        query.cursor = try call.cursor(text)
        return query
    }
}
