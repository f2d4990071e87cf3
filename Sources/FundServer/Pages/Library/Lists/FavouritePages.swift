internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let favouriteRoutes: [PageRoute] = [
        .get(favouritesPath) { call in
            let opened = try await OpenedItem(in: .favourites, call)
            if let answer = try opened?.alone() { return answer }
            let section = try call.section(of: "favourites")
            let page = try await call.library.favourites(of: try call.userID, section)
            let badges = await call.badges(of: page.items.compactMap(\.content))
            var model: PageModel = [
                "atFavourites": true, "here": favouritesPath, "hasPreviews": call.parts.previews != nil,
                "favourites": page.items.map { FavouriteRow.model($0, badges, opened?.item, call) },
                "isEmpty": page.items.isEmpty && page.next == nil && section.cursor == nil,
            ]
            model["paging"] = try call.paging(favouritesPath, next: page.next, of: "favourites")
            return call.page("favourites", model, title: call.words("favourites.title"), opened: opened)
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
