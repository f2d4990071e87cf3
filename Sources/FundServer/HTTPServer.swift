internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
package import Logging
internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle

/// The HTTP server with all its faces, as one service.
package struct HTTPServer: Service {
    package struct Settings: Sendable {
        /// Where it listens; port 0 lets the system choose.
        package var host = "127.0.0.1"
        package var port = 8080
        /// The one client is a proxy on this machine or in front of it: `X-Forwarded-For` and `-Proto` are believed.
        package var isBehindProxy = false
        package var limits = ServerLimits()
        /// Host and port as clients know them, where that is not what they are here.
        package var publicAuthorities: [String] = []
        /// A file below this path is handed to the proxy by name instead of bytes (`X-Accel-Redirect`); nil sends bytes.
        package var accelRedirect: String?

        package init() {}
    }

    private var application: Application<RouterResponder<ServerContext>>
    package let metrics: ServerMetrics

    /// `onListening` gets the port. Throws when the certificate cannot be used.
    package init(
        _ settings: Settings, faces: [any ServerFace], metrics: ServerMetrics = ServerMetrics(),
        certificates: CertificateSource? = nil, logger: Logger,
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws {
        self.metrics = metrics
        let table = ConnectionTable(limits: settings.limits, metrics: metrics, isBehindProxy: settings.isBehindProxy)
        let router = Router(context: ServerContext.self)
        router.add(
            middleware: FrontMiddleware(
                faces: faces, isEncrypted: certificates != nil, trustsProxy: settings.isBehindProxy,
                limits: settings.limits, metrics: metrics, connections: table, accessLog: AccessLog(logger: logger)))
        for face in faces { face.addRoutes(to: router) }
        let configuration = ApplicationConfiguration(
            address: .hostname(settings.host, port: settings.port), backlog: 1024)
        // What the framework says at `info` is of no use to anybody here.
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .notice)
        application = Application(
            router: router,
            server: try ConnectionSetup(
                limits: settings.limits, metrics: metrics, table: table, certificates: certificates
            ).makeBuilder(),
            configuration: configuration,
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) }, logger: quiet)
        application.addServices(MemoryReturn())
    }

    package func run() async throws { try await application.run() }
}

extension HTTPServer {
    /// To be called once, before anything else of this target: threads that wait for the disk, and `raiseDescriptorLimit`.
    package static func prepareProcess() {
        NIOSingletons.blockingPoolThreadCountSuggestion = max(8, NIOSingletons.groupLoopCountSuggestion)
        raiseDescriptorLimit()
    }

    /// As many files and connections may be open at the same time as the system allows.
    package static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// The address is taken, not ours, or not allowed.
    package static func cannotListen(_ error: any Error) -> Bool { error is IOError || error is SocketAddressError }
}
