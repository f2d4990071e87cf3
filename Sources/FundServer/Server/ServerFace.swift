package import Hummingbird

/// One way of seeing the store over HTTP: the mobile API, the web API, WebDAV, the operator's pages.
package protocol ServerFace: Sendable {
    func addRoutes(to router: some RouterMethods<ServerContext>)
    /// Failures on this path are said in this face's words, also where it has no route.
    func owns(path: String) -> Bool
    func response(to failure: RequestFailure, _ request: Request, _ context: ServerContext) -> Response
}

extension ServerFace {
    /// Problem details (RFC 9457).
    package func response(to failure: RequestFailure, _ request: Request, _ context: ServerContext) -> Response {
        ProblemDetails.response(to: failure, requestID: context.id)
    }
}
