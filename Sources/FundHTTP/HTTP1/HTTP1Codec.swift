internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// Translates between the messages of NIO's codec for HTTP/1 and those that hold for all versions. Answers clients of
/// HTTP/1.0 in their version: the response is not chunked and ends the connection, without interim ones (RFC 9112
/// §2.3, §6.1, §9.3, RFC 9110 §10.1.1).
///
/// NIO's own translator takes each target apart with Foundation's `URLComponents`, which takes as long as all fields.
final class HTTP1Codec: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Requests that came and are not answered. What follows one of HTTP/1.0 is not read.
    private var openRequests = 0
    /// How many of them came before the one of HTTP/1.0; nil while there is none.
    private var answersBeforeLast: Int?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(var head):
            if head.version.major == 1, head.version.minor == 0, answersBeforeLast == nil {
                answersBeforeLast = openRequests
                head.headers.replaceOrAdd(name: "Connection", value: "close")
                head.headers.remove(name: "Expect")
                if !head.headers.contains(name: "Host") {
                    // HTTP/1.0 has no such field: the address that the client connected to stands for it.
                    head.headers.add(name: "Host", value: Self.authority(context.channel.localAddress))
                }
            }
            openRequests += 1
            do { context.fireChannelRead(wrapInboundOut(.head(try Self.request(head)))) } catch {
                context.fireErrorCaught(error)
            }
        case .body(let bytes): context.fireChannelRead(wrapInboundOut(.body(bytes)))
        case .end(let trailers):
            let fields = trailers.map { HTTPFields($0, splitCookie: false) }
            context.fireChannelRead(wrapInboundOut(.end(fields)))
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let response):
            var head = HTTPResponseHead(response)
            // The encoder does not chunk responses of this version: the body ends with the connection.
            if answersBeforeLast == 0, !head.headers.contains(name: "Content-Length") { head.version = .http1_0 }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body(let bytes): context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: promise)
        case .end(let trailers):
            openRequests -= 1
            answersBeforeLast = answersBeforeLast.map { $0 - 1 }
            context.write(wrapOutboundOut(.end(trailers.map(HTTPHeaders.init))), promise: promise)
        }
    }

    private static func request(_ head: HTTPRequestHead) throws -> HTTPRequest {
        guard head.uri.utf8.first == UInt8(ascii: "/") else {
            // Perhaps a whole URL (RFC 9112 §3.2.2).
            return try HTTPRequest(head, secure: false, splitCookie: false)
        }
        return HTTPRequest(
            method: try HTTPRequest.Method(head.method), scheme: "http", authority: head.headers["Host"].first,
            path: head.uri, headerFields: HTTPFields(head.headers, splitCookie: false))
    }

    private static func authority(_ address: SocketAddress?) -> String {
        guard let host = address?.ipAddress, let port = address?.port else { return "localhost" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
