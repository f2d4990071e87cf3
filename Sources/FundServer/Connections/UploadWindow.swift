internal import NIOCore
internal import NIOHTTP2

/// Enlarges the window of an upload beyond the initial 64 KiB of HTTP/2, once the upload is read: to another continent,
/// a window is what arrives in a fifth of a second. Bodies of senders that are not authenticated keep the small one.
final class UploadWindow: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// 40 MB/s at a round trip of 100 ms.
    static let size = 4 * 1024 * 1024

    private let connection: ClientConnection
    private var isWide = false
    private var hasEnded = false
    /// Bytes passed on since the window was last enlarged.
    private var taken = 0

    init(_ connection: ClientConnection) { self.connection = connection }

    func handlerRemoved(context: ChannelHandlerContext) {
        if isWide { connection.giveWindow(Self.size) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .data(let content):
            hasEnded = content.endStream
            taken += content.data.readableBytes
        case .headers(let headers) where headers.endStream: hasEnded = true
        default: break
        }
        context.fireChannelRead(data)
        if isWide, !hasEnded, taken >= Self.size / 2 { open(by: taken, context) }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let wanted = event as? BodyWanted else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        promise?.succeed()
        guard wanted.isUpload, !isWide, !hasEnded, connection.takeWindow(Self.size) else { return }
        isWide = true
        open(by: Self.size, context)
    }

    private func open(by count: Int, _ context: ChannelHandlerContext) {
        taken = 0
        context.writeAndFlush(wrapOutboundOut(.windowUpdate(windowSizeIncrement: count)), promise: nil)
    }
}
