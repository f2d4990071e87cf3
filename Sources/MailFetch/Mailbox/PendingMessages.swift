internal import MailConnection
internal import FundCore
import Synchronization

/// Makes chunks of messages that come one by one. An end or a failure after some is reported with the next chunk.
struct MessageChunks {
    private var isAtEnd = false
    private var failure: (any Error)?

    /// `hasMore`: another message can be given with little or no wait.
    mutating func next(
        atMost count: Int, hasMore: () -> Bool, _ next: () throws -> PendingMessage?
    ) throws -> [PendingMessage] {
        if let error = failure.take() { throw error }
        var chunk: [PendingMessage] = []
        while !isAtEnd, chunk.count < count, chunk.isEmpty || hasMore() {
            do {
                if let message = try next() { chunk.append(message) } else { isAtEnd = true }
            } catch {
                if chunk.isEmpty { throw error }
                failure = error
                break
            }
        }
        // The call after the end begins anew.
        if chunk.isEmpty { isAtEnd = false }
        return chunk
    }
}

/// A spooled message until the pipeline takes it; once, so that its bytes are not kept for longer.
final class UntakenMessage: Sendable {
    private let message: Mutex<SpooledMessage?>

    init(_ message: SpooledMessage) { self.message = Mutex(message) }

    func take() throws(ConnectionError) -> SpooledMessage {
        guard let message = message.withLock({ $0.take() }) else {
            throw ConnectionError(.messageUnavailable, during: "handing over", "taken already")
        }
        return message
    }
}

extension PendingMessage {
    /// A message whose bytes, or those of its header, are in the spool.
    /// - Parameter limit: bytes; set when the message is larger, so that only its header was fetched.
    init(_ spooled: SpooledMessage, at reference: SourceReference, largerThan limit: Int64?) {
        let handover = UntakenMessage(spooled)
        self.init(
            reference: reference, expectedBytes: reference.announcedBytes,
            refusal: limit.map { .tooLarge(reference.announcedBytes ?? 0, limit: $0) }
        ) { _ in try handover.take() }
    }

    /// A message that cannot be fetched: it stays on the server, and the next one flows.
    init(unavailable problem: String, at reference: SourceReference) {
        let error = ConnectionError(.messageUnavailable, during: "fetching", problem)
        self.init(reference: reference) { _ in throw error }
    }
}

extension Refusal {
    static func tooLarge(_ bytes: Int64, limit: Int64) -> Refusal {
        Refusal(
            reason: .tooLarge,
            detail: "\(bytes) bytes, \(limit) are allowed: it stays on the server and only its header is kept here")
    }
}
