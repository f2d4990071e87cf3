internal import MailConnection
internal import FundCore

/// Writes one message after the other into the spool, and keeps the beginning of a large one that is cut off.
final class BodySpooling: IMAPBodySink {
    /// Less is fetched again whole: a round trip costs as much.
    private static let minResumableBytes: UInt64 = 256 * 1024

    private let spool: SpoolDirectory
    private let maxBytes: UInt64
    private let maxTime: Duration?
    /// Bytes of messages are dropped: the run does not want them any more.
    var isDiscarding = false
    private var writer: SpoolWriter?
    private var uid: UID?
    private var section = ""
    private var total: UInt64 = 0
    private var received: UInt64 = 0
    private var begun = ContinuousClock.now

    /// A message of which only the beginning has come.
    private(set) var partial: Partial?
    /// The message that ended the connection since it is too large, with its size; to be taken once.
    var excess: UnfinishedMessage?
    /// A message that took too long, with the bytes that came of it.
    var slow: UnfinishedMessage?

    struct Partial: Equatable {
        var uid: UID
        var received: UInt64
        var total: UInt64
        var missing: UInt64 { total - received }
    }

    struct UnfinishedMessage: Equatable {
        /// Nil when it had not come yet.
        var uid: UID?
        var bytes: UInt64
    }

    /// - Parameter maxTime: for one message, over all its connections; nil: no limit.
    init(spool: SpoolDirectory, maxBytes: Int64, maxTime: Duration? = nil) {
        self.spool = spool
        self.maxBytes = UInt64(max(maxBytes, 0))
        self.maxTime = maxTime
    }

    func beginBody(uid: UID?, section: String, origin: UInt64?, size: UInt64) throws(ConnectionError) {
        if isDiscarding { return }
        if let partial, origin == partial.received, size == partial.missing, uid ?? partial.uid == partial.uid {
            self.partial = nil
            return
        }
        forget()
        guard origin ?? 0 == 0 else {
            throw ConnectionError(.protocolViolation, during: "fetching", "another piece of the message than asked for")
        }
        guard size / FetchPatience.maxExcess <= maxBytes else {
            excess = UnfinishedMessage(uid: uid, bytes: size)
            throw ConnectionError(
                .messageUnavailable, during: "fetching", "the message is larger than announced: \(size) bytes")
        }
        (self.uid, self.section, total, received) = (uid, section, size, 0)
        begun = .now
        if size > maxBytes { return }
        writer = spool.makeWriter(expecting: Int64(clamping: size))
    }

    func appendBody(_ bytes: UnsafeRawBufferPointer) throws(ConnectionError) {
        if isDiscarding { return }
        received += UInt64(bytes.count)
        do { try writer?.append(bytes) } catch { throw Self.wrapped(error) }
        if let maxTime, received < total, .now - begun > maxTime {
            slow = UnfinishedMessage(uid: uid, bytes: received)
            throw ConnectionError(.timedOut, during: "fetching", "a message takes too long")
        }
    }

    /// The message whose bytes have all come; nil when it was larger than allowed.
    func finish() -> SpooledMessage? {
        defer { uid = nil }
        guard received == total, let writer = writer.take() else { return nil }
        return writer.finish()
    }

    /// Keeps what came of a large message: the next connection asks for the rest.
    func connectionLost() {
        if partial != nil { return }
        let isResumable = writer != nil && received >= Self.minResumableBytes && received < total && section == "BODY[]"
        if isResumable, let uid {
            partial = Partial(uid: uid, received: received, total: total)
        } else {
            forget()
        }
    }

    /// Drops what came of a message.
    func forget() {
        partial = nil
        writer = nil
        uid = nil
    }

    private static func wrapped(_ error: DiskError) -> ConnectionError {
        .store(error, during: "writing the message down")
    }
}
