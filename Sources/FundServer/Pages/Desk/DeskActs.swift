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
            let funds = try await call.parts.desk.funds(matching: words, most: maxFunds + 1)
            let model: PageModel = [
                "targets": fields.carried(without: ["q", "fund", "kind"]), "q": words, "isEmpty": funds.isEmpty,
                "funds": funds.prefix(maxFunds).map { fund, owner in
                    [
                        "fund": "\(fund.id)", "fundName": fund.name, "hue": FundHue.name(fund.id),
                        "owner": owner.name ?? owner.email,
                    ] as PageModel
                },
                "hasMore": funds.count > maxFunds, "back": call.localPath(fields.back) ?? "/desk",
            ]
            return try await pageOfDesk("deskchoose", model, call, title: call.words("desk.choose"))
        },
    ]

    /// Funds that are offered at once: the others are found by their names.
    private static let maxFunds = 50
}
