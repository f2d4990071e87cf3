internal import NIOCore
internal import NIOHTTP1

/// Answers clients of HTTP/1.0 in their version: the response is not chunked and ends the connection, without interim
/// ones (RFC 9112 §2.3, §6.1, §9.3, RFC 9110 §10.1.1). Stands below the codec, which drops the version.
final class HTTP1VersionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Requests that came and are not answered. What follows one of HTTP/1.0 is not read.
    private var openRequests = 0
    /// How many of them came before the one of HTTP/1.0; nil while there is none.
    private var answersBeforeLast: Int?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        if head.version.major == 1, head.version.minor == 0, answersBeforeLast == nil {
            answersBeforeLast = openRequests
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            head.headers.remove(name: "Expect")
            if !head.headers.contains(name: "Host") {
                // HTTP/1.0 has no such field: the address that the client connected to stands for it.
                head.headers.add(name: "Host", value: Self.authority(context.channel.localAddress))
            }
            openRequests += 1
            context.fireChannelRead(wrapInboundOut(.head(head)))
        } else {
            openRequests += 1
            context.fireChannelRead(data)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where answersBeforeLast == 0 && !head.headers.contains(name: "Content-Length"):
            // The encoder does not chunk responses of this version: the body ends with the connection.
            head.version = .http1_0
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            openRequests -= 1
            answersBeforeLast = answersBeforeLast.map { $0 - 1 }
            context.write(data, promise: promise)
        default: context.write(data, promise: promise)
        }
    }

    private static func authority(_ address: SocketAddress?) -> String {
        guard let host = address?.ipAddress, let port = address?.port else { return "localhost" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
