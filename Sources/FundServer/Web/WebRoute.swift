internal import HTTPTypes
internal import Hummingbird

/// One operation of the web API. All of them stand in `WebAPI.routes`: what is not there is not served.
struct WebRoute: Sendable {
    enum Access: Sendable, CaseIterable {
        /// Nobody is asked who they are.
        case anyone
        case user
        case administrator
    }

    typealias Handler = @Sendable (WebCall) async throws -> Response

    var method: HTTPRequest.Method
    /// Below `/api`, parameters in braces: `/v1/funds/{fund}`.
    var path: String
    var access: Access
    var handler: Handler
    /// Whether the handler looks at the conditions of the request (RFC 9110 §13.1) itself. Changes by other routes are refused
    /// when the client makes them depend on a tag: nothing that they change has one.
    var looksAtConditions = false

    /// Whether the answer is sent while it is read: it asks for room itself. Others are made in memory.
    var isStreamed = false

    var streamed: WebRoute {
        var route = self
        route.isStreamed = true
        return route
    }

    var conditional: WebRoute {
        var route = self
        route.looksAtConditions = true
        return route
    }

    static func get(_ path: String, _ access: Access = .user, _ handler: @escaping Handler) -> WebRoute {
        WebRoute(method: .get, path: path, access: access, handler: handler)
    }

    static func post(_ path: String, _ access: Access = .user, _ handler: @escaping Handler) -> WebRoute {
        WebRoute(method: .post, path: path, access: access, handler: handler)
    }

    static func put(_ path: String, _ access: Access = .user, _ handler: @escaping Handler) -> WebRoute {
        WebRoute(method: .put, path: path, access: access, handler: handler)
    }

    static func patch(_ path: String, _ access: Access = .user, _ handler: @escaping Handler) -> WebRoute {
        WebRoute(method: .patch, path: path, access: access, handler: handler)
    }

    static func delete(_ path: String, _ access: Access = .user, _ handler: @escaping Handler) -> WebRoute {
        WebRoute(method: .delete, path: path, access: access, handler: handler)
    }
}
