internal import HTTPTypes
package import Hummingbird
internal import FundCore
internal import Logging
internal import NIOCore

/// Endpoints for operators. `/healthz` and `/readyz` are public, since load balancers ask them, and say little.
/// `/metrics` names mailboxes: it is for programs on this machine that do not come through a proxy, and for
/// administrators' tokens.
package struct Operations: ServerInterface {
    private let authenticator: Authenticator
    private let readiness: Readiness
    private let metrics: @Sendable () async throws -> [MetricFamily]
    private let isBehindProxy: Bool

    /// - Parameter isBehindProxy: then every request seems to come from this machine, so that only tokens count.
    package init(
        authenticator: Authenticator, checks: [HealthCheck], isBehindProxy: Bool,
        metrics: @escaping @Sendable () async throws -> [MetricFamily]
    ) {
        self.authenticator = authenticator
        readiness = Readiness(checks)
        self.metrics = metrics
        self.isBehindProxy = isBehindProxy
    }

    package func owns(path: String) -> Bool { ["/healthz", "/readyz", "/metrics"].contains(path) }

    package func addRoutes(to router: some RouterMethods<ServerContext>) {
        for method in [.get, .head] as [HTTPRequest.Method] {
            router.on("/healthz", method: method) { _, _ in Self.text(.ok, "ok\n") }
            router.on("/readyz", method: method) { _, context in try await ready(context) }
            router.on("/metrics", method: method) { request, context in
                try await authorize(request, context)
                return Self.text(.ok, try await metrics().map(\.text).joined(), type: "text/plain; version=0.0.4")
            }
        }
    }

    private func ready(_ context: ServerContext) async throws -> Response {
        let failing = try await readiness.failing(logger: context.logger).map { "failing: \($0)\n" }
        return Self.text(failing.isEmpty ? .ok : .serviceUnavailable, failing.isEmpty ? "ok\n" : failing.joined())
    }

    private func authorize(_ request: Request, _ context: ServerContext) async throws {
        let token = BearerToken.of(request)
        if token == nil, !isBehindProxy, PeerAddress.isLoopback(context.peer) { return }
        guard let token else { throw RequestError.unauthenticated }
        guard try await authenticator.user(bearing: token).user.isAdministrator else { throw RequestError.forbidden }
    }

    private static func text(
        _ status: HTTPResponse.Status, _ text: String, type: String = "text/plain; charset=utf-8"
    ) -> Response {
        Response(
            status: status, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
