internal import FundHTTP
internal import FundCore
internal import Hummingbird

/// A person's own share links: the list, a page for each, and the form that makes one.
extension PageRoute {
    private static let usesList = "link uses"

    static let linkRoutes: [PageRoute] = [
        .get(linkPath) { call in try await linkListPage(call) },
        .get(linkPath + "/new") { call in
            guard let items = ItemSelection(try call.query()["items"])?.items else {
                throw RequestError.invalid("items must be like file-1.folder-2")
            }
            return try await LinkForm(items: items, call).page()
        },
        .post(linkPath) { call, form in
            guard let items = ItemSelection(form["items"])?.items else {
                throw RequestError.invalid("items must be like file-1.folder-2")
            }
            return try await LinkForm(items: items, form, call).made()
        },
        .get(linkPath + "/{link}") { call in try await linkPage(call) },
        .post(linkPath + "/{link}/revoke") { call, form in
            let user = try call.user
            try await call.links.store.revokeLink(try call.id("link"), of: user.id, actor: user.email)
            return call.redirect(
                to: LibraryPaths.with(call.localPath(form["back"]) ?? linkPath, "done=link-revoked"))
        },
    ]

    private static func linkListPage(_ call: PageCall) async throws -> Response {
        let (user, list) = (try call.userID, "links")
        let page = try await call.links.store.links(of: user, try call.section(of: list))
        let links = page.items.map(\.link)
        let names = try await call.links.store.names(of: links, of: user)
        let view = LinkView(call)
        let isOn = call.links.isOn()
        var model: PageModel = [
            "atLinks": true, "here": linkPath, "isOff": !isOn,
            "rows": links.map { link in
                var row = view.model(link, names: names[link.id] ?? [:])
                row["address"] =
                    isOn && link.state(at: call.parts.authenticator.now()) == .live
                    ? .text(call.address(of: link)) : PageValue.flag(false)
                return row
            },
            "isEmpty": links.isEmpty && page.next == nil,
        ]
        model["paging"] = try call.paging(linkPath, next: page.next, of: list)
        return call.page("links", model, title: call.words("links.title"), isKept: false)
    }

    private static func linkPage(_ call: PageCall) async throws -> Response {
        let (user, id): (User.ID, ShareLink.ID) = (try call.userID, try call.id("link"))
        let link = try await call.links.store.link(id, of: user)
        let names = try await call.links.store.names(of: [link], of: user)[id] ?? [:]
        let view = LinkView(call)
        let list = "\(usesList) \(id)"
        let uses = try await call.links.store.uses(of: id, of: user, try call.section(of: list))
        let here = "\(linkPath)/\(id)"
        var model = view.model(link, names: names)
        model.merge([
            "atLinks": true, "here": here, "isOff": !call.links.isOn(), "showsOwner": link.showsOwner,
            "things": link.items.compactMap { item in
                names[item].map { name in
                    let kind = item.kind
                    let shown = [.email, .note].contains(kind) ? call.words.title(name, of: kind) : Words.shown(name)
                    return ["name": shown, "path": path(to: item)] as PageModel
                }
            },
            "rows": uses.items.map(view.use), "isUnused": uses.items.isEmpty && uses.next == nil,
        ])
        if call.links.isOn(), link.state(at: call.parts.authenticator.now()) == .live {
            let address = call.address(of: link)
            model["address"] = address
            model["qr"] = (try? QRCode(address))?.model(label: call.words("link.code"))
        } else {
            model["address"] = PageValue.flag(false)
        }
        model["paging"] = try call.paging(here, next: uses.next, of: list)
        return call.page("link", model, title: call.words("link.title"), isKept: false)
    }

    /// The page that shows an item.
    private static func path(to item: LibraryItemID) -> String {
        switch item {
        case .fund(let id): LibraryPaths.fund(id)
        case .file(let id): "/library/files/\(id)"
        case .email(let id): "/library/emails/\(id)"
        case .note(let id): "/library/notes/\(id)"
        case .folder(let id): "/library/items/folder/\(id)"
        }
    }
}
