package import HTTPTypes
package import Hummingbird

/// An interface of the server: the mobile API, the web API, WebDAV, the endpoints for operators.
package protocol ServerFace: Sendable {
    func addRoutes(to router: some RouterMethods<ServerContext>)
    /// Whether this interface writes the failures on this path, also where it has no route.
    func owns(path: String) -> Bool
    func response(to failure: RequestFailure, _ request: Request, _ context: ServerContext) -> Response
    /// Fields that it adds to the response to `OPTIONS *` and `OPTIONS /` (RFC 9110 §9.3.7).
    var serverOptions: HTTPFields { get }
}

extension ServerFace {
    package var serverOptions: HTTPFields { [:] }

    /// Problem details (RFC 9457).
    package func response(to failure: RequestFailure, _ request: Request, _ context: ServerContext) -> Response {
        ProblemDetails.response(to: failure, requestID: context.id)
    }
}
