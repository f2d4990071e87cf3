internal import FundCore
internal import Hummingbird

/// One operation of the web API. `WebAPI.routes` lists all of them.
struct WebRoute: UserRoute {
    typealias Handler = @Sendable (WebCall) async throws -> Response

    var method: HTTPRequest.Method
    var path: String
    var access: RouteAccess
    var handler: Handler
    /// Whether the handler evaluates the conditions of the request (RFC 9110 §13.1). Conditional changes by other
    /// routes are refused: what they change has no tag.
    var looksAtConditions = false

    /// Whether the response is sent while it is read, and reserves room itself. Other responses are made in memory.
    var isStreamed = false

    var opensBeforeSecondFactor = false
    var asksForProof = false
    var isOfNews = false

    var reaches: Set<TokenReach> = []
    /// Whether it changes nothing.
    var isReading: Bool

    /// Whether an upload can be begun or gone on with that can be resumed, which OPTIONS says.
    var takesUploads = false

    private init(method: HTTPRequest.Method, path: String, access: RouteAccess, handler: @escaping Handler) {
        (self.method, self.path, self.access, self.handler) = (method, path, access, handler)
        isReading = method == .get
    }

    /// A route that reads although its method is that of changes.
    var reading: WebRoute { with { $0.isReading = true } }
    var uploading: WebRoute { with { $0.takesUploads = true } }
    var beforeSecondFactor: WebRoute { with { $0.opensBeforeSecondFactor = true } }
    var proven: WebRoute { with { $0.asksForProof = true } }
    var streamed: WebRoute { with { $0.isStreamed = true } }
    var conditional: WebRoute { with { $0.looksAtConditions = true } }

    static func get(_ path: String, _ access: RouteAccess = .user, _ handler: @escaping Handler) -> WebRoute {
        WebRoute(method: .get, path: path, access: access, handler: handler)
    }

    static func post(_ path: String, _ access: RouteAccess = .user, _ handler: @escaping Handler) -> WebRoute {
        WebRoute(method: .post, path: path, access: access, handler: handler)
    }

    static func put(_ path: String, _ access: RouteAccess = .user, _ handler: @escaping Handler) -> WebRoute {
        WebRoute(method: .put, path: path, access: access, handler: handler)
    }

    /// An act whose answer has no content.
    static func act(
        _ method: HTTPRequest.Method, _ path: String, _ access: RouteAccess = .user,
        _ act: @escaping @Sendable (WebCall) async throws -> Void
    ) -> WebRoute {
        WebRoute(method: method, path: path, access: access) { call in
            try await act(call)
            return Response(status: .noContent)
        }
    }

    static func patch(_ path: String, _ access: RouteAccess = .user, _ handler: @escaping Handler) -> WebRoute {
        WebRoute(method: .patch, path: path, access: access, handler: handler)
    }

    static func delete(_ path: String, _ access: RouteAccess = .user, _ handler: @escaping Handler) -> WebRoute {
        WebRoute(method: .delete, path: path, access: access, handler: handler)
    }
}
