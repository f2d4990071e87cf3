public import Foundation

/// Calls of a server that transfers need: a `Session`.
public protocol TransferServer: Sendable {
    /// Returns this server with calls that are made once each: the queue retries.
    func withoutRetries() -> Self

    /// Begins to load bytes, see `Session.content(of:from:ifRange:)`.
    func content(
        of source: ContentSource, from offset: Int64, ifRange digest: Digest?
    ) async throws(ClientError) -> Content

    /// Begins an upload that can be resumed.
    /// - Parameter modifiedAt: when the file was changed last; nil for when all of it is there.
    /// - Returns: its address on the server.
    func beginUpload(
        to target: Upload.Target, contentType: String, size: Int64, modifiedAt: Date?
    ) async throws(ClientError) -> String

    /// Standing of an upload. Throws `notFound` when the server does not know it (any more).
    func standing(ofUpload address: String) async throws(ClientError) -> UploadStanding

    /// Sends the rest of an upload.
    /// - Parameters:
    ///   - offset: what the server has.
    ///   - size: of the whole.
    ///   - pieces: makes the bytes behind `offset`, anew each time it is called.
    /// - Returns: the file that it made or changed. Throws `conflict` when the server has another offset by now.
    func finishUpload(
        _ address: String, from offset: Int64, size: Int64,
        pieces: @escaping @Sendable () -> AsyncThrowingStream<[UInt8], any Error>
    ) async throws(ClientError) -> File

    /// The file of an upload that the server says is complete.
    func result(ofUpload address: String) async throws(ClientError) -> File

    /// Removes a file that an upload made of wrong bytes.
    func discard(_ file: File) async throws(ClientError)

    /// Gives an upload up. Nothing happens when the server does not know it.
    func dropUpload(_ address: String) async throws(ClientError)
}

extension TransferServer {
    /// For servers that never repeat a call.
    public func withoutRetries() -> Self { self }
}

/// Standing of an upload on the server.
public struct UploadStanding: Sendable, Hashable {
    /// Bytes that the server has.
    public var offset: Int64
    /// All came, and the file is made.
    public var isComplete: Bool

    /// - Parameter offset: in bytes.
    public init(offset: Int64, isComplete: Bool) { (self.offset, self.isComplete) = (offset, isComplete) }
}
