internal import Foundation
import FundStore
import Ingest
import Logging
import ServiceLifecycle
import TestSupport

@testable import FundServer

/// A server over a store of its own, for one test.
final class ServerTrial: Sendable {
    /// Where everything of the trial lies; goes away with it.
    let folder: String
    let store: FundStore
    let port: Int
    let metrics: ServerMetrics
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    var baseURL: String { "http://127.0.0.1:\(port)" }

    struct Options: Sendable {
        var settings = HTTPServer.Settings()
        var certificates: CertificateSource?
        /// What it serves over this store.
        var faces: @Sendable (FundStore) throws -> [any ServerFace] = { _ in [] }

        init() { settings.port = 0 }
    }

    init(_ options: Options = Options()) async throws {
        folder = "/tmp/\(SpoolDirectory.uniqueName(prefix: "fundserver"))"
        store = try FundStore.open(at: folder + "/store", mode: .create)
        var logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        logger.logLevel = .info
        let (ports, listening) = AsyncStream<Int>.makeStream()
        let server = try HTTPServer(
            options.settings, faces: try options.faces(store), certificates: options.certificates, logger: logger,
            onListening: { listening.yield($0) })
        metrics = server.metrics
        var configuration = ServiceGroupConfiguration(services: [server], logger: logger)
        configuration.maximumGracefulShutdownDuration = options.settings.limits.shutdownDeadline
        let group = ServiceGroup(configuration: configuration)
        self.group = group
        running = Task {
            defer { listening.finish() }
            try await group.run()
        }
        var iterator = ports.makeAsyncIterator()
        guard let port = await iterator.next() else {
            try await running.value
            throw ServerFailure("the server ended before it listened")
        }
        self.port = port
    }

    /// Stops the server and waits until it is through.
    func stop() async throws {
        await group.triggerGracefulShutdown()
        try await running.value
    }

    deinit {
        running.cancel()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A connection of its own, and one exchange over it.
    func raw(_ request: String, hasBody: Bool = true) async throws -> RawHTTPResponse? {
        let connection = try RawHTTPConnection(port: port)
        await connection.send(request)
        return await connection.response(hasBody: hasBody)
    }
}
