internal import NIOCore

/// Makes the settings of the server hold from the first frame of a client. swift-nio-http2 applies them when the
/// client has acknowledged them, and until then closes the connection of a client that sends 20 KB of fields: its
/// limit is 16 KiB, while RFC 9113 §6.5.2 sets none. All settings here allow more than the initial ones, so no frame
/// on its way can break them: an acknowledgement is inserted after the client's own SETTINGS, and the real one is
/// dropped. Stands below the HTTP/2 handler.
final class EarlySettings: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// RFC 9113 §3.4.
    private static let prefaceSize = 24
    /// §4.1.
    private static let frameHeaderSize = 9
    private static let settingsType: UInt8 = 4
    private static let acknowledged: UInt8 = 1
    /// §6.5.3.
    private static let acknowledgement: [UInt8] = [0, 0, 0, settingsType, acknowledged, 0, 0, 0, 0]

    /// Bytes of the preface or the current frame that are still to be passed on.
    private var rest = EarlySettings.prefaceSize
    private var header: [UInt8] = []
    private var acknowledgesNext = false
    private var hasAcknowledged = false
    private var isDone = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return context.fireChannelRead(data) }
        var input = unwrapInboundIn(data)
        var output = context.channel.allocator.buffer(capacity: input.readableBytes + 2 * Self.frameHeaderSize)
        while input.readableBytes > 0 {
            if rest > 0 || isDone {
                guard var piece = input.readSlice(length: isDone ? input.readableBytes : min(rest, input.readableBytes))
                else { break }
                rest -= piece.readableBytes
                output.writeBuffer(&piece)
                if !isDone { finishFrame(&output) }
            } else {
                header += input.readBytes(length: min(Self.frameHeaderSize - header.count, input.readableBytes)) ?? []
                if header.count == Self.frameHeaderSize { beginFrame(&output) }
            }
        }
        if output.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(output)) }
    }

    private func beginFrame(_ output: inout ByteBuffer) {
        let isSettings = header[3] == Self.settingsType
        defer { header = [] }
        if isSettings, hasAcknowledged, header == Self.acknowledgement {
            isDone = true
            return
        }
        rest = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
        acknowledgesNext = isSettings && !hasAcknowledged
        output.writeBytes(header)
        finishFrame(&output)
    }

    private func finishFrame(_ output: inout ByteBuffer) {
        guard rest == 0, acknowledgesNext else { return }
        acknowledgesNext = false
        hasAcknowledged = true
        output.writeBytes(Self.acknowledgement)
    }
}
