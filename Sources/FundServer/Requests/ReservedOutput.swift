internal import Hummingbird
internal import NIOCore

/// Text that is sent while it is made, in pieces for which room is reserved (`StreamSends`).
struct ReservedOutput {
    /// What is sent at once. The room of much smaller pieces is not given back before the response ends.
    private static let pieceSize = 256 * 1024

    let sends: StreamSends?
    private var output = ByteBuffer()

    init(over sends: StreamSends?) { self.sends = sends }

    /// Throws `CancellationError` when the client is gone.
    mutating func put(_ bytes: [UInt8], to writer: inout any ResponseBodyWriter) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let granted = try await reserve(min(rest.count, SendBudget.minPiece), &writer)
            output.writeBytes(rest.prefix(granted))
            rest = rest.dropFirst(granted)
            if output.readableBytes >= Self.pieceSize { try await flush(to: &writer) }
        }
    }

    mutating func flush(to writer: inout any ResponseBodyWriter) async throws {
        guard output.readableBytes > 0 else { return }
        let bytes = output
        output = ByteBuffer()
        try await writer.write(bytes)
    }

    /// What is written already goes first: a stream that holds nothing always gets something.
    private mutating func reserve(_ count: Int, _ writer: inout any ResponseBodyWriter) async throws -> Int {
        guard let sends, !sends.takeAtOnce(count) else { return count }
        try await flush(to: &writer)
        return try await sends.take(upTo: count)
    }
}
