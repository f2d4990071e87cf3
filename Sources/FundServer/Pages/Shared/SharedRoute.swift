internal import Hummingbird

/// One page of a share link, or one act on it.
struct SharedRoute: TabledRoute {
    typealias Handler = @Sendable (SharedCall) async throws -> Response

    /// The path below which all stand.
    static let root = "/s"

    var method: HTTPRequest.Method
    var path: String
    /// Whether the link was opened before, in this browser.
    var needsGrant: Bool
    var handler: Handler
    /// Whether the response is sent while it is read, and reserves room itself.
    var isStreamed = false

    var streamed: SharedRoute {
        var route = self
        route.isStreamed = true
        return route
    }

    /// A page of an opened link.
    static func get(_ path: String, _ handler: @escaping Handler) -> SharedRoute {
        SharedRoute(method: .get, path: "/{token}" + path, needsGrant: true, handler: handler)
    }

    static let all: [SharedRoute] = openingRoutes + listRoutes + fileRoutes + textRoutes + uploadRoutes
}
