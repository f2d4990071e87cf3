import Logging
import ServiceLifecycle
import TestSupport

@testable import FundServer

/// A web server that listens; ends with `stop`, or with the last reference.
final class RunningServer: Sendable {
    let port: Int
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    /// Hears the port on which its server listens.
    typealias OnListening = @Sendable (Int) async -> Void

    init(
        _ logger: Logger, shutdownDeadline: Duration? = nil, _ make: (@escaping OnListening) throws -> HTTPServer
    ) async throws {
        let (ports, listening) = AsyncStream<Int>.makeStream()
        let server = try make { listening.yield($0) }
        var configuration = ServiceGroupConfiguration(services: [server], logger: logger)
        configuration.maximumGracefulShutdownDuration = shutdownDeadline
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

    deinit { running.cancel() }

    /// Waits until it is through.
    func stop() async throws {
        await group.triggerGracefulShutdown()
        try await running.value
    }

    /// One exchange over a connection of its own.
    func exchange(_ request: String, hasBody: Bool) async throws -> RawHTTPResponse? {
        let connection = try RawHTTPConnection(port: port)
        await connection.send(request)
        return await connection.response(hasBody: hasBody)
    }
}
