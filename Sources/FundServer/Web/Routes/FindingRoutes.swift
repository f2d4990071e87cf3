internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension WebRoute {
    static let findingRoutes: [WebRoute] = [
        .get("/v1/search") { call in
            let text = try call.query()
            var query = try searchQuery(text)
            query.limit = try text.limit()
            query.cursor = try call.cursor(text)
            let page = try await call.library.search(query, of: try call.userID)
            var previews = await call.previews(of: page.items.compactMap(\.content)).makeIterator()
            return try call.list("hits", page) { $0.field($1, &previews) }
        },
        .get("/v1/search/neighbours/{type}/{id}") { call in
            let found = try await call.library.neighbours(
                of: try call.item(), in: try searchQuery(try call.query()), of: try call.userID)
            return call.json { $0.field(found) { $0.field($1) } }
        },
        .get("/v1/arrivals") { call in
            let text = try call.query()
            var query = ArrivalQuery(try call.page(text, default: 100))
            query.fund = try text.id("fund")
            query.isOfFavourites = try text.flag("favourites")
            query.kind = try text.arrivalKind()
            let page = try await call.library.arrivals(query, of: try call.userID)
            return try call.list("arrivals", page) { $0.field($1) }
        },
        .get("/v1/changes") { call in
            let query = try call.query()
            let (user, seal) = (try call.userID, call.parts.changeCursors)
            let since = try query.number("since")
            let limit = try query.limit()
            let withItems = try query.flag("items")
            guard call.wantsEvents else {
                let cursor = try call.changeCursor(since)
                try await call.context.reserveResponse()
                let page = try await call.library.changes(of: user, after: cursor, limit: limit, withItems: withItems)
                return call.json { json in
                    json.objects("changes", page.changes) { json, change in
                        json.field(change, cursor: seal.seal(change.cursor, for: user))
                        if let item = change.now { json.field("item", item) }
                    }
                    json.field("cursor", seal.seal(page.cursor, for: user))
                    json.field("has_more", page.hasMore)
                    json.field("history", "\(page.history)")
                }
            }
            return try await call.changeStream()
        }.streamed,
    ]

    /// The query without limit and cursor.
    private static func searchQuery(_ text: QueryText) throws -> SearchQuery {
        var query = try text.search()
        query.kind = try kind(text)
        query.sender = text["sender"]
        return query
    }

    private static func kind(_ query: QueryText) throws -> ItemKind? {
        guard let word = query.word("type") else { return nil }
        guard let kind = ItemKind(name: word), kind != .fund else {
            throw RequestError.invalid("type must be folder, file, email or note")
        }
        return kind
    }
}
