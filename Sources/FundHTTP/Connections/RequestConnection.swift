package import HTTPTypes
package import Hummingbird
internal import NIOCore
internal import NIOHTTP1

/// The connection of a request, or its stream of HTTP/2, as far as the handler of the request sees it.
package struct RequestConnection: Sendable {
    private let channel: any Channel
    /// Memory of the response; nil without a connection.
    package let sends: StreamSends?
    /// IP address of the other end; empty when unknown.
    package let peer: String
    /// Whether it is a stream of HTTP/2, where the field `Connection` has no meaning.
    package let isMultiplexed: Bool

    package init(_ source: ApplicationRequestContextSource) {
        channel = source.channel
        // The handlers of a channel belong to its event loop.
        sends =
            channel.eventLoop.inEventLoop
            ? try? channel.pipeline.syncOperations.handler(type: ConnectionGuard.self).sends : nil
        peer = sends?.connection.peer ?? PeerAddress.text(channel.remoteAddress)
        // A stream's parent is its connection, whose parent is the listening socket.
        isMultiplexed = channel.parent?.parent != nil
    }

    /// Notes that the body of an authenticated user's upload is going to be read: it gets a large window.
    package func beginUpload() { channel.triggerUserOutboundEvent(BodyWanted(isUpload: true), promise: nil) }

    /// Sends an interim response (RFC 9110 §15.2), unless an earlier request of the connection is unanswered.
    package func send(interim head: HTTPResponse) {
        channel.triggerUserOutboundEvent(InterimResponse(head: head), promise: nil)
    }

    /// Has 100 (Continue) sent when the body is first read, if the client waits for it (RFC 9110 §10.1.1).
    package func answeringExpectation(of request: Request) -> Request {
        guard request.head.expectsContinue else { return request }
        var request = request
        request.body = RequestBody(asyncSequence: ExpectedBody(body: request.body, channel: channel))
        return request
    }

    package func close() { channel.close(promise: nil) }

    /// Closes the connection after this time, unless the result is called before.
    func closing(after time: Duration) -> () -> Void {
        let task = channel.eventLoop.scheduleTask(in: TimeAmount(time)) { [channel] in channel.close(promise: nil) }
        return { task.cancel() }
    }

    /// Whether the error says that a request breaks the protocol, so that the start of the next one is unknown.
    package static func isBroken(by error: any Error) -> Bool { error is HTTPParserError }
}
