import FundCore
import Testing

@testable import FundStore

/// A store with a second user, and a webhook of the first.
struct WebhookHarness {
    let base: StoreHarness
    let bea: User
    let webhook: Webhook
    let secret: WebhookSecret

    var webhooks: SQLWebhookStore { base.store.webhooks }
    var ann: User.ID { base.ann.id }

    static func new(_ name: String = "Hook", _ kinds: Set<ItemKind> = Set(ItemKind.allCases)) throws -> NewWebhook {
        NewWebhook(name: name, address: try #require(WebhookAddress("https://hooks.example/in")), kinds: kinds)
    }

    init(_ kinds: Set<ItemKind> = Set(ItemKind.allCases)) async throws {
        base = try await StoreHarness()
        bea = try await base.store.administration.addUser(
            email: "bea@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test")
        (webhook, secret) = try await base.store.webhooks.addWebhook(try Self.new("Hook", kinds), of: base.ann.id)
    }

    @discardableResult
    func addNote(_ title: String = "t") async throws -> NoteEntry.ID {
        try await base.store.library.addNote(NoteText(title: title, content: "secret words"), in: base.fund.id, of: ann)
            .id
    }

    func next(at now: Timestamp = .now) async throws -> OutgoingDelivery? {
        try await webhooks.nextDelivery(besides: [], [], at: now)
    }

    /// The delivery that is due, which has to be.
    func due(at now: Timestamp = .now) async throws -> OutgoingDelivery { try #require(try await next(at: now)) }

    @discardableResult
    func note(
        _ delivery: OutgoingDelivery, _ status: Int = 204, _ problem: WebhookProblem? = nil,
        retryAfter: Duration? = nil, jitter: Double = 1, at now: Timestamp = .now
    ) async throws -> Webhook? {
        try await webhooks.noteAttempt(
            WebhookAttempt(status: status, problem: problem, retryAfter: retryAfter), of: delivery.delivery.id,
            jitter: jitter, isTold: true, at: now)
    }

    func now(_ id: Webhook.ID? = nil) async throws -> Webhook {
        try await webhooks.webhook(id ?? webhook.id, of: ann)
    }
}
