package import HTTPTypes
package import Hummingbird

/// One way of seeing the store over HTTP: the mobile API, the web API, WebDAV, the operator's pages.
package protocol ServerFace: Sendable {
    func addRoutes(to router: some RouterMethods<ServerContext>)
    /// Failures on this path are said in this face's words, also where it has no route.
    func owns(path: String) -> Bool
    func response(to failure: RequestFailure, _ request: Request, _ context: ServerContext) -> Response
    /// What it adds to the answer to `OPTIONS *` and `OPTIONS /` (RFC 9110 §9.3.7): what the whole server can do.
    var serverOptions: HTTPFields { get }
}

extension ServerFace {
    package var serverOptions: HTTPFields { [:] }

    /// Problem details (RFC 9457).
    package func response(to failure: RequestFailure, _ request: Request, _ context: ServerContext) -> Response {
        ProblemDetails.response(to: failure, requestID: context.id)
    }
}
