package import Hummingbird
package import NIOCore

/// A response body that is sent while it is made, in pieces for which room is reserved (`StreamSends`).
package struct ReservedOutput {
    /// Bytes sent at once. The room of much smaller pieces is not given back before the response ends.
    package static let pieceSize = 256 * 1024

    private let sends: StreamSends?
    private let isAllowed: @Sendable () async -> Bool
    /// Bytes that are not sent yet; room for them is reserved.
    private var output = ByteBuffer()

    /// - Parameter isAllowed: asked before each piece; 401 when it is not.
    package init(over sends: StreamSends?, isAllowed: @escaping @Sendable () async -> Bool) {
        (self.sends, self.isAllowed) = (sends, isAllowed)
    }

    /// Throws `CancellationError` when the client is gone.
    package mutating func put(_ bytes: [UInt8], to writer: inout any ResponseBodyWriter) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let granted = try await reserve(min(rest.count, SendBudget.minPiece), &writer)
            output.writeBytes(rest.prefix(granted))
            rest = rest.dropFirst(granted)
            try await flushFull(to: &writer)
        }
    }

    /// - Parameter bytes: of which `reserve` has granted all.
    package mutating func put(reserved bytes: inout ByteBuffer, to writer: inout any ResponseBodyWriter) async throws {
        output.writeBuffer(&bytes)
        try await flushFull(to: &writer)
    }

    private mutating func flushFull(to writer: inout any ResponseBodyWriter) async throws {
        if output.readableBytes >= Self.pieceSize { try await flush(to: &writer) }
    }

    /// Sends what is held. Throws `unauthenticated` when the caller may not have it any more.
    package mutating func flush(to writer: inout any ResponseBodyWriter) async throws {
        guard output.readableBytes > 0 else { return }
        guard await isAllowed() else { throw RequestError.unauthenticated }
        let bytes = output
        output = ByteBuffer()
        try await writer.write(bytes)
    }

    /// Reserves room for up to `count` bytes, as `StreamSends.take`. What is written already goes first: a stream that
    /// holds nothing always gets something.
    package mutating func reserve(_ count: Int, _ writer: inout any ResponseBodyWriter) async throws -> Int {
        guard let sends, count > 0, !sends.takeAtOnce(count) else { return count }
        try await flush(to: &writer)
        return try await sends.take(upTo: count)
    }
}
