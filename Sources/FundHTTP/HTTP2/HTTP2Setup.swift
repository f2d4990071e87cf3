internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP2
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP2

/// Adds the handlers of an HTTP/2 connection and of its streams.
struct HTTP2Setup: Sendable {
    /// Up to this many times `maxHeaderBytes` a request is answered with 431 instead of losing the connection.
    private static let headerTolerance = 2
    /// More than all upload windows together: memory is bounded by the streams.
    private static let connectionWindow = 32 * 1024 * 1024
    private static let maxStreams = 100

    typealias Stream = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let limits: ServerLimits
    let metrics: ConnectionMetrics
    let logger: Logger

    func start(
        _ connection: ClientConnection, on channel: any Channel
    ) throws -> NIOHTTP2Handler.AsyncStreamMultiplexer<Stream> {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(ControlFrameLimit(metrics: metrics))
        try pipeline.addHandler(EarlySettings())
        let streams = try pipeline.configureAsyncHTTP2Pipeline(
            mode: .server, connectionManagerConfiguration: management, http2HandlerConfiguration: configuration
        ) { channel in
            channel.eventLoop.makeCompletedFuture { try start(connection, stream: channel) }
        }
        let context = try pipeline.context(handlerType: NIOHTTP2ServerConnectionManagementHandler.self)
        // It starts its timers when the channel becomes active, which has happened already.
        (context.handler as? NIOHTTP2ServerConnectionManagementHandler)?.channelActive(context: context)
        try pipeline.addHandler(ClosesWhenBroken())
        return streams
    }

    private var management: NIOHTTP2ServerConnectionManagementHandler.Configuration {
        .init(
            maxIdleTime: TimeAmount(limits.idleTimeout), maxAge: nil, maxGraceTime: TimeAmount(limits.shutdownDeadline),
            keepalive: nil)
    }

    private var configuration: NIOHTTP2Handler.Configuration {
        var configuration = NIOHTTP2Handler.Configuration()
        configuration.connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: Self.maxStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: limits.maxHeaderBytes * Self.headerTolerance),
        ]
        configuration.connection.targetWindowSize = Self.connectionWindow
        return configuration
    }

    private func start(_ connection: ClientConnection, stream channel: any Channel) throws -> Stream {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(UploadWindow(connection))
        try pipeline.addHandler(HTTP2FramePayloadToHTTPServerCodec())
        try pipeline.addHandler(ConnectionGuard(connection, isStream: true, limits: limits, metrics: metrics))
        try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: limits.idleTimeout, logger: logger))
        return try Stream(wrappingChannelSynchronously: channel)
    }
}

/// Closes a connection of HTTP/2 after a protocol error, and when the client has closed its side.
private final class ClosesWhenBroken: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if (event as? ChannelEvent) == .inputClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
