import FundCore
internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import NIOHTTPTypes

/// A response that is complete when it is asked for.
struct ImmediateResponse {
    enum Body {
        case none
        case bytes(ByteBuffer)
        /// Only where `StreamSends.takesRegions`.
        case region(StoredRegion)
    }

    var head: HTTPResponse
    var body = Body.none
}

/// Answers requests for which nothing has to be waited for.
protocol ImmediateResponder: Sendable {
    /// Nil for all others: they take the usual way, as if this had not been asked. Room for the body is reserved.
    /// Does not block.
    func immediateResponse(to request: HTTPRequest, over sends: StreamSends) -> ImmediateResponse?
}

/// Answers requests at once that need no waiting. The way through a task, the router and the middleware takes more time
/// than the bytes of most files. The last handler of a connection of HTTP/1 before its task.
///
/// Responses keep their order: while another request is on the usual way, and while the client has not read what was
/// sent before, all take that way. Requests with a body do, and those that end the connection.
final class ImmediateHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let responder: any ImmediateResponder
    private let sends: StreamSends
    /// Of a request of which the rest has not come.
    private var head: HTTPRequest?
    /// On the usual way.
    private var openRequests = 0

    init(_ responder: any ImmediateResponder, sends: StreamSends) {
        self.responder = responder
        self.sends = sends
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head) where openRequests == 0 && self.head == nil && Self.isPlain(head):
            self.head = head
        case .end where head != nil && context.channel.isWritable:
            if let head, let response = responder.immediateResponse(to: head, over: sends) {
                self.head = nil
                send(response, context)
            } else {
                passHead(context)
                context.fireChannelRead(data)
            }
        case .head:
            passHead(context)
            openRequests += 1
            context.fireChannelRead(data)
        case .body, .end:
            passHead(context)
            context.fireChannelRead(data)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        passHead(context)
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { openRequests -= 1 }
        context.write(data, promise: promise)
    }

    /// Whether it asks for something, and for nothing that is about the connection.
    private static func isPlain(_ head: HTTPRequest) -> Bool {
        head.method == .get && head.headerFields[.connection] != "close"
            && ![.contentLength, .transferEncoding, .expect, .upgrade].contains { head.headerFields.contains($0) }
    }

    private func passHead(_ context: ChannelHandlerContext) {
        guard let head = head.take() else { return }
        openRequests += 1
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private func send(_ response: ImmediateResponse, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(response.head)), promise: nil)
        switch response.body {
        case .none: break
        case .bytes(let bytes): context.write(wrapOutboundOut(.body(bytes)), promise: nil)
        case .region(let region):
            sends.substitute(region)
            context.write(wrapOutboundOut(.body(ByteBuffer())), promise: nil)
        }
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
        context.flush()
    }
}
