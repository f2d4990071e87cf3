import FundStore
import Logging
import ServiceLifecycle
import TestSupport

@testable import FundServer

/// The mobile API over a store that outlives the server.
final class MobileServer: Sendable {
    let store: FundStore
    let port: Int
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    /// Says nothing.
    static var quiet: Logger { Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }) }

    init(folder: String, clock: TestClock, isBehindProxy: Bool = false) async throws {
        store = try FundStore.open(at: folder, mode: .create)
        let authenticator = try Authenticator(store: store, settings: .quick, now: { clock.now })
        let face = MobileAPI(
            store: store, authenticator: authenticator,
            downloads: Downloads(files: store, accounts: store, logger: Self.quiet))
        var settings = HTTPServer.Settings()
        settings.port = 0
        settings.isBehindProxy = isBehindProxy
        let (ports, listening) = AsyncStream<Int>.makeStream()
        let server = try HTTPServer(
            settings, faces: [face], logger: Self.quiet, onListening: { listening.yield($0) })
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [server], logger: Self.quiet))
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

    deinit { running.cancel() }

    func stop() async throws {
        await group.triggerGracefulShutdown()
        try await running.value
        try store.close()
    }

    /// One exchange over a connection of its own.
    func exchange(_ request: String, hasBody: Bool) async throws -> RawHTTPResponse? {
        let connection = try RawHTTPConnection(port: port)
        await connection.send(request)
        return await connection.response(hasBody: hasBody)
    }
}
