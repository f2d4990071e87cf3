internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdHTTP2
internal import Logging
internal import NIOCore
internal import NIOSSL

/// How connections are taken: HTTP/1.1, or HTTP/2 and HTTP/1.1 over TLS, both with the same limits.
struct ConnectionSetup: Sendable {
    let limits: ServerLimits
    let metrics: ServerMetrics
    /// Nil for plain connections.
    let certificates: CertificateSource?

    func makeBuilder() throws -> HTTPServerBuilder {
        let (limits, metrics) = (limits, metrics)
        var http1 = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionGuard(limits: limits, metrics: metrics)],
            idleTimeout: TimeAmount(limits.idleTimeout))
        http1.httpDecoder = .init(
            maxHeaderFieldSize: limits.maxHeaderBytes, maxHeaderListSize: limits.maxHeaderBytes,
            maxHeaderFieldCount: limits.maxHeaderFields)
        let configuration = http1
        guard let certificates else {
            return HTTPServerBuilder {
                LoopBoundConnection(base: HTTP1Channel(responder: $0, configuration: configuration))
            }
        }
        let tls = try certificates.configuration()
        let http2 = HTTP2ChannelConfiguration(
            idleTimeout: limits.idleTimeout, gracefulCloseTimeout: limits.shutdownDeadline,
            streamConfiguration: configuration)
        return HTTPServerBuilder { responder in
            LoopBoundConnection(
                base: TLSConnection(
                    base: try HTTP2UpgradeChannel(tlsConfiguration: tls, configuration: http2, responder: responder),
                    handshakeTime: limits.idleTimeout))
        }
    }
}

/// A connection whose handshake must be done in time.
private struct TLSConnection: ServerChildChannel {
    typealias Value = HTTP2UpgradeChannel.Value

    let base: HTTP2UpgradeChannel
    let handshakeTime: Duration

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        do {
            try channel.pipeline.syncOperations.addHandler(HandshakeDeadline(handshakeTime))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return base.setup(channel: channel, logger: logger)
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
