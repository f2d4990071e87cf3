internal import HTTPTypes
internal import Hummingbird

/// An interface of the server: the mobile API, the web API, WebDAV, the endpoints for operators.
protocol ServerInterface: Sendable {
    /// Adds its routes to the router of the server.
    func addRoutes(to router: some RouterMethods<ServerContext>)
    /// Whether this interface writes the failures on this path, also where it has no route.
    func owns(path: String) -> Bool
    /// The response to a request on one of its paths that failed, also before its handler ran.
    func response(to failure: RequestError, _ request: Request, _ context: ServerContext) -> Response
    /// The operation behind a path and its query whose successful responses may need no waiting; nil for others.
    func immediateCall(to path: String) -> ImmediateCall?
    /// Fields that it adds to the response to `OPTIONS *` and `OPTIONS /` (RFC 9110 §9.3.7).
    var serverOptions: HTTPFields { get }
}

/// An operation that is asked for at once first, see `ImmediateHandler`.
struct ImmediateCall {
    /// As the router names it.
    var route: String
    /// The successful response to an authenticated GET, if it needs no waiting and room for it is reserved; else nil.
    var respond: (HTTPRequest, StreamSends) -> ImmediateResponse?
}

extension ServerInterface {
    var serverOptions: HTTPFields { [:] }

    func immediateCall(to path: String) -> ImmediateCall? { nil }

    /// Problem details (RFC 9457).
    func response(to failure: RequestError, _ request: Request, _ context: ServerContext) -> Response {
        ProblemDetails.response(to: failure, requestID: context.id)
    }
}
