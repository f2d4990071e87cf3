internal import FundHTTP
internal import Hummingbird
internal import FundCore
internal import Ingest

extension PageRoute {
    static let deskActRoutes: [PageRoute] = [
        .officeAct("/desk/acts") { call, form in
            let fields = try DeskFields(form)
            let order = try await fields.order(call)
            let (report, left) = try await order.carryOut(call)
            return try await DeskOutcome(report: report, left: left, order: order, fields: fields, call: call)
                .response()
        },
        .officeAct("/desk/acts/{act}/undo") { call, form in
            // Before it is undone: a form may have too much in it.
            let fields = try DeskFields(form)
            let report = try await call.parts.desk.undo(try call.id("act"), actor: try call.user.email)
            return try await DeskOutcome(report: report, left: 0, order: nil, fields: fields, call: call).response()
        },
        // A form, since what is selected does not fit into an address. Each fund on it is a button of the same form.
        .officeAct("/desk/choose") { call, form in
            let fields = try DeskFields(form)
            let words = form["q"] ?? ""
            guard words.utf8.count <= maxWordBytes else { throw RequestError.invalid("the words are too long") }
            var record: MisrouteRecord?
            if let only = fields.only { record = try await call.administration.misroute(only) }
            let funds = try await funds(matching: words, for: record, call)
            // Filing all the same is the only question that is asked about mail that may be forged.
            var danger: PageModel?
            if form["anyway"] != nil {
                guard form["like"] == nil, let record else {
                    throw RequestError.invalid("mail that may be forged is filed one by one")
                }
                let kept = try? await call.parts.desk.refiling.read(record.id)
                danger =
                    DeskDanger(
                        record: record, doubt: kept?.decision.doubt,
                        senders: DeskService.senders(in: kept?.content.header)
                    ).model(call.words)
            }
            let left: Set = ["q", "fund", "kind"]
            let doubted: Set = ["remember", "confirm_address", "confirm_unverified"]
            var model: PageModel = [
                "targets": danger == nil
                    ? fields.carried(without: left)
                    : fields.carried(without: left.union(doubted)) + [["name": "confirm_unverified", "value": "1"]],
                "danger": danger, "q": words, "isEmpty": funds.isEmpty,
                "funds": funds.prefix(maxFunds).map { fund, owner in
                    [
                        "fund": "\(fund.id)", "fundName": fund.name, "hue": FundHue.name(fund.id),
                        "owner": owner.name ?? owner.email,
                    ] as PageModel
                },
                "hasMore": funds.count > maxFunds, "back": call.localPath(fields.back) ?? "/desk",
            ]
            if danger == nil, words.isEmpty, let record, let tag = DeskChoices(record).newFund {
                let (tag, email) = (call.words.isolated(tag), call.words.isolated(record.userEmail ?? ""))
                model["create"] = call.words("desk.create", tag, email)
            }
            let title = call.words(danger == nil ? "desk.choose" : "desk.anyway.title")
            model["heading"] = title
            return try await pageOfDesk("deskchoose", model, call, title: title)
        },
    ]

    /// Bytes of words by which a fund is looked for: to compare them takes time by their length.
    private static let maxWordBytes = 1024
    /// Funds that are offered at once: the others are found by their names.
    private static let maxFunds = 50

    /// Funds that the words find; for none all of them, those first that are offered for the message.
    private static func funds(
        matching words: String, for record: MisrouteRecord?, _ call: PageCall
    ) async throws -> [(fund: Fund, owner: User)] {
        let found = try await call.parts.desk.funds(matching: words, most: maxFunds + 1)
        guard let record, words.isEmpty else { return found }
        let offered = try await call.parts.desk.offers(for: [record]).joined().map { (fund: $0.fund, owner: $0.owner) }
        let ids = Set(offered.map(\.fund.id))
        return offered + found.filter { !ids.contains($0.fund.id) }
    }
}
