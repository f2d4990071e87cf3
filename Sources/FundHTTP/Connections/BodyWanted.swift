internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// A channel event: the handler of the request begins to read its body.
struct BodyWanted: Sendable {
    /// Whether it is the upload of an authenticated user, which gets a large window, see `UploadWindow`.
    var isUpload = false
}

/// A channel event: an interim response (RFC 9110 §15.2), sent while the body of the request is read.
struct InterimResponse: Sendable {
    var head: HTTPResponse
}

/// The body of a client that waits for 100 (Continue), which is sent when the body is first read.
struct ExpectedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let body: RequestBody
    let channel: any Channel

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: body.makeAsyncIterator(), channel: channel) }

    struct AsyncIterator: AsyncIteratorProtocol {
        var body: RequestBody.AsyncIterator
        let channel: any Channel
        var isAsked = false

        mutating func next() async throws -> ByteBuffer? {
            if !isAsked {
                isAsked = true
                channel.triggerUserOutboundEvent(BodyWanted(), promise: nil)
            }
            return try await body.next()
        }
    }
}
