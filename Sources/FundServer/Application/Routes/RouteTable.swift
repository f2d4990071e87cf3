internal import FundHTTP
internal import Hummingbird

/// One operation of an interface, by its method and path.
protocol TabledRoute: Sendable {
    var method: HTTPRequest.Method { get }
    /// Below the root of the interface, with parameters in braces: `/v1/funds/{fund}`.
    var path: String { get }
}

/// All routes of an interface: what is not in its table is not served.
struct RouteTable<Route: TabledRoute>: Sendable {
    private static var methods: [HTTPRequest.Method] {
        [.get, .head, .post, .put, .patch, .delete, .options, .trace]
    }

    /// The path below which they stand; empty for those at the top.
    let root: String
    let routes: [Route]
    /// Answers `OPTIONS` on a path with these routes and methods (RFC 9110 §9.3.7), which needs no authentication; nil
    /// where no path has it.
    var options: (@Sendable (_ routes: [Route], _ allow: [String]) -> Response)?

    /// - Parameter answer: answers a request to a route; the flag says whether its path can be read as well.
    func addRoutes(
        to router: some RouterMethods<ServerContext>,
        answer: @escaping @Sendable (Route, _ isReadable: Bool, Request, ServerContext) async throws -> Response
    ) {
        for (path, routes) in Dictionary(grouping: routes, by: \.path) {
            var known = Dictionary(uniqueKeysWithValues: routes.map { ($0.method, $0) })
            known[.head] = known[.get]
            let (isReadable, allow) = (known[.get] != nil, allowed(routes))
            let pattern = RouterPath(root + path)
            for method in Self.methods {
                let route = known[method]
                router.on(pattern, method: method) { request, context in
                    // The router treats `//` as `/`, but each resource has one address.
                    guard !Self.hasEmptySegment(request.uri.path) else { throw RequestError.notFound }
                    if let route { return try await answer(route, isReadable, request, context) }
                    guard method == .options, let options else { throw RequestError.methodNotAllowed(allow: allow) }
                    return options(routes, allow)
                }
            }
        }
    }

    /// Whether two slashes stand together. Bytes are compared: a search for text looks for whole characters.
    private static func hasEmptySegment(_ path: String) -> Bool {
        zip(path.utf8, path.utf8.dropFirst()).contains { $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: "/") }
    }

    /// The failure of a request that no route took: 405 for an unknown method on a known path.
    func failure(_ failure: RequestError, of request: Request) -> RequestError {
        guard failure.status == .notFound, !Self.methods.contains(request.method) else { return failure }
        let names = request.uri.path.dropFirst(root.count).split(separator: "/")
        let fitting = routes.filter { route in
            let pattern = route.path.split(separator: "/")
            return names.count == pattern.count && zip(names, pattern).allSatisfy { $1.first == "{" || $0 == $1 }
        }
        // Where a word and a parameter stand at one place, a path with the word is of the first.
        let exact = fitting.filter { !$0.path.contains("{") }
        return fitting.isEmpty ? failure : .methodNotAllowed(allow: allowed(exact.isEmpty ? fitting : exact))
    }

    private func allowed(_ routes: [Route]) -> [String] {
        let known = Set(routes.map(\.method))
        return Self.methods.filter {
            known.contains($0) || $0 == .options && options != nil || $0 == .head && known.contains(.get)
        }.map(\.rawValue)
    }
}
