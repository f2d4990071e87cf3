import FundCore
internal import Glibc
internal import NIOCore
internal import NIOHTTP1

/// A channel event: the next bytes of the body stand in a file.
struct RegionWanted: Sendable {
    var region: StoredRegion
}

/// Sends bytes from where they stand in a file (sendfile(2)), without a copy of them. Stands below the HTTP codec of a
/// connection without TLS.
///
/// What is sent so begins with the head of the response in one packet, and ends with whole packets (TCP_CORK, tcp(7)).
final class RegionSender: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private static let cork = ChannelOptions.tcpOption(.init(rawValue: CInt(TCP_CORK)))

    private var isCorked = false
    /// The response is written to its end.
    private var isOver = false

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let region = (event as? RegionWanted)?.region else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        setCork(true, context)
        // A handle can be used by one thread at a time, so that each region has its own. The store closes the file.
        let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: region.descriptor)
        let promise = promise ?? context.eventLoop.makePromise()
        promise.futureResult.assumeIsolatedUnsafeUnchecked().whenComplete { _ in
            _ = try? handle.takeDescriptorOwnership()
            withExtendedLifetime(region) {}
        }
        let start = Int(region.offset)
        let bytes = FileRegion(fileHandle: handle, readerIndex: start, endIndex: start + region.count)
        context.write(wrapOutboundOut(.body(.fileRegion(bytes))), promise: promise)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(data, promise: promise)
        if isCorked, case .end = unwrapOutboundIn(data) { isOver = true }
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard isOver else { return }
        isOver = false
        setCork(false, context)
    }

    private func setCork(_ isSet: Bool, _ context: ChannelHandlerContext) {
        guard isSet != isCorked else { return }
        isCorked = isSet
        try? context.channel.syncOptions?.setOption(Self.cork, value: isSet ? 1 : 0)
    }
}
