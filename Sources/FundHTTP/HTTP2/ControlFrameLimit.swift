internal import NIOCore

/// Closes connections of HTTP/2 whose client keeps the server busy with frames that move nothing: WINDOW_UPDATE, PING,
/// SETTINGS, PRIORITY and RST_STREAM (RFC 9113 §10.5). Stands below the HTTP/2 handler.
final class ControlFrameLimit: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    /// Frames that a client may send at once: a page with a hundred pictures takes some hundred.
    static let burst = 10_000
    /// Bytes either way that allow one frame more: clients enlarge two windows for each frame of 16 KiB at the most.
    static let bytesPerFrame = 4096
    /// Frames that each second allows.
    static let perSecond = 100
    /// RFC 9113 §3.4, §4.1, §6: DATA and HEADERS are no such frames.
    private static let prefaceSize = 24
    private static let headerSize = 9
    private static let movingTypes: Set<UInt8> = [0, 1, 9]

    private let metrics: ConnectionMetrics
    private let now: () -> NIODeadline
    /// Bytes of the preface or a frame that are still to come.
    private var rest = ControlFrameLimit.prefaceSize
    private var header: [UInt8] = []
    private var left = ControlFrameLimit.burst
    /// Bytes that did not make up for a frame yet.
    private var bytes = 0
    private var refilledAt: NIODeadline
    private var isClosing = false

    init(metrics: ConnectionMetrics, now: @escaping () -> NIODeadline = { .now() }) {
        (self.metrics, self.now, refilledAt) = (metrics, now, now())
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        let input = unwrapInboundIn(data)
        moved(input.readableBytes)
        count(input)
        guard left >= 0 || refilled() else {
            isClosing = true
            metrics.refused(.controlFrames)
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }

    /// TLS waits seconds for the client's own end (RFC 8446 §6.1): what it floods meanwhile stays in its own memory.
    func read(context: ChannelHandlerContext) { if !isClosing { context.read() } }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        moved(unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }

    private func count(_ input: ByteBuffer) {
        var input = input
        while input.readableBytes > 0 {
            if rest > 0 {
                let count = min(rest, input.readableBytes)
                input.moveReaderIndex(forwardBy: count)
                rest -= count
                continue
            }
            header += input.readBytes(length: min(Self.headerSize - header.count, input.readableBytes)) ?? []
            guard header.count == Self.headerSize else { return }
            rest = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
            if !Self.movingTypes.contains(header[3]) { left -= 1 }
            header.removeAll(keepingCapacity: true)
        }
    }

    private func moved(_ count: Int) {
        bytes += count
        left = min(Self.burst, left + bytes / Self.bytesPerFrame)
        bytes %= Self.bytesPerFrame
    }

    /// Looked at when nothing is left, and not for each frame.
    private func refilled() -> Bool {
        let seconds = Int((now() - refilledAt).nanoseconds / 1_000_000_000)
        guard seconds > 0 else { return false }
        refilledAt = now()
        left = min(Self.burst, left + seconds * Self.perSecond)
        return left >= 0
    }
}
