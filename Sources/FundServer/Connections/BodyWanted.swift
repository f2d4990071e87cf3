internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Said on a channel when the handler of its request begins to read the body.
struct BodyWanted: Sendable {
    /// Of a user who is known, and to be taken as fast as it comes: see `UploadWindow`.
    var isUpload = false
}

extension HTTPRequest {
    /// RFC 9110 §10.1.1.
    var expectsContinue: Bool { headerFields[.expect]?.lowercased() == "100-continue" }
}

/// A body whose client waits for 100 (Continue): asked for when it is first read.
struct ExpectedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    private let body: RequestBody
    private let channel: any Channel

    init(_ body: RequestBody, on channel: any Channel) {
        self.body = body
        self.channel = channel
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: body.makeAsyncIterator(), channel: channel) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var body: RequestBody.AsyncIterator
        fileprivate let channel: any Channel
        private var isAsked = false

        fileprivate init(body: RequestBody.AsyncIterator, channel: any Channel) {
            self.body = body
            self.channel = channel
        }

        mutating func next() async throws -> ByteBuffer? {
            if !isAsked {
                isAsked = true
                channel.triggerUserOutboundEvent(BodyWanted(), promise: nil)
            }
            return try await body.next()
        }
    }
}
