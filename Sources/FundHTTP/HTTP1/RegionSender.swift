internal import FundCore
internal import NIOCore
internal import NIOHTTP1

/// Sends bytes from where they stand in a file (sendfile(2)), without a copy of them. Stands below the HTTP codec of a
/// connection without TLS.
final class RegionSender: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let region = (event as? RegionWanted)?.region else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
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
}
