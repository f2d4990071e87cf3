internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// The web API: `/api/v1` for programs and the pages, with bearer tokens and app passwords, JSON and problem details;
/// see `openapi.yaml`.
struct WebAPI: ServerInterface {
    static let root = "/api"

    let parts: ApplicationParts

    func owns(path: String) -> Bool { path == Self.root || path.hasPrefix(Self.root + "/") }

    static let routes = ofFiles + ofLibrary + ofOwner + ofSessions

    /// Routes of files, which app passwords for files open, and those that read where they read.
    private static let ofFiles = [
        WebRoute.fundRoutes, WebRoute.folderRoutes, WebRoute.fileRoutes, WebRoute.uploadRoutes,
    ].flatMap { $0 }.map { route in route.with { $0.reaches = $0.isReading ? [.files, .read] : [.files] } }

    /// The rest of a person's library, of which app passwords that read open what reads.
    private static let ofLibrary = [
        WebRoute.zipRoutes, WebRoute.trashRoutes, WebRoute.emailRoutes, WebRoute.noteRoutes, WebRoute.findingRoutes,
        WebRoute.senderRoutes, WebRoute.letterRoutes, WebRoute.contactRoutes, news(WebRoute.newsRoutes),
    ].flatMap { $0 }.map { route in route.with { $0.reaches = $0.isReading ? [.read] : [] } }

    /// A program learns from it whose app password it has, and how far that reaches.
    private static let ofOwner = WebRoute.ownerRoutes.map { route in route.with { $0.reaches = [.files, .read] } }

    /// Accounts, settings, share links, other servers and administration: app passwords open none of them.
    private static let ofSessions = [
        documentRoutes, WebRoute.sessionRoutes, WebRoute.profileRoutes, WebRoute.linkRoutes,
        news(WebRoute.newsFeedRoutes), WebRoute.driveRoutes, WebRoute.transferRoutes, WebRoute.watchRoutes,
        WebRoute.userRoutes, WebRoute.misroutedRoutes, WebRoute.deskRoutes, WebRoute.allFundRoutes,
        WebRoute.supervisionRoutes, WebRoute.outboxRoutes, news(WebRoute.newsOfficeRoutes),
        WebRoute.webhookRoutes,
    ].flatMap { $0 }

    private static func news(_ routes: [WebRoute]) -> [WebRoute] { routes.map { $0.with { $0.isOfNews = true } } }

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
