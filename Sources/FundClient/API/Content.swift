/// Bytes of a file, an attachment or a message, as they come from the server.
public struct Content: Sendable {
    /// Status of the HTTP response: 206 where it goes on from an offset, else 200.
    public var status: Int
    /// Offset of the first byte of the body: the one that was asked for, or 0 when the server begins anew, because the
    /// content is another one than `ifRange` says.
    public var offset: Int64
    /// Size of the whole content in bytes; nil where the server does not say.
    public var totalSize: Int64?
    /// Digest of the whole content; nil where the server does not say.
    public var digest: Digest?
    /// A media type (RFC 6838).
    public var contentType: String?
    /// To be read once. Throws `ClientError`, also when fewer bytes come than were announced.
    public var body: ContentBody
}

/// A thing with bytes on a server.
public enum ContentSource: Sendable, Hashable {
    case file(FileID)
    case attachment(AttachmentID)
    /// The message as it came (RFC 5322); the server may not have kept it.
    case email(EmailID)
}

/// The bytes of a content in pieces. What is not asked for waits on the network.
public struct ContentBody: AsyncSequence, Sendable {
    /// A piece, never empty.
    public typealias Element = [UInt8]

    let body: ResponseBody
    /// Bytes that must come; nil where that is not known.
    let length: Int64?

    /// Returns the pieces; to be called once.
    public func makeAsyncIterator() -> Iterator { Iterator(pieces: body.makeAsyncIterator(), missing: length) }

    /// Gives the pieces.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var pieces: ResponseBody.Iterator
        fileprivate var missing: Int64?

        /// The next piece; nil at the end.
        public mutating func next() async throws -> [UInt8]? {
            let piece: [UInt8]?
            do {
                piece = try await pieces.next()
            } catch let error as TransportError {
                throw ClientError(error)
            }
            guard let missing else { return piece }
            let left = missing - Int64(piece?.count ?? 0)
            guard left >= 0 else { throw ClientError(.protocolViolation, "more bytes came than were announced") }
            if piece == nil, left > 0 { throw ClientError(.interrupted, "\(left) bytes are missing at the end") }
            self.missing = left
            return piece
        }
    }
}
