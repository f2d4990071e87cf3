public import HTTPTypes

/// A request as it is to be sent.
public struct TransportRequest: Sendable {
    /// Method, scheme, authority, path and fields.
    public var head: HTTPRequest
    /// Body of the request.
    public var body: RequestBody
    /// The request fails when so long no byte comes or goes. Not for the whole of it: a large file takes its time.
    public var idleTimeout: Duration

    /// Creates a request without a body unless one is given.
    public init(_ head: HTTPRequest, body: RequestBody = .none, idleTimeout: Duration = .seconds(60)) {
        self.head = head
        self.body = body
        self.idleTimeout = idleTimeout
    }
}

/// Body of a request.
public enum RequestBody: Sendable {
    case none
    case bytes([UInt8])
    /// A body of known length in pieces. The closure begins anew each time it is called; a piece is taken when the one
    /// before it has gone to the network.
    case stream(length: Int64, @Sendable () -> AsyncThrowingStream<[UInt8], any Error>)
}
