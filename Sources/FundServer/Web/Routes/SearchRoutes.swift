internal import Hummingbird
internal import FundCore

extension WebAPI {
    static let searchRoutes: [WebRoute] = [
        .get("/v1/search") { call in
            let text = try call.query()
            guard let words = text["q"] else { throw RequestFailure.invalid("q is missing") }
            var query = SearchQuery(text: words)
            query.fund = try text.id("fund")
            query.limit = try text.limit()
            query.cursor = try call.cursor(text)
            let page = try await call.store.library.search(query, of: try call.userID)
            return try call.list("hits", page) { $0.field($1) }
        }
    ]
}
