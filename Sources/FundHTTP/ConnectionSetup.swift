package import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2
internal import NIOSSL

/// Sets up connections: HTTP/1.1 without TLS; HTTP/2 and HTTP/1.1 over TLS. All have the same limits.
package struct ConnectionSetup: Sendable {
    let limits: ServerLimits
    let metrics: ConnectionMetrics
    let table: ConnectionTable
    /// Nil without TLS.
    let certificates: CertificateSource?

    package init(
        limits: ServerLimits, metrics: ConnectionMetrics, table: ConnectionTable, certificates: CertificateSource?
    ) {
        (self.limits, self.metrics, self.table, self.certificates) = (limits, metrics, table, certificates)
    }

    /// Builder of a server with these connections. Throws when the certificate cannot be used.
    package func makeBuilder() throws -> HTTPServerBuilder {
        guard let certificates else {
            return HTTPServerBuilder {
                LoopBoundConnection(base: PlainConnection(setup: self, http1: HTTP1Channel(responder: $0)))
            }
        }
        var tls = try certificates.configuration()
        tls.applicationProtocols = NIOHTTP2SupportedALPNProtocols
        let context = try NIOSSLContext(configuration: tls)
        return HTTPServerBuilder {
            LoopBoundConnection(base: TLSConnection(setup: self, http1: HTTP1Channel(responder: $0), context: context))
        }
    }

    fileprivate func startHTTP1(
        _ connection: ClientConnection, _ channel: any Channel, _ logger: Logger
    ) -> EventLoopFuture<HTTP1Channel.Value> {
        channel.eventLoop.makeCompletedFuture {
            let (pipeline, isPlain) = (channel.pipeline.syncOperations, certificates == nil)
            var decoding = NIOHTTPDecoderLimitConfiguration()
            decoding.maxHeaderFieldSize = limits.maxHeaderBytes
            decoding.maxHeaderListSize = limits.maxHeaderBytes
            decoding.maxHeaderFieldCount = limits.maxHeaderFields
            // `NIOAsyncChannel` reads one request after the other, and what composes fields has checked them.
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoding)
            if isPlain { try pipeline.addHandler(RegionSender()) }
            try pipeline.addHandler(HTTP1Codec())
            try pipeline.addHandler(
                ConnectionGuard(connection, isStream: false, takesRegions: isPlain, limits: limits, metrics: metrics))
            try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: limits.idleTimeout, logger: logger))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }
}

private struct PlainConnection: ServerChildChannel {
    let setup: ConnectionSetup
    let http1: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        guard let connection = setup.table.admit(channel, from: PeerAddress.text(channel.remoteAddress)) else {
            return channel.eventLoop.makeFailedFuture(ConnectionTable.RefusedError())
        }
        return setup.startHTTP1(connection, channel, logger)
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await http1.handle(value: value, logger: logger)
    }
}

/// A TLS connection. HTTP/2 is set up here, since the settings of Hummingbird's own set-up cannot be changed.
private struct TLSConnection: ServerChildChannel {
    typealias Stream = HTTP1Channel.Value
    typealias Streams = NIOHTTP2Handler.AsyncStreamMultiplexer<Stream>

    struct Value: ServerChildChannelValue {
        let negotiated: EventLoopFuture<NIONegotiatedHTTPVersion<HTTP1Channel.Value, Streams>>
        let channel: any Channel
    }

    let setup: ConnectionSetup
    let http1: HTTP1Channel
    let context: NIOSSLContext

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        guard let connection = setup.table.admit(channel, from: PeerAddress.text(channel.remoteAddress)) else {
            return channel.eventLoop.makeFailedFuture(ConnectionTable.RefusedError())
        }
        do {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(HandshakeDeadline(setup.limits.idleTimeout))
            try pipeline.addHandler(NIOSSLServerHandler(context: context))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return channel.configureHTTP2AsyncSecureUpgrade { channel in
            setup.startHTTP1(connection, channel, logger)
        } http2ConnectionInitializer: { channel in
            channel.eventLoop.makeCompletedFuture {
                try HTTP2Setup(limits: setup.limits, metrics: setup.metrics, logger: logger)
                    .start(connection, on: channel)
            }
        }.map { Value(negotiated: $0, channel: channel) }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.negotiated.get() {
            case .http1_1(let connection): await http1.handle(value: connection, logger: logger)
            case .http2(let streams): try await handle(streams, logger)
            }
        } catch {
            logger.debug("a TLS connection ended: \(error)")
        }
    }

    private func handle(_ streams: Streams, _ logger: Logger) async throws {
        // A stream is handled like a connection of HTTP/1 with one request.
        try await withThrowingDiscardingTaskGroup { group in
            for try await stream in streams.inbound {
                group.addTask { await http1.handle(value: stream, logger: logger) }
            }
        }
    }
}
