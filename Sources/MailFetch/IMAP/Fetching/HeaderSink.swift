/// Keeps the beginnings of the headers that a server sends.
final class HeaderSink: IMAPBodySink {
    private(set) var headers: [[UInt8]] = []
    private let keepsAll: Bool

    /// - Parameter keepsAll: all headers, in the order of the server; otherwise only the last.
    init(keepsAll: Bool) { self.keepsAll = keepsAll }

    func beginBody(uid: UID?, section: String, origin: UInt64?, size: UInt64) {
        if !keepsAll { headers = [] }
        headers.append([])
    }

    func appendBody(_ chunk: UnsafeRawBufferPointer) {
        guard let last = headers.indices.last else { return }
        let room = MailboxFindings.maxHeaderBytes - min(headers[last].count, MailboxFindings.maxHeaderBytes)
        headers[last] += chunk.prefix(room)
    }
}
