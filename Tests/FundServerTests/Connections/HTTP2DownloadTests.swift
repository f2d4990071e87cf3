import FundStore
import FundCore
import Logging
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

/// Downloads by clients that open streams and take nothing.
@Suite(.startsPrograms) struct HTTP2DownloadTests {
    private static let streams = 60

    /// One connection holds its share, however many streams it has, and nothing when it is gone.
    @Test func holdsLittleForClientsThatTakeNothing() async throws {
        let authority = try TestAuthority.shared.get()
        var options = ServerHarness.Options()
        options.certificates = try CertificateSource(
            certificateFile: authority.certificatePath(.valid), keyFile: authority.keyPath(.valid),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        let harness = try await ServerHarness(options)
        let token = try await harness.token(of: harness.people.ann)
        let attachment = try await harness.store.library.email(harness.people.email, of: harness.people.ann.id)
            .attachments[2]
        let (channel, streams) = try await Self.connect(port: harness.port)
        for _ in 0..<Self.streams {
            try await Self.ask(streams, "/api/v1/attachments/\(attachment.id)/content", token)
        }
        try await eventually { harness.metrics.connections.requestsInFlight == Self.streams }
        let share = options.settings.limits.maxUnsentBytesOfConnection
        try await eventually { harness.metrics.connections.unsentBytes > share / 2 }
        // However many more come, and have been read.
        for more in 1...20 {
            try await Self.ask(streams, "/api/v1/attachments/\(attachment.id)/content", token)
            try await eventually { harness.metrics.connections.requestsInFlight == Self.streams + more }
            #expect(harness.metrics.connections.unsentBytes <= share)
        }
        try await channel.close()
        try await eventually {
            harness.metrics.connections.unsentBytes == 0 && harness.metrics.connections.requestsInFlight == 0
        }
        try await harness.stop()
    }

    private static func connect(port: Int) async throws -> (any Channel, NIOHTTP2Handler.StreamMultiplexer) {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        tls.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: tls)
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [HTTP2Setting(parameter: .initialWindowSize, value: 0)]
        let configuration = connection
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                    let streams = try pipeline.configureHTTP2Pipeline(
                        mode: .client, connectionConfiguration: configuration, streamConfiguration: .init()
                    ) { $0.eventLoop.makeSucceededVoidFuture() }
                    return (channel, streams)
                }
            }
    }

    private static func ask(
        _ streams: NIOHTTP2Handler.StreamMultiplexer, _ path: String, _ token: String
    ) async throws {
        let stream = try await streams.createStreamChannel { $0.eventLoop.makeSucceededVoidFuture() }.get()
        let headers = HTTP2Frame.FramePayload.Headers(
            headers: [
                ":method": "GET", ":scheme": "https", ":authority": "localhost", ":path": path,
                "authorization": "Bearer \(token)",
            ], endStream: true)
        stream.writeAndFlush(HTTP2Frame.FramePayload.headers(headers), promise: nil)
    }
}
