internal import HTTPTypes
internal import FundCore
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes

/// Stands between the HTTP codec and the server on every connection, and on every stream of HTTP/2. It disconnects
/// clients that send a body too slowly or read nothing, sends 100 (Continue) when the body is read, counts requests and
/// unsent bytes, and closes the connection after a response that says so.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Time for a client to read the last response before the connection is closed while it still sends.
    private static let lingerTime = TimeAmount.milliseconds(500)
    /// A region is sent in parts of this size: whether a client has taken one is known at its end.
    private static let regionPartSize = 256 * 1024

    let sends: StreamSends
    private let limits: ServerLimits
    private let metrics: ConnectionMetrics
    private let isStream: Bool
    /// Requests that came and are not answered.
    private var openRequests = 0
    /// Whether the client of the last request waits for 100 (Continue), RFC 9110 §10.1.1.
    private var expectsContinue = false
    /// Speed of the body that is being received; nil between bodies.
    private var body: BodyPace?
    private var bodyCheck: Scheduled<Void>?
    /// Writes that the client has not taken yet.
    private var pendingWrites = 0
    private var lastProgress = NIODeadline.now()
    private var stallCheck: Scheduled<Void>?
    private var closesAfterResponse = false
    /// The head of a response is written and goes with the region that follows.
    private var holdsHead = false

    /// - Parameters:
    ///   - isStream: whether it is a stream of HTTP/2.
    ///   - takesRegions: whether a `RegionSender` stands below.
    init(
        _ connection: ClientConnection, isStream: Bool, takesRegions: Bool = false, limits: ServerLimits,
        metrics: ConnectionMetrics
    ) {
        sends = StreamSends(connection, takesRegions: takesRegions)
        self.isStream = isStream
        self.limits = limits
        self.metrics = metrics
    }

    func handlerAdded(context: ChannelHandlerContext) { HandshakeDeadline.cancel(on: context.channel) }

    func handlerRemoved(context: ChannelHandlerContext) {
        bodyCheck?.cancel()
        stallCheck?.cancel()
        sends.close()
        while openRequests > 0 { requestEnded() }
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(var head):
            head.encodeTarget()
            body = BodyPace(limits)
            openRequests += 1
            metrics.requestBegan()
            sends.connection.requestBegan()
            expectsContinue = head.expectsContinue
            if Self.isLast(head) {
                // Hummingbird compares the whole field with this.
                head.headerFields[.connection] = "close"
                context.fireChannelRead(wrapInboundOut(.head(head)))
                return
            }
        case .body(let bytes):
            expectsContinue = false
            body?.came(bytes.readableBytes)
        case .end:
            expectsContinue = false
            body = nil
        }
        context.fireChannelRead(data)
    }

    /// Most requests are whole when they come, and need no timer.
    func channelReadComplete(context: ChannelHandlerContext) {
        if body == nil {
            bodyCheck?.cancel()
            bodyCheck = nil
        } else if bodyCheck == nil {
            scheduleBodyCheck(context)
        }
        context.fireChannelReadComplete()
    }

    /// A body that the end of the connection cuts off is an error, also where the protocol has none (a reset stream).
    func channelInactive(context: ChannelHandlerContext) {
        if body != nil { context.fireErrorCaught(HTTPParserError.invalidEOFState) }
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        body?.isAwaited()
        context.read()
    }

    /// Whether the client asks to close the connection: `close` may be one of several, in any case (RFC 9112 §9.6).
    private static func isLast(_ head: HTTPRequest) -> Bool {
        head.headerFields[values: .connection].contains { value in
            // Other text takes quadratic time to compare.
            value.isStreamSafe && value.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.contains("close")
        }
    }

    private func scheduleBodyCheck(_ context: ChannelHandlerContext) {
        bodyCheck?.cancel()
        let interval = TimeAmount(min(limits.bodyGrace, .seconds(5)))
        bodyCheck = context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(in: interval) { [self] in
            guard body != nil else { return }
            // While an earlier request is unanswered or its response unread, the client cannot be expected to go on.
            if openRequests > 1 || pendingWrites > 0 { body?.restart() }
            if body?.isTooSlow ?? false {
                metrics.refused(.slowBody)
                context.close(promise: nil)
            } else {
                scheduleBodyCheck(context)
            }
        }
    }

    /// Sends 100 (Continue) when the handler of the request begins to read its body: rights and size have been checked
    /// by then, and all earlier requests of this connection are answered. Nothing else sends it.
    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        if event is BodyWanted, expectsContinue, openRequests == 1 {
            expectsContinue = false
            context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
        }
        if let response = event as? InterimResponse {
            promise?.succeed()
            // Behind unanswered ones the client would take it for an answer to another request.
            if openRequests == 1 { context.writeAndFlush(wrapOutboundOut(.head(response.head)), promise: nil) }
            return
        }
        context.triggerUserOutboundEvent(event, promise: promise)
    }

    // MARK: Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            // Without 100 (Continue), a body cannot be told apart from the next request.
            if expectsContinue, openRequests == 1, !isStream { head.headerFields[.connection] = "close" }
            if head.headerFields[.connection] == "close" { closesAfterResponse = true }
            holdsHead = sends.takeExpectation()
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body(let bytes):
            holdsHead = false
            if bytes.readableBytes == 0, let region = sends.takeRegion() {
                send(region, context, promise)
            } else {
                let promise = track(bytes.readableBytes, context, promise)
                context.write(data, promise: promise)
            }
        case .end:
            holdsHead = false
            context.write(data, promise: promise)
            requestEnded()
            sends.release()
            if closesAfterResponse { linger(context) }
        }
    }

    func flush(context: ChannelHandlerContext) {
        if !holdsHead { context.flush() }
    }

    private func send(_ region: StoredRegion, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        let parts = region.split(by: Self.regionPartSize)
        for (index, part) in parts.enumerated() {
            let promise = track(part.count, context, index == parts.count - 1 ? promise : nil)
            context.triggerUserOutboundEvent(RegionWanted(region: part), promise: promise)
        }
    }

    private func requestEnded() {
        guard openRequests > 0 else { return }
        openRequests -= 1
        metrics.requestEnded()
        sends.connection.requestEnded()
    }

    /// Counts a part of a body as one that the client has not taken yet, until the promise is kept.
    private func track(
        _ count: Int, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
    ) -> EventLoopPromise<Void> {
        let promise = promise ?? context.eventLoop.makePromise()
        // A part with reserved room counts, or its room would be missed until the end of a long response.
        let isCounted = isStream || count > StreamSends.maxUncounted || sends.hasReserved
        let payer = sends.payer
        if isCounted { sends.spend(count) }
        pendingWrites += 1
        sends.connection.writeBegan()
        if stallCheck == nil {
            lastProgress = .now()
            scheduleStallCheck(context)
        }
        promise.futureResult.assumeIsolatedUnsafeUnchecked().whenComplete { [self] result in
            pendingWrites -= 1
            sends.connection.writeEnded()
            lastProgress = .now()
            if isCounted { sends.connection.give(count, for: payer) }
            if case .success = result { metrics.bytesServed(count) }
        }
        return promise
    }

    private func scheduleStallCheck(_ context: ChannelHandlerContext) {
        let stall = TimeAmount(limits.sendStall)
        stallCheck = context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(deadline: lastProgress + stall) {
            [self] in
            stallCheck = nil
            guard pendingWrites > 0 else { return }
            if NIODeadline.now() - lastProgress >= stall {
                metrics.refused(.stalled)
                context.close(promise: nil)
            } else {
                scheduleStallCheck(context)
            }
        }
    }

    private func linger(_ context: ChannelHandlerContext) {
        context.flush()
        context.close(mode: .output, promise: nil)
        context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(in: Self.lingerTime) {
            context.close(promise: nil)
        }
    }
}
