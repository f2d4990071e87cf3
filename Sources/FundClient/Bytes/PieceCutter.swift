/// Cuts bytes that come in pieces of any size into parts of a wanted one.
struct PieceCutter {
    private var pieces: AsyncThrowingStream<[UInt8], any Error>.AsyncIterator
    private var rest: ArraySlice<UInt8> = []
    private var skipped: Int64

    /// - Parameter skipped: so many bytes at the beginning are not given.
    init(_ pieces: AsyncThrowingStream<[UInt8], any Error>, skipping skipped: Int64) {
        (self.pieces, self.skipped) = (pieces.makeAsyncIterator(), skipped)
    }

    /// The next bytes, as many as are asked for; fewer only at the end. Throws `interrupted` for whatever the pieces
    /// end with: their source knows more of it.
    mutating func next(_ count: Int) async throws(ClientError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            if rest.isEmpty {
                do {
                    guard let piece = try await pieces.next() else { break }
                    rest = piece[...]
                } catch { throw ClientError(.interrupted, "\(error)") }
                let unwanted = Int(min(skipped, Int64(rest.count)))
                rest.removeFirst(unwanted)
                skipped -= Int64(unwanted)
                continue
            }
            let part = rest.prefix(count - bytes.count)
            bytes += part
            rest.removeFirst(part.count)
        }
        return bytes
    }
}
