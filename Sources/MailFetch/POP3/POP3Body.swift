internal import MailConnection
internal import FundCore

/// Writes the bytes of one message into the spool, or drops them.
final class POP3Body {
    private let spool: SpoolDirectory?
    private let maxBytes: Int64
    private var writer: SpoolWriter?
    private(set) var size: Int64 = 0
    private let maxTime: Duration?
    private let begun = ContinuousClock.now
    /// Given up for that.
    private(set) var isTooSlow = false

    /// - Parameter maxTime: for the whole message; nil: no limit.
    init(_ spool: SpoolDirectory?, maxBytes: Int64, maxTime: Duration? = nil) {
        self.spool = spool
        self.maxBytes = maxBytes
        self.maxTime = maxTime
    }

    var isTooLarge: Bool { size > maxBytes }

    func begin() { writer = spool?.makeWriter() }

    /// Bytes beyond the limit are read but not kept: only reading finds the end of the message.
    func append(_ bytes: UnsafeRawBufferPointer) throws(ConnectionError) {
        size += Int64(bytes.count)
        if isTooLarge { writer = nil }
        guard size / Int64(FetchPatience.maxExcess) <= maxBytes else {
            throw ConnectionError(.protocolViolation, during: "fetching", "a message without end")
        }
        do { try writer?.append(bytes) } catch { throw Self.wrapped(error) }
        if let maxTime, .now - begun > maxTime {
            isTooSlow = true
            throw ConnectionError(.timedOut, during: "fetching", "a message takes too long")
        }
    }

    /// Nil when it was too large or is not wanted.
    func finish() -> SpooledMessage? {
        guard let writer = writer.take() else { return nil }
        return writer.finish()
    }

    /// Stands for a message of which the server shows nothing. It names the message, so that no two of them are equal.
    static func nothing(of entry: POP3Listing.Entry, in spool: SpoolDirectory) throws(ConnectionError) -> SpooledMessage
    {
        let name = entry.uidl.map { "X-Fundmail-UIDL: \($0)\r\n" } ?? ""
        let text = "\(name)X-Fundmail-Size: \(entry.size ?? 0)\r\n\r\nThe server shows nothing of this message.\r\n"
        do throws(DiskError) {
            var writer = spool.makeWriter()
            try ArraySlice(text.utf8).withBytes { (bytes) throws(DiskError) in try writer.append(bytes) }
            return writer.finish()
        } catch { throw wrapped(error) }
    }

    private static func wrapped(_ error: DiskError) -> ConnectionError {
        .store(error, during: "writing the message down")
    }
}
