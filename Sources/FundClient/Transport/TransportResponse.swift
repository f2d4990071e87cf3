public import HTTPTypes

/// The head of a response, and its bytes as they come.
public struct TransportResponse: Sendable {
    /// Status and fields.
    public var head: HTTPResponse
    /// Body of the response.
    public var body: ResponseBody

    /// Creates a response whose body is not read yet.
    public init(_ head: HTTPResponse, body: ResponseBody) {
        self.head = head
        self.body = body
    }
}

/// The bytes of a response in the pieces in which they come. To be read once. What is not asked for waits on the
/// network, so that memory does not grow with the body.
public struct ResponseBody: AsyncSequence, Sendable {
    /// A piece, never empty.
    public typealias Element = [UInt8]

    private let makeNext: @Sendable () -> () async throws -> [UInt8]?

    /// - Parameter makeNext: begins to read: gives what gives the next piece, nil at the end of the body. That throws
    ///   `TransportError`.
    public init(_ makeNext: @escaping @Sendable () -> () async throws -> [UInt8]?) { self.makeNext = makeNext }

    /// Returns the pieces; to be called once.
    public func makeAsyncIterator() -> Iterator { Iterator(makeNext()) }

    /// Gives the pieces.
    public struct Iterator: AsyncIteratorProtocol {
        private let following: () async throws -> [UInt8]?

        fileprivate init(_ following: @escaping () async throws -> [UInt8]?) { self.following = following }

        /// The next piece; nil at the end.
        public mutating func next() async throws -> [UInt8]? { try await following() }
    }

    /// The whole body. Throws a `TransportError` with the code `tooLong` when it has more bytes than that.
    public func collect(upTo maxBytes: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await piece in self {
            guard bytes.count + piece.count <= maxBytes else {
                throw TransportError(.tooLong, "more than \(maxBytes) bytes")
            }
            bytes += piece
        }
        return bytes
    }
}
