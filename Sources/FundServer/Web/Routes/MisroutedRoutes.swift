internal import Hummingbird
internal import FundCore
internal import Ingest

extension WebRoute {
    private struct Assignment: Decodable {
        var fund: Fund.ID
        var remember: Bool?
        var confirm_owner: Bool?
        var confirm_address: String?
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
            let filing = DeskService.Filing(
                fund: body.fund, remembers: body.remember, isOwnerConfirmed: body.confirm_owner,
                confirmedAddress: body.confirm_address)
            let report = try await call.parts.desk.assign([id], filing, actor: try call.user.email)
            if let failure = report.failure { throw failure }
            return call.json { json in
                json.field("outcome", Outcome.filed.rawValue)
                json.field("email", report.email)
                json.field("learned", report.learnt.first)
                json.field("act", report.act)
            }
        },
        .post("/v1/admin/misrouted/{message}/reject", .administrator) { call in
            let id: MisrouteRecord.ID = try call.id("message")
            let body: Rejection = try await call.body()
            // What was put aside before stays so.
            if try await call.administration.misroute(id).resolution?.isRejection != true {
                let report = try await call.parts.desk.reject(
                    [id], note: body.note ?? "", actor: try call.user.email)
                if let failure = report.failure { throw failure }
            }
            let record = try await call.administration.misroute(id)
            return call.json { $0.field(record) }
        },
        .post("/v1/admin/misrouted/{message}/retry", .administrator) { call in
            let report = try await call.parts.desk.retry([try call.id("message")], actor: try call.user.email)
            if let failure = report.failure { throw failure }
            let (outcome, reason): (Outcome, Reason?) =
                switch report.endings.first?.ending {
                case .stillKept(let decision): (decision.outcome, decision.reason)
                default: (.filed, nil)
                }
            return call.json { json in
                json.field("outcome", outcome.rawValue)
                json.field("email", report.email)
                json.field("reason", reason?.rawValue)
                json.field("act", report.act)
            }
        },
        .get("/v1/admin/misrouted/{message}/content", .administrator) { call in
            let view = try await call.parts.desk.open(try call.id("message"), actor: try call.user.email)
            return call.json { $0.field(view) }
        },
    ]
}
