internal import FundHTTP
internal import FundCore
internal import Hummingbird

/// All share links, for administrators: whose they are, and what became of them. What they show is their owners' own.
extension PageRoute {
    private static let officePath = "/office/links"

    static let linkOfficeRoutes: [PageRoute] = [
        .office(officePath) { call in
            let list = "office links"
            let page = try await call.links.store.links(of: nil, try call.section(of: list))
            let view = LinkView(call)
            var model: PageModel = [
                "isOffice": true, "atOfficeLinks": true, "here": officePath, "isOff": !call.links.isOn(),
                "rows": page.items.map { opened in
                    var row = view.model(opened.link, names: nil)
                    let isLive = opened.link.state(at: call.parts.authenticator.now()) == .live
                    row["level"] = isLive ? "ok" : "unknown"
                    row["owner"] = opened.owner.email
                    row["person"] = "/office/people/\(opened.owner.id)"
                    row["audit"] = "/office/audit" + PageQueryText.text([("subject", "link \(opened.link.id)")])
                    return row
                },
                "isEmpty": page.items.isEmpty && page.next == nil,
            ]
            model["paging"] = try call.paging(officePath, next: page.next, of: list)
            return call.page("officelinks", model, title: call.words("links.office.title"))
        },
        .officeAct(officePath + "/{link}/revoke") { call, form in
            try await call.links.store.revokeLink(try call.id("link"), of: nil, actor: try call.user.email)
            return call.redirect(
                to: LibraryPaths.with(call.localPath(form["back"]) ?? officePath, "done=link-revoked"))
        },
    ]
}
