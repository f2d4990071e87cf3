internal import FundCore
package import FundHTTP
internal import Hummingbird
package import Logging
internal import ServiceLifecycle

/// The HTTP server with all its interfaces, as one service.
package struct HTTPServer: Service {
    /// Where and for whom the server listens.
    package struct Settings: Sendable {
        /// Address to listen on; port 0 lets the system choose one.
        package var host = "127.0.0.1"
        package var port = 8080
        /// All connections come from one proxy: `X-Forwarded-For` and `X-Forwarded-Proto` are believed.
        package var isBehindProxy = false
        var limits = ServerLimits()
        /// Address of this server for clients, without a slash at its end: `https://funds.corp.example`. Nil when only
        /// their requests tell it.
        package var publicURL: String?

        package init() {}

        /// Other authorities (`host` or `host:port`) under which clients know this server:
        /// `https://funds.corp.example/x` is `funds.corp.example`.
        var publicAuthorities: [String] {
            let rest = publicURL?.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true) ?? []
            return rest.count > 1 ? [String(rest[1])] : []
        }
    }

    private var application: Application<RouterResponder<ServerContext>>
    private let metrics: ServerMetrics

    /// With all interfaces. Throws when the server key cannot be read, and what NIOSSL throws for the certificate.
    /// - Parameter onListening: gets the port once the server listens.
    package init(
        _ settings: Settings, parts: ServerParts, certificates: CertificateSource?, logger: Logger,
        onListening: @escaping @Sendable (Int) async -> Void
    ) throws {
        let metrics = ServerMetrics()
        try self.init(
            settings, interfaces: parts.interfaces(settings, metrics: metrics, logger: logger), metrics: metrics,
            certificates: certificates, hasNoSecrets: parts.demo != nil, logger: logger,
            onUse: { [previews = parts.previews] in previews?.noteUse() }, onListening: onListening)
    }

    init(
        _ settings: Settings, interfaces: [any ServerInterface], metrics: ServerMetrics = ServerMetrics(),
        certificates: CertificateSource? = nil, hasNoSecrets: Bool = false, logger: Logger,
        onUse: @escaping @Sendable () -> Void = {},
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws {
        self.metrics = metrics
        let table = ConnectionTable(
            limits: settings.limits, metrics: metrics.connections, isBehindProxy: settings.isBehindProxy)
        let router = Router(context: ServerContext.self)
        let front = FrontMiddleware(
            interfaces: interfaces, isEncrypted: certificates != nil, hasNoSecrets: hasNoSecrets,
            trustsProxy: settings.isBehindProxy,
            limits: settings.limits, metrics: metrics, connections: table, accessLog: AccessLog(logger: logger),
            onUse: onUse)
        router.add(middleware: front)
        for interface in interfaces { interface.addRoutes(to: router) }
        let configuration = ApplicationConfiguration(
            address: .hostname(settings.host, port: settings.port), backlog: 1024)
        // The framework's messages at `info` say nothing about this program.
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .notice)
        application = Application(
            router: router,
            server: try ConnectionSetup(
                limits: settings.limits, metrics: metrics.connections, table: table, certificates: certificates
            ).makeBuilder(),
            configuration: configuration,
            onServerRunning: { channel in await onListening(ServingProcess.port(of: channel)) }, logger: quiet)
        application.addServices(MemoryReturn())
    }

    package func run() async throws { try await application.run() }

    package var requestFailures: RequestFailures { metrics.failures }
}
