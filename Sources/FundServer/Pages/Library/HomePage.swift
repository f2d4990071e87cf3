internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let homeRoutes: [PageRoute] = [
        .get("/library") { call in try await homePage(call) },
        .post("/library/funds") { call, form in
            do {
                let fund = try await call.library.addFund(form["name"] ?? "", of: try call.userID)
                return call.redirect(to: "/library/funds/\(fund.id)?done=fund-created")
            } catch let failure as StoreError where failure.code == .alreadyExists || failure.code == .invalid {
                return try await homePage(call, name: form["name"], failure: failure.requestError)
            }
        },
    ]

    private static func homePage(
        _ call: PageCall, name: String? = nil, failure: RequestError? = nil
    ) async throws -> Response {
        let cursor = try call.cursor(try call.query()["cursor"], of: "home")
        let page = try await call.library.funds(of: try call.userID, PageQuery(limit: 100, cursor: cursor))
        let funds = page.items.map { fund in
            [
                "id": "\(fund.id)", "name": fund.name, "hue": FundHue.name(fund.id),
                "aliases": fund.aliases.joined(separator: ", "), "hasAliases": !fund.aliases.isEmpty,
                "isFavourite": fund.isFavourite, "time": call.formats.time(fund.modifiedAt),
            ] as PageModel
        }
        var model: PageModel = [
            "atHome": true, "funds": funds, "isEmpty": funds.isEmpty && cursor == nil, "newName": name ?? "",
        ]
        if let next = try call.sealed(page.next, of: "home") { model["next"] = PageQueryText.text([("cursor", next)]) }
        if let failure { model["failure"] = call.words.sentence(failure) }
        return call.page("home", model, title: call.words("home.title"), status: failure?.status ?? .ok)
    }
}

/// The class that gives a fund its colour.
enum FundHue {
    static func name(_ fund: Fund.ID) -> String { "hue\(fund.rawValue % 8 + 1)" }
}
