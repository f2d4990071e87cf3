internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let favouriteRoutes: [PageRoute] = [
        .get("/library/favourites") { call in
            let cursor = try call.opened(try call.query()["cursor"], of: "favourites")
            let page = try await call.library.favourites(of: try call.userID, PageQuery(limit: 100, cursor: cursor))
            var model: PageModel = [
                "atFavourites": true,
                "favourites": page.items.map { FavouriteRow.model($0, call) },
                "isEmpty": page.items.isEmpty && page.next == nil,
            ]
            if let next = try call.sealed(page.next, of: "favourites") {
                model["next"] = PageQueryText.text([("cursor", next)])
            }
            return call.page("favourites", model, title: call.words("favourites.title"))
        },
        // A star in a list is a button of the list's form; the page's script asks for no page.
        .post("/library/items/{type}/{id}/favourite") { call, form in
            let item = try call.item()
            guard item.kind != .folder else { throw RequestError.notFound }
            try await call.library.setFavourite(form["on"] == "1", item, of: try call.userID)
            if call.wantsJSON {
                return Response(status: .noContent, headers: [.cacheControl: "no-store"])
            }
            return call.redirect(to: call.localPath(form["back"]) ?? "/library")
        },
    ]
}

/// A row of the template `favouriterows`.
enum FavouriteRow {
    static func model(_ favourite: FavouriteEntry, _ call: PageCall) -> PageModel {
        let kind = favourite.item.kind
        return [
            "type": kind.name, "id": "\(favourite.item.number)", "name": call.words.title(favourite.name, of: kind),
            "isFavourite": true,
            "isFund": kind == .fund, "kind": call.words("kind.\(kind.name)"),
            "href": "/library/\(kind.name)s/\(favourite.item.number)", "fundName": favourite.fundName,
            "hue": FundHue.name(favourite.fund), "time": call.formats.time(favourite.date),
        ]
    }
}
