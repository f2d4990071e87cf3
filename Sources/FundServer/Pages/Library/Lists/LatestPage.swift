internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let latestRoutes: [PageRoute] = [
        .get(latestPath) { call in try await latestPage(call) }.live,
        .post("\(latestPath)/seen") { call, form in
            guard let last = form["upto"].flatMap(QueryText.number) else {
                throw RequestError.invalid("upto must be a number")
            }
            try await call.library.noteVisits(upTo: EmailSummary.ID(last), of: try call.userID)
            if call.wantsJSON { return Response(status: .noContent, headers: [.cacheControl: "no-store"]) }
            return call.redirect(to: "\(latestPath)?done=seen-all")
        },
    ]

    /// Each arrival has up to `EmailArrival.maxFiles` pictures.
    private static let maxArrivals = 40
    /// Funds in the menu of the filter; the others have their own pages.
    static let maxLatestFunds = 100

    private static func latestPage(_ call: PageCall) async throws -> Response {
        let (text, user) = (try call.query(), try call.userID)
        let filter = try LatestFilter(text)
        let shown = ShownList.latest(fields: filter.fields)
        let opened = try await OpenedItem(in: shown, call)
        if let answer = try opened?.alone() { return answer }
        let list = "latest" + PageQueryText.text(filter.fields)
        var section = try call.section(of: list)
        if text["rows"] == nil { section.limit = min(section.limit, maxArrivals) }
        var query = ArrivalQuery(section)
        (query.fund, query.isOfFavourites, query.kind) = (filter.fund, filter.isStarred, filter.kind)
        let page = try await call.library.arrivals(query, of: user)
        let seenAt = try await seen(text, call)
        var lines = LatestLines(seenAt: seenAt, above: try text.time("above"), in: shown, call.words, call.formats)
        let badges = await call.badges(of: page.items.flatMap(\.files).map(PreviewedFile.init))
        let isFirst = section.cursor == nil
        let fields = filter.fields + [("seen", seenAt.map { "\($0)" })]
        var model: PageModel = [
            "atLatest": true, "rows": lines.rows(page.items, badges), "here": shown.address,
            "isEmpty": page.items.isEmpty && isFirst && !filter.isNarrow,
            "isNoMatch": page.items.isEmpty && isFirst && filter.isNarrow,
            "shown": PageQueryText.text(fields), "hasPreviews": call.parts.previews != nil, "whole": latestPath,
        ]
        model.merge(try await filter.model(latestPath, call))
        let next = fields + [("above", page.items.last.map { "\($0.at)" })]
        model["paging"] = try call.paging(latestPath, next, next: page.next, of: list)
        if isFirst, !filter.isNarrow { model["latestNews"] = try await LatestNews.model(call).orAbsent }
        let isMarked = isFirst && !filter.isNarrow && page.items.contains(where: \.isNew)
        model["upto"] = isMarked ? page.items.compactMap(\.email?.email.id).max().map { "\($0)" } : nil
        return call.page("latest", model, title: call.words("latest.title"), opened: opened)
    }

    /// The visit before this one: of the first section, where a further one says it.
    private static func seen(_ query: QueryText, _ call: PageCall) async throws -> Timestamp? {
        if let time = try query.time("seen") { return time }
        return try await call.library.lastVisit(of: try call.userID)
    }
}

/// The filter of Latest, as its address says it.
private struct LatestFilter {
    let fund: Fund.ID?
    let isStarred: Bool
    let kind: ArrivalQuery.Kind?

    /// Throws 400 for other values.
    init(_ query: QueryText) throws {
        fund = try query.id("fund")
        isStarred = try query.flag("starred")
        kind = try query.arrivalKind()
    }

    var isNarrow: Bool { fund != nil || isStarred || kind != nil }

    var fields: [(name: String, value: String?)] { fields(fund: fund, isStarred: isStarred, kind: kind) }

    private func fields(
        fund: Fund.ID?, isStarred: Bool, kind: ArrivalQuery.Kind?
    ) -> [(name: String, value: String?)] {
        [("fund", fund?.description), ("starred", isStarred ? "true" : nil), ("kind", kind?.rawValue)]
    }

    /// The links that change one part of the filter and keep the others.
    func model(_ path: String, _ call: PageCall) async throws -> PageModel {
        func link(_ text: String, fund: Fund.ID?, isStarred: Bool, kind: ArrivalQuery.Kind?, _ isChosen: Bool)
            -> PageModel
        {
            let address = path + PageQueryText.text(fields(fund: fund, isStarred: isStarred, kind: kind))
            return ["text": text, "address": address, "isChosen": isChosen]
        }
        let words = call.words
        let funds = try await call.library.funds(of: try call.userID, PageQuery(limit: PageRoute.maxLatestFunds)).items
        var name = funds.first { $0.id == fund }?.name
        if name == nil, let fund { name = try await call.library.fund(fund, of: try call.userID).name }
        let scopes = [
            link(words("latest.all"), fund: nil, isStarred: false, kind: kind, fund == nil && !isStarred),
            link(words("latest.starred"), fund: nil, isStarred: true, kind: kind, isStarred),
        ]
        // The kind that is chosen leads back to all.
        let kinds = ArrivalQuery.Kind.allCases.map { one in
            link(
                words("latest.\(one.rawValue)"), fund: fund, isStarred: isStarred, kind: kind == one ? nil : one,
                kind == one)
        }
        let links = funds.map { link("[\($0.name)]", fund: $0.id, isStarred: false, kind: kind, $0.id == fund) }
        return [
            "scopes": scopes, "kinds": kinds, "fundLinks": links, "hasFunds": funds.count > 1,
            "chosenFund": name.orAbsent,
        ]
    }
}
