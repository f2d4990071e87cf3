internal import HTTPTypes
internal import Hummingbird
internal import FundCore
internal import NIOCore

/// The web API: `/api/v1` for programs and the pages, with bearer tokens, JSON and problem details; see `openapi.yaml`.
struct WebAPI: ServerInterface {
    static let root = "/api"

    let parts: ApplicationParts

    func owns(path: String) -> Bool { path == Self.root || path.hasPrefix(Self.root + "/") }

    static let routes = [
        documentRoutes, WebRoute.sessionRoutes, WebRoute.fundRoutes, WebRoute.folderRoutes, WebRoute.fileRoutes,
        WebRoute.uploadRoutes, WebRoute.zipRoutes, WebRoute.trashRoutes, WebRoute.emailRoutes, WebRoute.noteRoutes,
        WebRoute.findingRoutes,
        WebRoute.senderRoutes, WebRoute.userRoutes, WebRoute.misroutedRoutes, WebRoute.deskRoutes,
        WebRoute.auditRoutes, WebRoute.allFundRoutes,
        WebRoute.healthRoutes,
        WebRoute.supervisionRoutes, WebRoute.quarantineRoutes,
    ].flatMap { $0 }

    private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace]

    func addRoutes(to router: some RouterMethods<ServerContext>) {
        for (path, routes) in Dictionary(grouping: Self.routes, by: \.path) {
            var known: [HTTPRequest.Method: WebRoute] = [:]
            for route in routes { known[route.method] = route }
            known[.head] = known[.get]
            let isReadable = known[.get] != nil
            let isResumable = routes.contains(where: \.takesUploads)
            let allow = Self.methods.filter { known[$0] != nil || $0 == .options }.map(\.rawValue)
            for method in Self.methods {
                let route = known[method]
                router.on(RouterPath(Self.root + path), method: method) { [parts] request, context in
                    // The router treats `//` as `/`, but each resource has one address.
                    guard !request.uri.path.contains("//") else { throw RequestError.notFound }
                    guard let route else {
                        guard method == .options else { throw RequestError.methodNotAllowed(allow: allow) }
                        // RFC 9110 §9.3.7; it needs no authentication.
                        var headers: HTTPFields = [.allow: allow.joined(separator: ", ")]
                        if isResumable {
                            headers[.acceptPatch] = UploadFields.contentType
                            headers[.uploadLimit] = parts.resumable.limitField()
                        }
                        return Response(status: .noContent, headers: headers)
                    }
                    return try await Self.answer(route, isReadable: isReadable, request, context, parts)
                }
            }
        }
    }

    /// Answers 405 for unknown methods on known paths.
    func response(to failure: RequestError, _ request: Request, _ context: ServerContext) -> Response {
        var failure = failure
        if failure.status == .notFound, !Self.methods.contains(request.method) {
            let allowed = Self.routes.filter { Self.fits(request.uri.path, $0.path) }.map(\.method)
            let all = Self.methods.filter {
                allowed.contains($0) || $0 == .options || ($0 == .head && allowed.contains(.get))
            }
            if !allowed.isEmpty { failure = .methodNotAllowed(allow: all.map(\.rawValue)) }
        }
        return ProblemDetails.response(to: failure, requestID: context.id)
    }

    private static func fits(_ path: String, _ template: String) -> Bool {
        let (names, pattern) = (path.dropFirst(root.count).split(separator: "/"), template.split(separator: "/"))
        return names.count == pattern.count && zip(names, pattern).allSatisfy { $1.first == "{" || $0 == $1 }
    }

    private static func answer(
        _ route: WebRoute, isReadable: Bool, _ request: Request, _ context: ServerContext, _ parts: ApplicationParts
    ) async throws -> Response {
        // What a route without conditions of its own changes has no tag: of the conditions on tags only `*` can hold.
        func checkConditions() throws {
            guard route.method != .get, !route.looksAtConditions else { return }
            let outcome = Precondition(request.headers, entityTag: nil, modifiedAt: nil, isThere: isReadable)
            guard outcome == .proceed else { throw RequestError.preconditionFailed }
        }
        var call = WebCall(request: request, context: context, parts: parts)
        guard route.access != .anyone else {
            try checkConditions()
            return try await route.handler(call)
        }
        let signedIn = try await call.authenticate()
        guard route.access == .user || signedIn.user.isAdministrator else { throw RequestError.forbidden }
        call.signedIn = signedIn
        context.noteUser(signedIn.user.id)
        try checkConditions()
        // Calls with a body reserve it once they have read that.
        if !route.isStreamed, reservesAtOnce(request) { try await context.reserveResponse() }
        return try await route.handler(call)
    }

    /// Whether no body is to be read first, by the fields of the request (RFC 9112 §6.3). One of HTTP/2 may come
    /// without them; its sender then holds the room while it sends.
    private static func reservesAtOnce(_ request: Request) -> Bool {
        let isEmpty = request.headers[.transferEncoding] == nil && request.headers[.contentLength] ?? "0" == "0"
        return request.method == .get || isEmpty && request.method != .head
    }
}

extension WebAPI {
    static let documentRoutes: [WebRoute] = [
        .get("/openapi.yaml", .anyone) { _ in
            Response(
                status: .ok, headers: [.contentType: "application/yaml", .cacheControl: "no-cache"],
                body: ResponseBody(byteBuffer: document))
        }
    ]

    private static let document = ByteBuffer(bytes: PackageResources.openapi_yaml)
}
