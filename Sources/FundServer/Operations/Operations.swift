internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Endpoints for operators. `/healthz` and `/readyz` are public, for load balancers, and say little. `/metrics` names
/// mailboxes: it is for administrators' tokens, and programs on this machine that come through no proxy.
struct Operations: ServerInterface {
    let authenticator: Authenticator
    let readiness: Readiness
    /// Then every request seems to come from this machine, so that only tokens count.
    let isBehindProxy: Bool
    let metrics: @Sendable () async throws -> [MetricFamily]

    func owns(path: String) -> Bool { ["/healthz", "/readyz", "/metrics"].contains(path) }

    func addRoutes(to router: some RouterMethods<ServerContext>) {
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
        let failing = try await readiness.findings(logger: context.logger).compactMap { finding in
            finding.problem.map { _ in "failing: \(finding.name)\n" }
        }
        return Self.text(failing.isEmpty ? .ok : .serviceUnavailable, failing.isEmpty ? "ok\n" : failing.joined())
    }

    private func authorize(_ request: Request, _ context: ServerContext) async throws {
        let token = BearerToken.of(request.headers)
        if token == nil, !isBehindProxy, PeerAddress.isLoopback(context.peer) { return }
        guard let token else { throw RequestError.unauthenticated }
        let sender = try await authenticator.user(bearing: token)
        guard sender.user.isAdministrator else { throw RequestError.forbidden }
        guard !sender.lacksSecondFactor else { throw RequestError.secondFactorMissing }
    }

    private static func text(
        _ status: HTTPResponse.Status, _ text: String, type: String = "text/plain; charset=utf-8"
    ) -> Response {
        Response(status, type, ByteBuffer(string: text))
    }
}
