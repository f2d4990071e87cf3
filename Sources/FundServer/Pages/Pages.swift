internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// The pages for people in a browser: HTML over the same application layer as the web API, with a session in a cookie.
/// All of them work as links and forms; scripts only add to them.
struct Pages: ServerInterface {
    private static let roots = ["/sign-in", "/sign-out", "/library", "/account", PageAssets.root]

    let parts: PageParts

    static let routes = [
        PageRoute.signInRoutes, PageRoute.homeRoutes, PageRoute.fileRoutes, PageRoute.filePageRoutes,
        PageRoute.itemRoutes, PageRoute.moveRoutes, PageRoute.mailRoutes, PageRoute.mailFrameRoutes,
        PageRoute.noteRoutes, PageRoute.trashRoutes, PageRoute.searchRoutes, PageRoute.sentMailRoutes,
        PageRoute.accountRoutes, PageRoute.liveRoutes,
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
        for route in Self.routes {
            let methods: [HTTPRequest.Method] = route.method == .get ? [.get, .head] : [route.method]
            for method in methods {
                router.on(RouterPath(route.path), method: method) { request, context in
                    // The router treats `//` as `/`, but each page has one address.
                    guard !request.uri.path.contains("//") else { throw RequestError.notFound }
                    return try await answer(route, request, context)
                }
            }
        }
    }

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
            guard route.access == .anyone || call.signedIn != nil else { return signInFirst(call) }
            if !route.isStreamed {
                try await context.reserveResponse(to: request)
                if let user = call.signedIn?.user, call.isRead {
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

    /// To the page where one signs in, and back. What a form sent is not kept: that is said there.
    private func signInFirst(_ call: PageCall) -> Response {
        if call.isRead { return call.redirect(to: "/sign-in" + PageQueryText.text([("next", call.address)])) }
        let page = call.request.headers[.referer].flatMap(call.localPath(ofReferrer:))
        return call.redirect(to: "/sign-in" + PageQueryText.text([("next", page), ("done", "not-saved")]))
    }

    func response(to failure: RequestError, _ request: Request, _ context: ServerContext) -> Response {
        ErrorPage.response(to: failure, PageCall(request: request, context: context, pages: parts))
    }
}
