internal import Hummingbird
internal import FundCore
internal import Ingest

/// The misrouted desk: what waits by cause, acts about many messages, and how they are undone.
extension WebRoute {
    /// What is to be done about which messages.
    private struct ActOrder: Decodable {
        var kind: String
        var messages: [MisrouteRecord.ID]?
        /// Instead of `messages`: all that wait for the same cause as this one, up to another.
        var like: MisrouteRecord.ID?
        var up_to: MisrouteRecord.ID?
        /// With `like`: the cause that was shown, which may be another by now.
        var cause: String?
        var fund: Fund.ID?
        var remember: Bool?
        var confirm_owner: Bool?
        var confirm_address: String?
        var note: String?
        var until: Timestamp?
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
                json.field("messages", found.messages) { json, one in
                    json.object {
                        $0.field("message", one.record.id)
                        $0.field("subject", one.record.subject)
                        $0.field("fund", one.fund.id)
                        $0.field("fund_name", one.fund.name)
                        $0.field("owner_email", one.of.email)
                    }
                }
            }
        },
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
            let (messages, left) = try await messages(of: order, call)
            var desk = call.parts.desk
            desk.isActorAllowed = { (try? await call.authenticate())?.user.isAdministrator ?? false }
            let actor = try call.user.email
            let report: DeskService.ActReport
            switch DeskAct.Kind(rawValue: order.kind) {
            case .assign:
                guard let fund = order.fund else { throw RequestError.invalid("fund is missing") }
                let filing = DeskService.Filing(
                    fund: fund, remembers: order.remember, isOwnerConfirmed: order.confirm_owner,
                    confirmedAddress: order.confirm_address)
                report = try await desk.assign(messages, filing, actor: actor)
            case .retry: report = try await desk.retry(messages, actor: actor)
            case .reject: report = try await desk.reject(messages, note: order.note ?? "", actor: actor)
            case .later:
                guard order.until.map({ $0 > call.parts.authenticator.now() }) ?? true else {
                    throw RequestError.invalid("until must be a time to come")
                }
                report = try await desk.putOff(messages, until: order.until, actor: actor)
            case nil: throw RequestError.invalid("kind must be assign, retry, reject or later")
            }
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
        .delete("/v1/admin/desk/learnt/{lesson}", .administrator) { call in
            try await call.administration.takeBack(try call.id("lesson"), actor: try call.user.email)
            return call.noContent
        },
    ]

    /// At most as many as one act may be about, and how many more there are.
    private static func messages(of order: ActOrder, _ call: WebCall) async throws -> ([MisrouteRecord.ID], Int) {
        let most = DeskService.maxMessages
        switch (order.messages, order.like) {
        case (let messages?, nil):
            guard !messages.isEmpty, messages.count <= most, Set(messages).count == messages.count,
                messages.allSatisfy({ $0.rawValue > 0 })
            else { throw RequestError.invalid("messages must name 1 to \(most) messages, each once") }
            return (messages, 0)
        case (nil, let like?):
            var filter = MisrouteFilter()
            // What is put off is shown again, and nothing else is done about it by its cause.
            let isShowing = order.kind == DeskAct.Kind.later.rawValue && order.until == nil
            (filter.like, filter.upTo, filter.attention) = (like, order.up_to, isShowing ? .later : .waiting)
            let cause = MisrouteCause(try await call.administration.misroute(like))
            guard order.cause.map({ $0 == cause.key }) ?? true else {
                throw RequestError(.conflict, "conflict", "message \(like) waits for another cause by now")
            }
            let total = try await call.administration.countMisroutes(filter)
            let found = try await call.administration.misroutes(filter, PageQuery(limit: most)).items.map(\.id)
            return (found, total - found.count)
        default: throw RequestError.invalid("give messages, or like")
        }
    }

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
        return filter
    }
}
