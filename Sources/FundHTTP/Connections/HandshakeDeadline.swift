internal import NIOCore

/// Closes a TLS connection whose handshake is not complete in time. The first handler of the connection.
final class HandshakeDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let time: TimeAmount
    private var task: Scheduled<Void>?

    init(_ time: Duration) { self.time = TimeAmount(time) }

    /// The handshake of this connection, or of the connection of this stream, is complete.
    static func cancel(on channel: any Channel) {
        for channel in [channel, channel.parent].compactMap({ $0 }) where channel.eventLoop.inEventLoop {
            guard let handler = try? channel.pipeline.syncOperations.handler(type: HandshakeDeadline.self) else {
                continue
            }
            handler.task?.cancel()
        }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        task = context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(in: time) { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { task?.cancel() }
}
