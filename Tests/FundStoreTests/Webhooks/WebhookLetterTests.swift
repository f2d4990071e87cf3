import FundCore
import Testing

@testable import FundStore

/// The letter that tells the owner of a webhook that it was stopped.
struct WebhookLetterTests {
    private static func letters(_ harness: WebhookHarness) async throws -> [OutboxLetter] {
        try await harness.base.store.outbox.letters(OutboxFilter(), PageQuery()).items
    }

    @Test func tellsTheOwnerOnce() async throws {
        let harness = try await WebhookHarness()
        let outbox = harness.base.store.outbox
        try await harness.addNote()
        let message = try await harness.due()
        try await harness.note(message, 500, .status)
        #expect(try await Self.letters(harness).isEmpty)
        try await harness.note(message, 410, .gone)
        let letter = try #require(try await Self.letters(harness).first)
        #expect(letter.cause == .webhook(message.delivery.id) && letter.recipient == "ann@example.com")
        let facts = StoppedWebhookFacts(
            recipient: NotificationRecipient(user: harness.ann, name: "Ann", language: nil),
            webhook: harness.webhook.id, name: "Hook", host: "hooks.example", problem: .gone, detail: nil)
        #expect(try await outbox.facts(of: letter) == .webhook(facts))
        // Nothing is told of one that is on again, and the same message is no news.
        _ = try await harness.webhooks.changeWebhook(harness.webhook.id, WebhookChange(isOn: true), of: harness.ann)
        #expect(try await outbox.facts(of: letter) == .gone("the webhook is not stopped any more"))
        try await harness.note(message, 410, .gone)
        #expect(try await Self.letters(harness) == [letter])
        try await harness.webhooks.removeWebhook(harness.webhook.id, of: harness.ann)
        #expect(try await outbox.facts(of: letter) == .gone("the webhook was removed"))
    }

    @Test func isNotWrittenWhereLettersAreOff() async throws {
        let harness = try await WebhookHarness()
        try await harness.addNote()
        let message = try await harness.due()
        let stopped = try await harness.webhooks.noteAttempt(
            WebhookAttempt(status: 410, problem: .gone), of: message.delivery.id, jitter: 1, isTold: false, at: .now)
        #expect(stopped?.state == .stopped)
        #expect(try await Self.letters(harness).isEmpty)
    }
}
