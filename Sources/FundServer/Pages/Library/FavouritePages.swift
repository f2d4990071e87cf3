internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let favouritesPath = "/library/favourites"

    static let favouriteRoutes: [PageRoute] = [
        .get(favouritesPath) { call in
            let opened = try await OpenedItem(in: .favourites, call)
            if let answer = try opened?.alone() { return answer }
            let section = try call.section(of: "favourites")
            let page = try await call.library.favourites(of: try call.userID, section)
            let previews = await call.previewsByContent(of: page.items.compactMap(\.content))
            var model: PageModel = [
                "atFavourites": true, "here": favouritesPath, "hasPreviews": call.parts.previews != nil,
                "favourites": page.items.map { FavouriteRow.model($0, previews, opened?.item, call) },
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

/// A row of favourites.
enum FavouriteRow {
    /// For the template `favouriterows`, which leads to the own pages of things.
    static func model(_ favourite: FavouriteEntry, _ call: PageCall) -> PageModel {
        let kind = favourite.item.kind
        let own = "/library/\(kind.name)s/\(favourite.item.number)"
        return [
            "type": kind.name, "id": "\(favourite.item.number)", "name": call.words.title(favourite.name, of: kind),
            "isFavourite": true,
            "isFund": kind == .fund, "kind": call.words("kind.\(kind.name)"),
            "href": kind == .fund ? LibraryPaths.fund(favourite.fund) : own, "fundName": favourite.fundName,
            "hue": FundHue.name(favourite.fund), "time": call.formats.time(favourite.date),
        ]
    }

    /// For the template `favourites`, beside whose list all but funds are opened.
    /// - Parameter previews: of the files of the section.
    static func model(
        _ favourite: FavouriteEntry, _ previews: [ContentDigest: PreviewSummary], _ opened: LibraryItemID?,
        _ call: PageCall
    ) -> PageModel {
        var row = model(favourite, call)
        let (item, name) = (favourite.item, row.text("name") ?? "")
        let parts = item.kind == .file ? FileNameParts(shown: name) : nil
        let isMail = item.kind == .email
        let from = favourite.sender ?? call.words("mail.nosender")
        row.merge([
            "key": ItemSelection.key(item), "isOpen": opened == item, "isFile": item.kind == .file, "isMail": isMail,
            "stem": parts?.stem ?? name, "ending": parts?.suffix ?? "",
            "sender": isMail ? .text(from) : PageValue.flag(false),
            "face": Initials.text(of: from), "faceHue": Initials.hue(of: from),
            "icon": isMail ? PageValue.flag(false) : item.kind.icon.orAbsent,
        ])
        if item.openKey != nil { row["href"] = ShownList.favourites.link(to: item) }
        if let content = favourite.content {
            let badge = FileBadge(
                FileKind(favourite.contentType ?? "", name: name), previews[content.digest],
                at: "/library/files/\(item.number)/preview", of: content.digest, call.words)
            row.merge(badge.model)
        }
        return row
    }
}
