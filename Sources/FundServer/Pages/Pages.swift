internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// The pages for people in a browser: HTML over the same application layer as the web API, with a session in a cookie.
/// All of them work as links and forms; scripts only add to them.
struct Pages: ServerInterface {
    private static let roots = [
        "/sign-in", "/sign-out", "/library", "/account", "/desk", "/office", "/contacts", "/reset", "/setup",
        "/unsubscribe",
        PageAssets.root,
    ]

    let parts: PageParts

    static let routes = [
        PageRoute.signInRoutes, PageRoute.secondStepRoutes, PageRoute.factorRoutes, PageRoute.passkeyRoutes,
        PageRoute.codeRoutes, PageRoute.homeRoutes, PageRoute.fileRoutes, PageRoute.allRoutes, PageRoute.openedRoutes,
        PageRoute.previewRoutes,
        PageRoute.itemRoutes, PageRoute.moveRoutes, PageRoute.mailRoutes, PageRoute.mailListRoutes,
        PageRoute.mailFrameRoutes,
        PageRoute.noteListRoutes, PageRoute.noteRoutes, PageRoute.latestRoutes, PageRoute.archiveRoutes,
        PageRoute.trashRoutes,
        PageRoute.searchRoutes, PageRoute.findRoutes, PageRoute.sentMailRoutes, PageRoute.letterRoutes,
        PageRoute.sentLetterRoutes,
        PageRoute.accountRoutes, PageRoute.devicesRoutes, PageRoute.webhookRoutes,
        PageRoute.profileRoutes, PageRoute.cardRoutes,
        PageRoute.manageRoutes,
        PageRoute.favouriteRoutes,
        PageRoute.contactRoutes, PageRoute.contactFormRoutes, PageRoute.contactImportRoutes, PageRoute.metPeopleRoutes,
        ofNews,
        PageRoute.driveRoutes, PageRoute.driveSignInRoutes, PageRoute.driveContentRoutes, PageRoute.driveFileRoutes,
        PageRoute.transferRoutes,
        PageRoute.watchRoutes,
        PageRoute.deskRoutes, PageRoute.deskFileRoutes, PageRoute.deskActRoutes, PageRoute.auditRoutes,
        PageRoute.peopleRoutes, PageRoute.personRoutes, PageRoute.fundListRoutes, PageRoute.anyFundRoutes,
        PageRoute.resetRoutes, PageRoute.unsubscribeRoutes,
        PageRoute.importRoutes, PageRoute.healthRoutes, PageRoute.mailboxRoutes, PageRoute.doctorRoutes,
        PageRoute.outboxRoutes, PageRoute.letterServerRoutes, PageRoute.linkRoutes, PageRoute.linkOfficeRoutes,
        PageRoute.setupRoutes, PageRoute.newMailboxRoutes, PageRoute.quarantineRoutes,
    ].flatMap { $0 }

    private static let ofNews = [
        PageRoute.newsRoutes, PageRoute.newsItemRoutes, PageRoute.newsFrameRoutes, PageRoute.newsFeedRoutes,
        PageRoute.newsFeedPageRoutes, PageRoute.newsOfficeRoutes,
    ].flatMap { $0 }.map { $0.with { $0.isOfNews = true } }

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
        table.addRoutes(to: router) { [parts] route, _, request, context in
            var call = PageCall(request: request, context: context, pages: parts)
            do {
                let response = try await route.response(to: &call)
                return try await call.finished(response)
            } catch {
                let failure = RequestError(error)
                // The front middleware logs it with its cause; here it is only shown.
                guard failure.status.kind != .serverError else { throw error }
                return try await call.finished(ErrorPage.response(to: failure, call))
            }
        }
    }

    private var table: RouteTable<PageRoute> { RouteTable(root: "", routes: Self.routes) }

    func response(to failure: RequestError, _ request: Request, _ context: ServerContext) -> Response {
        ErrorPage.response(
            to: table.failure(failure, of: request), PageCall(request: request, context: context, pages: parts))
    }
}
