/// Keeps the beginnings of all headers that a server sends, in its order.
final class HeaderBeginnings: IMAPBodySink {
    private(set) var headers: [[UInt8]] = []

    func beginBody(uid: UID?, section: String, origin: UInt64?, size: UInt64) { headers.append([]) }

    func appendBody(_ chunk: UnsafeRawBufferPointer) {
        guard let last = headers.indices.last else { return }
        headers[last] += chunk.prefix(HeaderBeginning.maxBytes - min(headers[last].count, HeaderBeginning.maxBytes))
    }
}
