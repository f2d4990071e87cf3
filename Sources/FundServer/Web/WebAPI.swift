internal import HTTPTypes
package import Hummingbird
internal import Ingest

/// The web API: `/api/v1` for programs and the pages, bearer tokens, JSON, problem details. `openapi.yaml` is its contract.
package struct WebAPI: ServerFace {
    static let root = "/api"

    let parts: WebParts

    package init(_ parts: WebParts) { self.parts = parts }

    package func owns(path: String) -> Bool { path == Self.root || path.hasPrefix(Self.root + "/") }

    static let routes: [WebRoute] =
        documentRoutes + sessionRoutes + passwordRoutes + tokenRoutes + fundRoutes + folderRoutes + fileRoutes
        + trashRoutes + emailRoutes + noteRoutes + searchRoutes + changeRoutes + userRoutes + mailboxRoutes
        + misroutedRoutes

    private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace]

    package func addRoutes(to router: some RouterMethods<ServerContext>) {
        for (path, routes) in Dictionary(grouping: Self.routes, by: \.path) {
            var known: [HTTPRequest.Method: WebRoute] = [:]
            for route in routes { known[route.method] = route }
            known[.head] = known[.get]
            let allow = Self.methods.filter { known[$0] != nil }.map(\.rawValue)
            for method in Self.methods {
                let route = known[method]
                router.on(RouterPath(Self.root + path), method: method) { [parts] request, context in
                    guard let route else { throw RequestFailure.methodNotAllowed(allow: allow) }
                    return try await Self.answer(route, request, context, parts)
                }
            }
        }
    }

    /// Methods that the router never heard of, on paths that it knows.
    package func response(to failure: RequestFailure, _ request: Request, _ context: ServerContext) -> Response {
        var failure = failure
        if failure.status == .notFound, !Self.methods.contains(request.method) {
            let allowed = Self.routes.filter { Self.fits(request.uri.path, $0.path) }.map(\.method.rawValue)
            if !allowed.isEmpty { failure = .methodNotAllowed(allow: Set(allowed).sorted()) }
        }
        return ProblemDetails.response(to: failure, requestID: context.id)
    }

    private static func fits(_ path: String, _ template: String) -> Bool {
        let (names, pattern) = (path.dropFirst(root.count).split(separator: "/"), template.split(separator: "/"))
        return names.count == pattern.count && zip(names, pattern).allSatisfy { $1.first == "{" || $0 == $1 }
    }

    private static func answer(
        _ route: WebRoute, _ request: Request, _ context: ServerContext, _ parts: WebParts
    ) async throws -> Response {
        var call = WebCall(request: request, context: context, parts: parts)
        guard route.access != .anyone else { return try await route.handler(call) }
        guard let token = call.bearerToken else { throw RequestFailure.unauthenticated }
        let signedIn = try await parts.authenticator.user(bearing: token)
        guard route.access == .user || signedIn.user.isAdministrator else { throw RequestFailure.forbidden }
        call.signedIn = signedIn
        context.noteUser(signedIn.user.id)
        return try await route.handler(call)
    }
}
