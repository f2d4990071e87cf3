internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes

/// Stands between the HTTP codec and the server on every connection (and every stream of HTTP/2): cuts off clients that send a
/// body too slowly or take nothing, answers `Expect: 100-continue`, and closes after a response that says so.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// For a client to read the last response before the connection goes away under what it still sends.
    private static let lingerTime = TimeAmount.milliseconds(500)

    private let limits: ServerLimits
    private let metrics: ServerMetrics
    /// Of the body that is coming; nil between bodies.
    private var body: BodyPace?
    private var bodyCheck: Scheduled<Void>?
    /// Writes that the client has not taken yet.
    private var pendingWrites = 0
    private var lastProgress = NIODeadline.now()
    private var stallCheck: Scheduled<Void>?
    private var closesAfterResponse = false

    init(limits: ServerLimits, metrics: ServerMetrics) {
        self.limits = limits
        self.metrics = metrics
    }

    func handlerAdded(context: ChannelHandlerContext) {
        metrics.connectionOpened()
        HandshakeDeadline.cancel(on: context.channel)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        metrics.connectionClosed()
        bodyCheck?.cancel()
        stallCheck?.cancel()
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(var head):
            body = BodyPace(limits)
            scheduleBodyCheck(context)
            if head.headerFields[.expect]?.lowercased() == "100-continue" {
                let response = HTTPResponse(status: .continue)
                context.writeAndFlush(wrapOutboundOut(.head(response)), promise: nil)
            }
            if Self.isLast(head) {
                // The server knows it in this form only.
                head.headerFields[.connection] = "close"
                context.fireChannelRead(wrapInboundOut(.head(head)))
                return
            }
        case .body(let bytes): body?.came(bytes.readableBytes)
        case .end:
            body = nil
            bodyCheck?.cancel()
            bodyCheck = nil
        }
        context.fireChannelRead(data)
    }

    /// A body that ends with the connection is no body, also where the protocol below says nothing (a reset stream).
    func channelInactive(context: ChannelHandlerContext) {
        if body != nil { context.fireErrorCaught(HTTPParserError.invalidEOFState) }
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        body?.isAwaited()
        context.read()
    }

    /// The client wants the connection closed after this request: one option of several, in whatever case (RFC 9112 §9.6).
    private static func isLast(_ head: HTTPRequest) -> Bool {
        head.headerFields[values: .connection].contains { value in
            value.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.contains("close")
        }
    }

    private func scheduleBodyCheck(_ context: ChannelHandlerContext) {
        bodyCheck?.cancel()
        let interval = TimeAmount(min(limits.bodyGrace, .seconds(5)))
        bodyCheck = context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(in: interval) { [self] in
            guard let body else { return }
            if body.isTooSlow {
                context.close(promise: nil)
            } else {
                scheduleBodyCheck(context)
            }
        }
    }

    // MARK: Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            if head.headerFields[.connection] == "close" { closesAfterResponse = true }
            context.write(data, promise: promise)
        case .body(let bytes):
            track(bytes.readableBytes, context, data, promise)
        case .end:
            context.write(data, promise: promise)
            if closesAfterResponse { linger(context) }
        }
    }

    private func track(
        _ count: Int, _ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?
    ) {
        let promise = promise ?? context.eventLoop.makePromise()
        pendingWrites += 1
        if stallCheck == nil {
            lastProgress = .now()
            scheduleStallCheck(context)
        }
        promise.futureResult.assumeIsolatedUnsafeUnchecked().whenComplete { [self] result in
            pendingWrites -= 1
            lastProgress = .now()
            if case .success = result { metrics.bytesServed(count) }
        }
        context.write(data, promise: promise)
    }

    private func scheduleStallCheck(_ context: ChannelHandlerContext) {
        let stall = TimeAmount(limits.sendStall)
        stallCheck = context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(deadline: lastProgress + stall) {
            [self] in
            stallCheck = nil
            guard pendingWrites > 0 else { return }
            if NIODeadline.now() - lastProgress >= stall {
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

/// Counts only the time in which the server waited for the client, not the time in which it was busy itself.
private struct BodyPace {
    private let limits: ServerLimits
    private var bytes = 0
    private var waited = TimeAmount.zero
    private var waitingSince: NIODeadline?

    init(_ limits: ServerLimits) { self.limits = limits }

    mutating func isAwaited() {
        if waitingSince == nil { waitingSince = .now() }
    }

    mutating func came(_ count: Int) {
        bytes += count
        waited = total
        waitingSince = nil
    }

    var isTooSlow: Bool {
        total > TimeAmount(limits.bodyGrace) + .seconds(Int64(bytes / max(limits.minBodyBytesPerSecond, 1)))
    }

    private var total: TimeAmount { waitingSince.map { waited + (NIODeadline.now() - $0) } ?? waited }
}
