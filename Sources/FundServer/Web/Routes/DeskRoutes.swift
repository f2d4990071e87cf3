internal import FundHTTP
internal import Hummingbird
internal import FundCore
internal import Ingest

/// The misrouted desk: what waits by cause, acts about many messages, and how they are undone.
extension WebRoute {
    /// An act, and the messages that it is about.
    private struct ActOrder: Decodable {
        var kind: String
        var messages: [MisrouteRecord.ID]?
        /// Instead of `messages`: all that wait for the same cause as this one, up to another.
        var like: MisrouteRecord.ID?
        var up_to: MisrouteRecord.ID?
        /// With `like`: the cause that was shown, which may be another by now.
        var cause: String?
        var fund: Fund.ID?
        var user: User.ID?
        var remember: Bool?
        var confirm_owner: Bool?
        var confirm_unverified: Bool?
        var confirm_address: String?
        var note: String?
        var until: Timestamp?

        func order() throws -> DeskOrder {
            let act: DeskOrder.Act
            switch DeskAct.Kind(rawValue: kind) {
            case .assign:
                guard let fund else { throw RequestError.invalid("fund is missing") }
                var filing = DeskService.Filing(
                    fund: fund, remembers: remember, isOwnerConfirmed: confirm_owner,
                    isDespiteUnverified: confirm_unverified, confirmedAddress: confirm_address)
                filing.evenPutAside = true
                act = .assign(filing)
            case .register:
                guard let user else { throw RequestError.invalid("user is missing") }
                act = .remedy(.register(user, confirmedAddress: confirm_address))
            case .create: act = .remedy(.createFund)
            case .enable: act = .remedy(.enableSender(confirmedAddress: confirm_address))
            case .retry: act = .retry
            case .reject: act = .reject(note: note ?? "")
            case .later: act = .later(until: until)
            case nil:
                throw RequestError.invalid("kind must be assign, register, create, enable, retry, reject or later")
            }
            switch (messages, like) {
            case (let messages?, nil): return DeskOrder(act: act, messages: .these(messages))
            case (nil, let like?): return DeskOrder(act: act, messages: .like(like, upTo: up_to, cause: cause))
            default: throw RequestError.invalid("give messages, or like")
            }
        }
    }

    static let deskRoutes: [WebRoute] = [
        .get("/v1/admin/desk", .administrator) { call in
            let now = call.parts.authenticator.now()
            let dayStart = try call.query().time("since") ?? now - .seconds(86_400)
            guard dayStart >= now - .seconds(31 * 86_400) else {
                throw RequestError.invalid("since must be within the last 31 days")
            }
            let counts = try await call.administration.deskCounts(since: dayStart)
            return call.json { $0.field(counts) }
        },
        .get("/v1/admin/desk/causes", .administrator) { call in
            let query = try call.query()
            let page = try await call.administration.causes(try misrouteFilter(query), try call.page(query))
            return try call.list("causes", page) { $0.field($1) }
        },
        .get("/v1/admin/desk/rehearsal", .administrator) { call in
            let found = try await call.parts.desk.rehearse(try misrouteFilter(try call.query()))
            return call.json { json in
                json.field("left", found.left)
                json.objects("messages", found.messages) { json, one in
                    json.field("message", one.record.id)
                    json.field("subject", one.record.subject)
                    json.field("fund", one.fund.id)
                    json.field("fund_name", one.fund.name)
                    json.field("owner_email", one.of.email)
                }
            }
        },
        .get("/v1/admin/desk/events", .administrator) { call in
            let stream = DeskStream(call: call)
            guard !call.wantsEvents else { return try await stream.response() }
            return try await stream.json()
        }.streamed,
        .get("/v1/admin/desk/acts", .administrator) { call in
            let query = try call.query()
            let since = try query.time("since") ?? Timestamp(0)
            return try call.list("acts", try await call.administration.acts(since: since, try call.page(query))) {
                $0.field($1)
            }
        },
        .get("/v1/admin/desk/acts/{act}", .administrator) { call in
            let act = try await call.administration.act(try call.id("act"))
            return call.json { $0.field(act) }
        },
        .post("/v1/admin/desk/acts", .administrator) { call in
            let order: ActOrder = try await call.body()
            let (report, left) = try await order.order().carryOut(call)
            return call.json { json in
                json.field(report)
                json.field("left", left)
            }
        },
        .post("/v1/admin/desk/acts/{act}/undo", .administrator) { call in
            let report = try await call.parts.desk.undo(try call.id("act"), actor: try call.user.email)
            return call.json { $0.field(report) }
        },
        .get("/v1/admin/desk/learnt", .administrator) { call in
            let page = try call.page(try call.query())
            return try call.list("learnt", try await call.administration.learnt(page)) { $0.field($1) }
        },
        .act(.delete, "/v1/admin/desk/learnt/{lesson}", .administrator) { call in
            try await call.administration.takeBack(try call.id("lesson"), actor: try call.user.email)
        },
    ]

    static func misrouteFilter(_ query: QueryText) throws -> MisrouteFilter {
        var filter = MisrouteFilter()
        if let text = query.word("reason") {
            guard let reason = Reason(word: text) else { throw RequestError.invalid("there is no such reason") }
            filter.reasons = [reason]
        }
        if let text = query.word("attention") {
            guard let attention = MisrouteFilter.Attention(rawValue: text) else {
                throw RequestError.invalid("attention must be any, waiting or later")
            }
            filter.attention = attention
        }
        filter.since = try query.time("since")
        filter.includesResolved = try query.flag("resolved")
        filter.like = try query.id("like")
        filter.upTo = try query.id("up_to")
        filter.mailbox = query["mailbox"]
        filter.words = query["q"]
        return filter
    }
}
