internal import FundHTTP
internal import Hummingbird

/// An interface of the server: the mobile API, the web API, WebDAV, the endpoints for operators.
protocol ServerInterface: Sendable {
    /// Adds its routes to the router of the server.
    func addRoutes(to router: some RouterMethods<ServerContext>)
    /// Whether this interface writes the failures on this path, also where it has no route.
    func owns(path: String) -> Bool
    /// The response to a request on one of its paths that failed, also before its handler ran.
    func response(to failure: RequestError, _ request: Request, _ context: ServerContext) -> Response
    /// Fields that it adds to the response to `OPTIONS *` and `OPTIONS /` (RFC 9110 §9.3.7).
    var serverOptions: HTTPFields { get }
}

extension ServerInterface {
    var serverOptions: HTTPFields { [:] }

    /// Problem details (RFC 9457).
    func response(to failure: RequestError, _ request: Request, _ context: ServerContext) -> Response {
        ProblemDetails.response(to: failure, requestID: context.id)
    }
}
