import FundCore
import Testing

@testable import FundStore

/// Letters of a store, for tests.
extension StoreHarness {
    static func receipt(_ choice: ReceiptChoice = .all, to address: String = "ann@example.com") throws -> ReceiptRequest
    {
        ReceiptRequest(recipient: try #require(EmailAddress(address)), choice: choice)
    }

    /// Files or keeps a message whose sender wants to hear of it.
    @discardableResult
    func fileAnswered(
        _ raw: String, reason: Reason? = nil, of user: User? = nil, _ choice: ReceiptChoice = .all
    ) async throws -> StoredMessage {
        var message = try message(raw, reason: reason)
        if let user { message.decision.user = user }
        message.receipt = try Self.receipt(choice)
        return try await store.mail.commit([try stage(message)])[0]
    }

    /// Queues letters in one transaction.
    func queue(
        _ causes: OutboxCause..., to address: String = "ann@example.com", topic: String = "", at now: Timestamp,
        limits: OutboxLimits = .usual
    ) throws {
        try queue(causes, to: address, topic: topic, at: now, limits: limits)
    }

    func queue(
        _ causes: [OutboxCause], to address: String = "ann@example.com", topic: String = "", at now: Timestamp,
        limits: OutboxLimits = .usual
    ) throws {
        let recipient = try #require(EmailAddress(address))
        try store.connection.write("queue letters") { db in
            let queue = LetterQueue(db: db, now: now, limits: limits)
            for cause in causes { try queue.add(cause, to: recipient, topic: topic) }
        }
    }

    /// All letters, the first first.
    var letters: [OutboxLetter] {
        get async throws { try await store.outbox.letters(OutboxFilter(), PageQuery()).items.reversed() }
    }

    /// `filed queued` for each letter, the first first.
    var letterStates: [String] {
        get async throws { try await letters.map { "\($0.cause.kind.rawValue) \($0.state.rawValue)" } }
    }
}
