internal import FundHTTP
internal import FundCore
internal import HTTPTypes
internal import Hummingbird

/// The pages of share links, for people without an account. A session that a browser has counts for nothing here.
///
/// Reading changes nothing: a link is opened by a button, which gives the browser a sealed cookie for this link alone.
/// A link that cannot be opened always looks the same, and takes the same time.
struct SharedPages: ServerInterface {
    /// Time until an answer that there is nothing: looking takes less, whatever there was.
    private static let missTime = Duration.milliseconds(60)

    let parts: PageParts

    func owns(path: String) -> Bool { path == SharedRoute.root || path.hasPrefix(SharedRoute.root + "/") }

    private var table: RouteTable<SharedRoute> { RouteTable(root: SharedRoute.root, routes: SharedRoute.all) }

    func addRoutes(to router: some RouterMethods<ServerContext>) {
        table.addRoutes(to: router) { [parts] route, _, request, context in
            let start = ContinuousClock.now
            guard let call = SharedCall(request, context, parts) else { throw RequestError.notFound }
            do {
                return try await Self.answer(route, call).unshared
            } catch {
                let failure = Self.outward(RequestError(error))
                // The front middleware logs it with its cause. That too much is asked is no fault of this server, and
                // anyone with a link can bring it about.
                guard failure.status.kind != .serverError || failure.code == RequestError.busy.code else { throw error }
                return try await Self.response(to: failure, call, since: start)
            }
        }
    }

    /// Answers after all checks, in this order: whether there are links, guesses, origin, grant, room. The store asks
    /// for each thing whether the link still shows it.
    private static func answer(_ route: SharedRoute, _ call: SharedCall) async throws -> Response {
        guard call.links.isOn() else { throw RequestError.notFound }
        if call.grant == nil { try call.links.guesses.check(call.network) }
        if route.method == .post { try call.checkOrigin() }
        // Whether or not there is such a link: its first page tells.
        guard !route.needsGrant || call.grant != nil else {
            guard call.page.isRead else { throw RequestError.notFound }
            return call.page.redirect(to: call.base)
        }
        if !route.isStreamed, call.page.isRead { try await call.page.context.reserveResponse() }
        return try await route.handler(call)
    }

    /// The failure as people outside learn of it: for them nothing is there that is kept from people.
    private static func outward(_ failure: RequestError) -> RequestError {
        ["quarantined", RequestError.unscanned].contains(failure.code) ? .notFound : failure
    }

    private static func response(
        to failure: RequestError, _ call: SharedCall, since start: ContinuousClock.Instant
    ) async throws -> Response {
        guard failure.status == .notFound else { return call.page(failure).unshared }
        if call.grant == nil { call.links.guesses.note(from: call.network) }
        try await Task.sleep(until: start + missTime)
        return call.gonePage.unshared
    }

    /// The answer to requests that no route took, and to failures that are logged.
    func response(to failure: RequestError, _ request: Request, _ context: ServerContext) -> Response {
        let call = SharedCall(request, context, parts, token: "")
        return (failure.status == .notFound ? call.gonePage : call.page(table.failure(failure, of: request))).unshared
    }
}

extension Response {
    /// This response, which no robot keeps, no cache gives to others, and no link on it names.
    fileprivate var unshared: Response {
        var response = self
        response.headers[.robots] = "noindex, nofollow, noarchive"
        response.headers[.referrerPolicy] = "no-referrer"
        response.headers[.cacheControl] = "private, no-store"
        return response
    }
}

extension HTTPField.Name {
    fileprivate static let robots = constant("X-Robots-Tag")
}
