internal import Hummingbird
internal import FundCore
internal import Ingest

extension WebRoute {
    private struct Assignment: Decodable {
        var fund: Fund.ID
        var remember: Bool?
    }

    private struct Rejection: Decodable {
        var note: String?
    }

    static let misroutedRoutes: [WebRoute] = [
        .get("/v1/admin/misrouted", .administrator) { call in
            let query = try call.query()
            let filter = try misrouteFilter(query)
            let records = try await call.administration.misroutes(filter, try call.page(query))
            let total = try await call.administration.countMisroutes(filter)
            return try call.list("messages", records, total: total) { $0.field($1) }
        },
        .get("/v1/admin/misrouted/{message}", .administrator) { call in
            let record = try await call.administration.misroute(try call.id("message"))
            return call.json { $0.field(record) }
        },
        .get("/v1/admin/misrouted/{message}/raw", .administrator) { call in
            let kept = try await call.parts.store.mail.kept(try call.id("message"))
            let (id, raw) = (kept.misrouteID, kept.spooled)
            let content = ServedContent(message: "\(id)", digest: raw.digest, size: raw.size, path: raw.path)
            return try await call.parts.downloads.response(content, to: call.request, over: call.context.sends)
        }.streamed,
        .post("/v1/admin/misrouted/{message}/assign", .administrator) { call in
            let id: MisrouteRecord.ID = try call.id("message")
            let body: Assignment = try await call.body()
            let target = try await call.administration.fund(body.fund)
            let owner = try await call.administration.user(target.fund.owner).user
            let (stored, learned) = try await call.parts.refiling.assign(
                id, to: target.fund, of: owner, remembers: body.remember ?? false, actor: try call.user.email)
            return call.json { json in
                json.field("outcome", stored.outcome.rawValue)
                json.field("email", stored.emailID)
                json.field("learned", learned)
            }
        },
        .post("/v1/admin/misrouted/{message}/reject", .administrator) { call in
            let id: MisrouteRecord.ID = try call.id("message")
            let body: Rejection = try await call.body()
            try await call.administration.reject(id, note: body.note ?? "", actor: try call.user.email)
            let record = try await call.administration.misroute(id)
            return call.json { $0.field(record) }
        },
        .post("/v1/admin/misrouted/{message}/retry", .administrator) { call in
            let attempt = try await call.parts.refiling.retry(try call.id("message"), actor: try call.user.email)
            let (outcome, email, reason): (Outcome, EmailSummary.ID?, Reason?) =
                switch attempt {
                case .filed(let stored): (stored.outcome, stored.emailID, nil)
                case .stillKept(let decision): (decision.outcome, nil, decision.reason)
                }
            return call.json { json in
                json.field("outcome", outcome.rawValue)
                json.field("email", email)
                json.field("reason", reason?.rawValue)
            }
        },
    ]

    private static func misrouteFilter(_ query: QueryText) throws -> MisrouteFilter {
        var filter = MisrouteFilter()
        if let text = query.word("reason") {
            guard let reason = Reason(word: text) else { throw RequestError.invalid("there is no such reason") }
            filter.reasons = [reason]
        }
        filter.since = try query.time("since")
        filter.includesResolved = try query.flag("resolved")
        return filter
    }
}
