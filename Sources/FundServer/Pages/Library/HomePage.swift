internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let homeRoutes: [PageRoute] = [
        .get("/library") { call in try await homePage(call) }.live,
        // Events for the script of an open page: EventSource sends the cookie, and no other credential.
        .get("/library/events") { call in
            guard call.wantsEvents else { throw RequestError.onlyEvents }
            return try await call.changeStream()
        }.streamed,
        .post("/library/funds") { call, form in
            do {
                let fund = try await call.library.addFund(form["name"] ?? "", of: try call.userID)
                let done = fund.tookNameFrom == nil ? "fund-created" : "fund-took-name"
                return call.redirect(to: LibraryPaths.fund(fund.id) + "?done=\(done)")
            } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .invalid) {
                return try await homePage(call, name: form["name"], failure: failure.requestError)
            }
        },
    ]

    /// All of them have a page of their own.
    private static let maxFavourites = 8

    private static func homePage(
        _ call: PageCall, name: String? = nil, failure: RequestError? = nil
    ) async throws -> Response {
        let section = try call.section(of: "home")
        let page = try await call.library.fundSummaries(of: try call.userID, section)
        let funds = page.items.map { summary in
            let fund = summary.fund
            var row: PageModel = [
                "id": "\(fund.id)", "name": fund.name, "hue": FundHue.name(fund.id),
                "aliases": fund.aliases.joined(separator: ", "), "hasAliases": !fund.aliases.isEmpty,
                "isFavourite": fund.isFavourite, "type": "fund", "counts": counts(of: summary, call.words),
            ]
            // Files that the owner put there are no news.
            let new = summary.newEmailCount
            if new > 0 { row["new"] = call.words.count("new", new) }
            if let latest = summary.latestEmailAt { row["time"] = call.formats.time(latest) }
            return row
        }
        var model: PageModel = [
            "atHome": true, "here": "/library", "funds": funds, "isEmpty": funds.isEmpty && section.cursor == nil,
            "newName": name ?? "",
        ]
        if section.cursor == nil {
            let favourites = try await call.library.favourites(
                of: try call.userID, PageQuery(limit: maxFavourites, cursor: nil))
            model["favourites"] = favourites.items.map { FavouriteRow.model($0, call) }
            (model["hasFavourites"], model["moreFavourites"]) = (!favourites.items.isEmpty, favourites.next != nil)
        }
        model["paging"] = try call.paging("/library", next: page.next, of: "home")
        if let failure { model.fail(call.words.sentence(failure), at: "name") }
        return call.page("home", model, title: call.words("home.title"), status: failure?.status ?? .ok)
    }

    private static func counts(of summary: FundSummary, _ words: Words) -> String {
        [
            words.count("files", summary.fileCount), words.count("mails", summary.emailCount),
            words.count("notes", summary.noteCount),
        ].joined(separator: " · ")
    }
}
