import TestSupport
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import Testing

@testable import FundHTTP

/// Handlers that stand below those of swift-nio-http2 and beside them.
struct HTTP2HandlerTests {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let acknowledgement: [UInt8] = [0, 0, 0, 4, 1, 0, 0, 0, 0]

    private static func frame(_ type: UInt8, _ flags: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), type, flags, 0, 0, 0, 1] + payload
    }

    /// The acknowledgement stands behind the client's settings, and the client's own is gone, however the bytes are
    /// cut.
    @Test(arguments: [1, 2, 5, 9, 17, 1000])
    func settingsHoldAtOnce(_ pieceSize: Int) throws {
        let settings = Self.frame(4, 0, [0, 4, 0, 0, 0xFF, 0xFF])
        let headers = Self.frame(1, 4, Array(repeating: 0x82, count: 300))
        // Bytes of an acknowledgement within a payload are none.
        let data = Self.frame(0, 1, Self.acknowledgement)
        let later = Self.frame(4) + Self.acknowledgement + headers
        let sent = Self.preface + settings + headers + data + Self.acknowledgement + later
        let channel = EmbeddedChannel(handler: EarlySettings())
        for start in stride(from: 0, to: sent.count, by: pieceSize) {
            try channel.writeInbound(ByteBuffer(bytes: sent[start..<min(start + pieceSize, sent.count)]))
        }
        var seen: [UInt8] = []
        while let buffer: ByteBuffer = try channel.readInbound() { seen += buffer.readableBytesView }
        #expect(seen == Self.preface + settings + Self.acknowledgement + headers + data + later)
    }

    /// Frames that move nothing are counted, however they are cut; bytes and time make up for some.
    @Test(arguments: [7, 13, 4096])
    func controlFramesHaveABound(_ pieceSize: Int) throws {
        let metrics = ConnectionMetrics()
        let clock = NIOLockedValueBox(NIODeadline.uptimeNanoseconds(0))
        let channel = EmbeddedChannel(handler: ControlFrameLimit(metrics: metrics) { clock.withLockedValue { $0 } })
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        // The first frames in such pieces, the others in larger ones, which cut them at every place.
        func send(_ bytes: [UInt8]) throws {
            var rest = bytes[...]
            while !rest.isEmpty, channel.isActive {
                let piece = rest.prefix(bytes.count - rest.count < 2000 ? pieceSize : max(pieceSize, 1007))
                try channel.writeInbound(ByteBuffer(bytes: piece))
                rest = rest.dropFirst(piece.count)
            }
        }
        func updates(_ count: Int) -> [UInt8] { (0..<count).flatMap { _ in Self.frame(8, 0, [0, 0, 0, 1]) } }
        try send(Self.preface + updates(ControlFrameLimit.burst - 200))
        // Bytes of a frame within a payload are none.
        try send(Self.frame(0, 0, Array(updates(100))))
        #expect(channel.isActive)
        let sent = ControlFrameLimit.bytesPerFrame * ControlFrameLimit.burst
        try channel.writeOutbound(ByteBuffer(repeating: 0, count: sent))
        try send(updates(ControlFrameLimit.burst - 200))
        clock.withLockedValue { $0 = .uptimeNanoseconds(10_000_000_000) }
        try send(updates(500))
        #expect(channel.isActive && metrics.refusalCounts.isEmpty)
        try send(updates(2 * ControlFrameLimit.burst))
        #expect(!channel.isActive && metrics.refusalCounts == [.controlFrames: 1])
    }

    /// A connection that takes its time to close, as TLS does: nothing of it is read meanwhile.
    private final class SlowClose: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        var reads = 0

        func read(context: ChannelHandlerContext) { reads += 1 }
        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {}
    }

    @Test func refusedFramesAreNotReadOn() throws {
        let metrics = ConnectionMetrics()
        let slow = SlowClose()
        let channel = EmbeddedChannel(handlers: [slow, ControlFrameLimit(metrics: metrics)])
        let updates = (0..<2 * ControlFrameLimit.burst).flatMap { _ in Self.frame(8, 0, [0, 0, 0, 1]) }
        channel.read()
        #expect(slow.reads == 1)
        try channel.writeInbound(ByteBuffer(bytes: Self.preface + updates))
        try channel.writeInbound(ByteBuffer(bytes: updates))
        channel.read()
        #expect(slow.reads == 1 && metrics.refusalCounts == [.controlFrames: 1])
        let seen: ByteBuffer? = try channel.readInbound()
        #expect(seen == nil)
    }

    private static func connection() throws -> ClientConnection {
        let table = ConnectionTable(limits: ServerLimits(), metrics: ConnectionMetrics(), isBehindProxy: false)
        return try #require(table.admit(EmbeddedChannel(), from: "192.0.2.1"))
    }

    private static func window(_ channel: EmbeddedChannel) throws -> Int? {
        guard let frame: HTTP2Frame.FramePayload = try channel.readOutbound() else { return nil }
        guard case .windowUpdate(let increment) = frame else { return nil }
        return increment
    }

    private static func send(_ count: Int, to channel: EmbeddedChannel, isLast: Bool = false) throws {
        let bytes = ByteBuffer(repeating: 0, count: count)
        try channel.writeInbound(HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(bytes), endStream: isLast)))
    }

    /// A stream with an upload of this length; the stream itself grants the first 65,535 bytes.
    private static func upload(_ length: Int, on connection: ClientConnection) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: UploadWindow(connection))
        try channel.writeInbound(
            HTTP2Frame.FramePayload.headers(.init(headers: [":method": "PUT", "content-length": "\(length)"])))
        return channel
    }

    /// Only an upload that is wanted gets more than what every stream has, and again as much as was handed on; not when
    /// all of it may be on its way, so that its end may have come.
    @Test func widensTheWindowOfAnUpload() async throws {
        let length = 65_535 + 1000 + UploadWindow.size * 3 / 2 + 1
        let channel = try Self.upload(length, on: try Self.connection())
        try Self.send(1000, to: channel)
        channel.triggerUserOutboundEvent(BodyWanted(), promise: nil)
        #expect(try Self.window(channel) == nil)
        channel.triggerUserOutboundEvent(BodyWanted(isUpload: true), promise: nil)
        #expect(try Self.window(channel) == UploadWindow.size)
        try Self.send(UploadWindow.size / 2 - 1, to: channel)
        #expect(try Self.window(channel) == nil)
        try Self.send(1, to: channel)
        #expect(try Self.window(channel) == UploadWindow.size / 2)
        try Self.send(UploadWindow.size / 2, to: channel)
        #expect(try Self.window(channel) == UploadWindow.size / 2)
        try Self.send(UploadWindow.size / 2, to: channel)
        #expect(try Self.window(channel) == nil)
        let short = try Self.upload(65_535, on: try Self.connection())
        short.triggerUserOutboundEvent(BodyWanted(isUpload: true), promise: nil)
        #expect(try Self.window(short) == nil)
    }

    /// The windows of all uploads of a connection are bounded; an upload that has ended makes room.
    @Test func boundsTheWindows() throws {
        let connection = try Self.connection()
        let channels = try (0..<6).map { _ in try Self.upload(1_000_000, on: connection) }
        for channel in channels { channel.triggerUserOutboundEvent(BodyWanted(isUpload: true), promise: nil) }
        #expect(try channels.map { try Self.window($0) != nil } == [true, true, true, true, false, false])
        _ = try channels[0].finish()
        channels[5].triggerUserOutboundEvent(BodyWanted(isUpload: true), promise: nil)
        #expect(try Self.window(channels[5]) == UploadWindow.size)
    }
}
