internal import Ingest

/// The bytes of one message on their way into the spool, or nowhere.
final class POP3Body {
    private let spool: SpoolDirectory?
    private let maxBytes: Int64
    private var writer: SpoolWriter?
    private(set) var size: Int64 = 0

    init(_ spool: SpoolDirectory?, maxBytes: Int64) {
        self.spool = spool
        self.maxBytes = maxBytes
    }

    var isTooLarge: Bool { size > maxBytes }

    func begin() throws(FetchError) {
        guard let spool else { return }
        do { writer = try spool.makeFile() } catch { throw Self.wrapped(error) }
    }

    /// What goes beyond the limit is read, since the end of the message can only be seen, but not kept.
    func append(_ bytes: UnsafeRawBufferPointer) throws(FetchError) {
        size += Int64(bytes.count)
        if isTooLarge { writer = nil }
        guard size / Int64(FetchPatience.maxExcess) <= maxBytes else {
            throw FetchError(.protocolViolation, during: "fetching", "a message without end")
        }
        do { try writer?.append(bytes) } catch { throw Self.wrapped(error) }
    }

    /// Nil when it was too large or nobody wants it.
    func finish() -> SpooledMessage? {
        guard let writer = writer.take() else { return nil }
        return writer.finish()
    }

    /// Stands for a message of which the server shows nothing.
    static func nothing(in spool: SpoolDirectory) throws(FetchError) -> SpooledMessage {
        do { return try spool.makeFile().finish() } catch { throw wrapped(error) }
    }

    private static func wrapped(_ error: SpoolError) -> FetchError {
        FetchError(.spool, during: "writing the message down", "\(error)", underlying: error)
    }
}
