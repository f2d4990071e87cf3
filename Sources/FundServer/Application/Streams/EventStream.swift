internal import FundHTTP
internal import FundCore
internal import Hummingbird
internal import ServiceLifecycle

extension Response {
    /// Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), until the server is
    /// stopped.
    /// - Parameters:
    ///   - subscribing: runs what it is given with what wakes it.
    ///   - send: writes the events.
    static func events(
        subscribing: @escaping @Sendable ((StreamSubscription) async throws -> Void) async throws -> Void,
        send: @escaping @Sendable (inout any ResponseBodyWriter, StreamSubscription) async throws -> Void
    ) -> Response {
        let body = ResponseBody { writer in
            try await subscribing { subscription in
                try await withGracefulShutdownHandler {
                    try await send(&writer, subscription)
                } onGracefulShutdown: {
                    subscription.end()
                }
            }
            try await writer.finish(nil)
        }
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"], body: body)
    }
}

extension ByteBuffer {
    /// Writes one event, whose data is a JSON object.
    mutating func writeEvent(_ name: StaticString, _ fill: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        json.object(fill)
        writeString("event: \(name)\ndata: ")
        writeBytes(json.bytes)
        writeString("\n\n")
    }
}

extension RequestError {
    /// 406 to what does not listen to events.
    static let onlyEvents = RequestError(.notAcceptable, "not-acceptable", "these are events, for scripts")

    /// 429, to be tried again when one that was closed has been noticed: a heartbeat, and some time.
    static func tooManyStreams(_ most: Int) -> RequestError {
        RequestError(
            .tooManyRequests, "too-many-streams", "there are \(most) streams of changes already; close some",
            headers: [.retryAfter: "20"])
    }
}
