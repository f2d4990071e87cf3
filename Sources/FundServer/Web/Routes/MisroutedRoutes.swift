internal import Hummingbird
internal import FundCore
internal import Ingest

extension WebRoute {
    private struct Assignment: Decodable {
        var fund: Fund.ID
        var remember: Bool?
        var confirm_owner: Bool?
        var confirm_unverified: Bool?
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
        .get("/v1/admin/misrouted/{message}/raw", .administrator) { call in try await call.rawKept() }.streamed,
        .post("/v1/admin/misrouted/{message}/assign", .administrator) { call in
            let id: MisrouteRecord.ID = try call.id("message")
            let body: Assignment = try await call.body()
            var filing = DeskService.Filing(
                fund: body.fund, remembers: body.remember, isOwnerConfirmed: body.confirm_owner,
                isDespiteUnverified: body.confirm_unverified, confirmedAddress: body.confirm_address)
            filing.evenPutAside = true
            let (report, _) = try await DeskOrder(act: .assign(filing), messages: .these([id])).carryOut(call)
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
            // A message that was put aside before stays so.
            if try await call.administration.misroute(id).resolution?.isRejection != true {
                let order = DeskOrder(act: .reject(note: body.note ?? ""), messages: .these([id]))
                let (report, _) = try await order.carryOut(call)
                if let failure = report.failure { throw failure }
            }
            let record = try await call.administration.misroute(id)
            return call.json { $0.field(record) }
        },
        .post("/v1/admin/misrouted/{message}/retry", .administrator) { call in
            let order = DeskOrder(act: .retry, messages: .these([try call.id("message")]))
            let (report, _) = try await order.carryOut(call)
            if let failure = report.failure { throw failure }
            let (outcome, reason): (Outcome, Reason?) =
                switch report.dispositions.first?.disposition {
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
            try await call.checkQuarantine(ofKept: try call.id("message"))
            let view = try await call.openKept()
            return call.json { $0.field(view) }
        },
    ]
}
