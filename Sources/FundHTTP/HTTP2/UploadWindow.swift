internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// Enlarges the window of an upload beyond the initial 64 KiB of HTTP/2, once the upload is read: to another continent,
/// a window is what arrives in a fifth of a second. Bodies of senders that are not authenticated keep the small one,
/// and those that do not say their length (RFC 9113 §8.1.1).
///
/// The end of a body may have come already and wait behind bytes that are not read. A window update after the end is an
/// error that closes the connection (RFC 9113 §5.1), so there is one only while the body is longer than all windows so
/// far: then its end cannot have been sent.
final class UploadWindow: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// 40 MB/s at a round trip of 100 ms.
    static let size = 4 * 1024 * 1024

    /// Window of a new stream, which this server does not change (RFC 9113 §6.9.2).
    private static let initialSize: Int64 = 65_535

    private let connection: ClientConnection
    /// Bytes of the body, as the client says.
    private var length: Int64 = 0
    /// Bytes of the body that the client may have sent by now.
    private var granted = UploadWindow.initialSize
    private var isWide = false
    /// Bytes passed on since the window was last enlarged.
    private var taken = 0

    init(_ connection: ClientConnection) { self.connection = connection }

    func handlerRemoved(context: ChannelHandlerContext) {
        if isWide { connection.giveWindow(Self.size) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .data(let content):
            taken += content.data.readableBytes
            // The stream itself renews the small window, and no longer a wide one.
            if !isWide { granted += Int64(content.data.readableBytes) }
        case .headers(let headers):
            length = headers.headers.first(name: "content-length").flatMap { Int64($0) } ?? length
        default: break
        }
        context.fireChannelRead(data)
        if isWide, taken >= Self.size / 2 { open(by: taken, context) }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let wanted = event as? BodyWanted else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        promise?.succeed()
        guard wanted.isUpload, !isWide, granted < length, connection.takeWindow(Self.size) else { return }
        isWide = true
        open(by: Self.size, context)
    }

    private func open(by count: Int, _ context: ChannelHandlerContext) {
        guard granted < length else { return }
        taken = 0
        granted += Int64(count)
        context.writeAndFlush(wrapOutboundOut(.windowUpdate(windowSizeIncrement: count)), promise: nil)
    }
}
