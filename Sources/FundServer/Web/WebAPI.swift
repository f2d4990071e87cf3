internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// The web API: `/api/v1` for programs and the pages, with bearer tokens, JSON and problem details; see `openapi.yaml`.
struct WebAPI: ServerInterface {
    static let root = "/api"

    let parts: ApplicationParts

    func owns(path: String) -> Bool { path == Self.root || path.hasPrefix(Self.root + "/") }

    static let routes = [
        documentRoutes, WebRoute.sessionRoutes, WebRoute.fundRoutes, WebRoute.folderRoutes, WebRoute.fileRoutes,
        WebRoute.uploadRoutes, WebRoute.zipRoutes, WebRoute.trashRoutes, WebRoute.emailRoutes, WebRoute.noteRoutes,
        WebRoute.findingRoutes, WebRoute.senderRoutes, WebRoute.profileRoutes, WebRoute.userRoutes,
        WebRoute.misroutedRoutes,
        WebRoute.deskRoutes, WebRoute.allFundRoutes, WebRoute.supervisionRoutes, WebRoute.outboxRoutes,
        WebRoute.letterRoutes, WebRoute.linkRoutes,
        WebRoute.contactRoutes, ofNews,
        WebRoute.driveRoutes, WebRoute.transferRoutes, WebRoute.watchRoutes,
    ].flatMap { $0 }

    private static let ofNews = [WebRoute.newsRoutes, WebRoute.newsFeedRoutes, WebRoute.newsOfficeRoutes]
        .flatMap { $0 }.map { $0.with { $0.isOfNews = true } }

    private var table: RouteTable<WebRoute> {
        RouteTable(root: Self.root, routes: Self.routes) { [resumable = parts.resumable] routes, allow in
            var headers: HTTPFields = [.allow: allow.joined(separator: ", ")]
            if routes.contains(where: \.takesUploads) {
                headers[.acceptPatch] = UploadFields.contentType
                headers[.uploadLimit] = resumable.limitField()
            }
            return Response(status: .noContent, headers: headers)
        }
    }

    func addRoutes(to router: some RouterMethods<ServerContext>) {
        table.addRoutes(to: router) { [parts] route, isReadable, request, context in
            var call = WebCall(
                request: request, context: context, parts: parts, isReadable: isReadable, access: route.access)
            return try await route.response(to: &call)
        }
    }

    func response(to failure: RequestError, _ request: Request, _ context: ServerContext) -> Response {
        ProblemDetails.response(to: table.failure(failure, of: request), requestID: context.id)
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

    private static let document = ByteBuffer(bytes: EmbeddedFiles.bytes("Web/openapi.yaml"))
}
