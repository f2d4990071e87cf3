import FundCore
import Synchronization

/// The mail of the made-up office as a source: it came at the times at which it was sent.
final class SampleSource: MessageSource {
    private let waiting: Mutex<ArraySlice<PendingMessage>>

    /// Throws what `SampleMail.bytes` throws.
    init(_ mails: [SampleMail]) throws {
        let ordered = mails.sorted { $0.sentAt < $1.sentAt }
        let messages = try ordered.enumerated().map { number, mail in
            let bytes = try mail.bytes()
            let reference = SourceReference(place: "sample/\(number + 1)")
            var message = PendingMessage(reference: reference, expectedBytes: Int64(bytes.count)) { spool in
                var writer = spool.makeWriter(expecting: Int64(bytes.count))
                try bytes.withUnsafeBytes { try writer.append($0) }
                return writer.finish()
            }
            message.receivedAt = mail.sentAt
            return message
        }
        waiting = Mutex(messages[...])
    }

    func next(atMost count: Int) -> [PendingMessage] {
        waiting.withLock { waiting in
            defer { waiting = waiting.dropFirst(count) }
            return Array(waiting.prefix(count))
        }
    }

    /// There is no copy elsewhere.
    func acknowledge(_ messages: [StoredMessage]) {}

    /// There is nothing to wait for.
    func finish() {}
}
