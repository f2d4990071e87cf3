/// Keeps the beginning of the header that a server sends, of several the last.
final class HeaderBeginning: IMAPBodySink {
    static let maxBytes = 256 * 1024
    private(set) var bytes: [UInt8] = []

    func beginBody(uid: UID?, section: String, origin: UInt64?, size: UInt64) { bytes = [] }

    func appendBody(_ chunk: UnsafeRawBufferPointer) {
        bytes += chunk.prefix(Self.maxBytes - min(bytes.count, Self.maxBytes))
    }
}
