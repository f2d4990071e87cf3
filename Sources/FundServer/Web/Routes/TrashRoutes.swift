internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension WebRoute {
    static let trashRoutes: [WebRoute] = [
        .get("/v1/trash") { call in
            let query = try call.query()
            let items = try await call.library.deletedItems(
                of: try call.userID, by: try TrashOrder(query), try call.page(query))
            return try call.list("items", items) { $0.field($1) }
        },
        // The number of freed bytes is not told: it would reveal whether another user has the same bytes.
        .delete("/v1/trash") { call in
            let count = try await call.library.emptyTrash(of: try call.userID)
            return call.json { $0.field("items", count) }
        },
        .act(.delete, "/v1/trash/{type}/{id}") { call in
            try await call.library.purge(try call.item(), of: try call.userID)
        },
        .post("/v1/funds/{fund}/restore") { call in try await restore(.fund(try call.id("fund")), call) },
        .post("/v1/folders/{folder}/restore") { call in try await restore(.folder(try call.id("folder")), call) },
        .post("/v1/files/{file}/restore") { call in try await restore(.file(try call.id("file")), call) },
        .get("/v1/favourites") { call in
            let page = try await call.library.favourites(of: try call.userID, try call.page(try call.query()))
            return try call.list("favourites", page) { $0.field($1) }
        },
        .act(.put, "/v1/favourites/{type}/{id}") { call in try await setFavourite(true, call) },
        .act(.delete, "/v1/favourites/{type}/{id}") { call in try await setFavourite(false, call) },
    ]

    private static func restore(_ item: LibraryItemID, _ call: WebCall) async throws -> Response {
        let restored = try await call.library.restore(item, of: try call.userID)
        return call.json { $0.field(restored) }
    }

    private static func setFavourite(_ isFavourite: Bool, _ call: WebCall) async throws {
        let item = try call.item()
        guard item.kind != .folder else { throw RequestError.notFound }
        try await call.library.setFavourite(isFavourite, item, of: try call.userID)
    }
}

extension TrashOrder {
    /// The latest deletion comes first by default.
    fileprivate init(_ query: QueryText) throws {
        let sort: (key: Key, isDescending: Bool)? = try query.sort()
        self = sort.map { TrashOrder($0.key, isDescending: $0.isDescending) } ?? TrashOrder()
    }
}
