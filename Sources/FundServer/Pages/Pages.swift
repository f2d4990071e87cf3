internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// The pages for people in a browser: HTML over the same application layer as the web API, with a session in a cookie.
/// All of them work as links and forms; scripts only add to them.
struct Pages: ServerInterface {
    private static let roots = [
        "/sign-in", "/sign-out", "/library", "/account", "/desk", "/office", "/reset", "/setup", PageAssets.root,
    ]

    let parts: PageParts

    static let routes = [
        PageRoute.signInRoutes, PageRoute.homeRoutes, PageRoute.fileRoutes, PageRoute.filePageRoutes,
        PageRoute.previewRoutes,
        PageRoute.itemRoutes, PageRoute.moveRoutes, PageRoute.mailRoutes, PageRoute.mailFrameRoutes,
        PageRoute.noteRoutes, PageRoute.trashRoutes, PageRoute.searchRoutes, PageRoute.sentMailRoutes,
        PageRoute.accountRoutes, PageRoute.cardRoutes, PageRoute.manageRoutes, PageRoute.favouriteRoutes,
        PageRoute.liveRoutes, PageRoute.deskRoutes, PageRoute.deskActRoutes, PageRoute.auditRoutes,
        PageRoute.peopleRoutes, PageRoute.personRoutes, PageRoute.fundListRoutes, PageRoute.resetRoutes,
        PageRoute.importRoutes, PageRoute.healthRoutes, PageRoute.mailboxRoutes, PageRoute.doctorRoutes,
        PageRoute.setupRoutes, PageRoute.newMailboxRoutes, PageRoute.quarantineRoutes,
    ].flatMap { $0 }

    func owns(path: String) -> Bool {
        path == "/" || Self.roots.contains { path == $0 || path.hasPrefix($0 + "/") }
    }

    func addRoutes(to router: some RouterMethods<ServerContext>) {
        for method in [.get, .head] as [HTTPRequest.Method] {
            router.on("\(PageAssets.root)/{digest}/{name}", method: method) { [parts] request, context in
                try parts.assets.response(
                    digest: context.parameters.get("digest"), name: context.parameters.get("name"), to: request)
            }
        }
        for (path, routes) in Dictionary(grouping: Self.routes, by: \.path) {
            var known = Dictionary(uniqueKeysWithValues: routes.map { ($0.method, $0) })
            known[.head] = known[.get]
            let allow = Self.methods.filter { known[$0] != nil }.map(\.rawValue)
            for method in Self.methods {
                let route = known[method]
                router.on(RouterPath(path), method: method) { request, context in
                    // The router treats `//` as `/`, but each page has one address.
                    guard !request.uri.path.contains("//") else { throw RequestError.notFound }
                    guard let route else { throw RequestError.methodNotAllowed(allow: allow) }
                    return try await answer(route, request, context)
                }
            }
        }
    }

    private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace]

    private func answer(_ route: PageRoute, _ request: Request, _ context: ServerContext) async throws -> Response {
        var call = PageCall(request: request, context: context, pages: parts)
        if let token = call.sessionToken {
            do {
                call.signedIn = try await parts.web.authenticator.user(bearing: token)
            } catch is AuthenticationError {}
        }
        if let user = call.signedIn?.user { context.noteUser(user.id) }
        do {
            if route.method != .get { try parts.sessions.checkOrigin(of: request, context) }
            if call.sessionToken == nil, let again = loadingAgain(call) { return again }
            guard route.access == .anyone || call.signedIn != nil else { return try await signInFirst(call, route) }
            if route.access == .administrator, call.signedIn?.user.isAdministrator != true {
                throw RequestError.forbidden
            }
            if !route.isStreamed {
                // Forms do once they are read.
                if request.method == .get { try await context.reserveResponse() }
                if route.isLive, let user = call.signedIn?.user {
                    call.changeCursor = try await call.library.latestChange(of: user.id)
                }
            }
            return try await route.handler(call)
        } catch {
            let failure = RequestError(error)
            // The front middleware logs it with its cause; here it is only shown.
            guard failure.status.kind != .serverError else { throw error }
            return ErrorPage.response(to: failure, call)
        }
    }

    /// A link from a mail reaches a browser without the cookie when it comes from another site (`SameSite=Strict`): the
    /// page that loads itself again is asked for by this site.
    private func loadingAgain(_ call: PageCall) -> Response? {
        guard call.isRead, call.request.headers[.secFetchSite] == "cross-site" else { return nil }
        return call.page("again", ["address": call.address], title: "fundmail")
    }

    /// To the page where one signs in, and back. What a form sent is not kept, which is said there; a note is carried
    /// along. Throws 401 to a script that listens to changes: `EventSource` would follow to a page, which is no stream.
    private func signInFirst(_ call: PageCall, _ route: PageRoute) async throws -> Response {
        guard !call.wantsEvents else { throw RequestError.unauthenticated }
        if let draft = route.draft, let page = try await PageRoute.signInPage(call, keeping: draft) { return page }
        if call.isRead {
            return call.redirect(
                to: "/sign-in" + PageQueryText.text([("next", call.address)]), headers: call.clearingOldPages)
        }
        let page = call.request.headers[.referer].flatMap(call.localPath(ofReferrer:))
        return call.redirect(to: "/sign-in" + PageQueryText.text([("next", page), ("done", "not-saved")]))
    }

    /// Answers 405 for unknown methods on known paths.
    func response(to failure: RequestError, _ request: Request, _ context: ServerContext) -> Response {
        var failure = failure
        if failure.status == .notFound, !Self.methods.contains(request.method) {
            let known = Self.routes.filter { Self.fits(request.uri.path, $0.path) }.map(\.method)
            let allow = Self.methods.filter { known.contains($0) || ($0 == .head && known.contains(.get)) }
            if !allow.isEmpty { failure = .methodNotAllowed(allow: allow.map(\.rawValue)) }
        }
        return ErrorPage.response(to: failure, PageCall(request: request, context: context, pages: parts))
    }

    private static func fits(_ path: String, _ template: String) -> Bool {
        let (names, pattern) = (path.split(separator: "/"), template.split(separator: "/"))
        return names.count == pattern.count && zip(names, pattern).allSatisfy { $1.first == "{" || $0 == $1 }
    }
}
