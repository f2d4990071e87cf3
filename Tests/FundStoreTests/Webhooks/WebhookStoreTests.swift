import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The acts of people on their webhooks.
struct WebhookStoreTests {
    @Test func belongToOnePersonAlone() async throws {
        let harness = try await WebhookHarness()
        let (webhooks, id, bea) = (harness.webhooks, harness.webhook.id, harness.bea.id)
        #expect(try await webhooks.webhooks(of: harness.ann).map(\.name) == ["Hook"])
        #expect(try await webhooks.webhooks(of: bea).isEmpty)
        await #expect(throws: StoreError.self) { _ = try await webhooks.webhook(id, of: bea) }
        await #expect(throws: StoreError.self) { _ = try await webhooks.renewSecret(of: id, of: bea) }
        await #expect(throws: StoreError.self) { _ = try await webhooks.prepareTest(of: id, of: bea) }
        await #expect(throws: StoreError.self) { try await webhooks.removeWebhook(id, of: bea) }
        await #expect(throws: StoreError.self) {
            _ = try await webhooks.webhookDeliveries(of: id, of: bea, PageQuery())
        }
        await #expect(throws: StoreError.self) {
            _ = try await webhooks.changeWebhook(id, WebhookChange(isOn: false), of: bea)
        }
        #expect(try await harness.now().state == .on)
    }

    @Test func namesAreTakenOnceAndThereIsALimit() async throws {
        let harness = try await WebhookHarness()
        let (webhooks, ann) = (harness.webhooks, harness.ann)
        await #expect { _ = try await webhooks.addWebhook(try WebhookHarness.new("hook"), of: ann) } throws: {
            hasCode(.alreadyExists)($0)
        }
        await #expect { _ = try await webhooks.addWebhook(try WebhookHarness.new("None", []), of: ann) } throws: {
            ($0 as? StoreError)?.problem == .webhookKinds
        }
        for number in 2...WebhookLimits.maxWebhooks {
            _ = try await webhooks.addWebhook(try WebhookHarness.new("Hook \(number)"), of: ann)
        }
        await #expect { _ = try await webhooks.addWebhook(try WebhookHarness.new("One more"), of: ann) } throws: {
            ($0 as? StoreError)?.problem == .tooManyWebhooks
        }
        _ = try await webhooks.addWebhook(try WebhookHarness.new("Hook"), of: harness.bea.id)
    }

    /// The database alone gives no secret, and a row that is moved to another person opens nothing.
    @Test func secretsAreSealed() async throws {
        let harness = try await WebhookHarness()
        let bytes = harness.secret.bytes
        let rows = try harness.base.store.connection.read("look") { db in
            try db.rows("SELECT hex(secret) FROM webhook") { $0[0] as String }
        }
        #expect(rows.allSatisfy { !$0.contains(Hex.text(bytes).uppercased()) } && rows.count == 1)
        let test = try await harness.webhooks.prepareTest(of: harness.webhook.id, of: harness.ann)
        #expect(test.secrets == [harness.secret] && test.delivery.event == .test)
        try harness.base.store.connection.write("move it") {
            try $0.execute("UPDATE webhook SET user_id = ?", [harness.bea.id])
        }
        let moved = try await harness.webhooks.prepareTest(of: harness.webhook.id, of: harness.bea.id)
        #expect(moved.secrets.isEmpty)
    }

    /// For a day a receiver may know either secret.
    @Test func theFormerSecretSignsForADay() async throws {
        let harness = try await WebhookHarness()
        let new = try await harness.webhooks.renewSecret(of: harness.webhook.id, of: harness.ann)
        try await harness.addNote()
        #expect(try await harness.due().secrets == [new, harness.secret])
        let later = Timestamp.now + .seconds(86_401)
        #expect(try await harness.due(at: later).secrets == [new])
    }

    @Test func deliveriesAreKeptForAWhileAndGoAgainWithTheirIds() async throws {
        let harness = try await WebhookHarness()
        let (webhooks, id, ann) = (harness.webhooks, harness.webhook.id, harness.ann)
        try await harness.addNote()
        let first = try await harness.due()
        // It is pending: nothing is sent twice at a time, but it is due at once.
        #expect(try await webhooks.prepareAgain(first.delivery.id, of: id, of: ann) == nil)
        _ = try await webhooks.changeWebhook(id, WebhookChange(isOn: false), of: ann)
        await #expect { _ = try await webhooks.prepareAgain(first.delivery.id, of: id, of: ann) } throws: {
            hasCode(.conflict)($0)
        }
        try await harness.note(first)
        let again = try #require(try await webhooks.prepareAgain(first.delivery.id, of: id, of: ann))
        #expect(again.delivery.mark == first.delivery.mark && again.body == first.body)
        let noted = try await webhooks.noteSent(
            WebhookAttempt(status: 500, problem: .status), of: again.delivery.id)
        // It has arrived once.
        #expect(noted.state == .delivered && noted.attempts == 2 && noted.status == 500)
        for _ in 0...WebhookLimits.keptDeliveries { _ = try await webhooks.prepareTest(of: id, of: ann) }
        let page = try await webhooks.webhookDeliveries(of: id, of: ann, PageQuery())
        #expect(page.items.count == WebhookLimits.keptDeliveries && page.items.allSatisfy { $0.event == .test })
        try await webhooks.removeWebhook(id, of: ann)
        #expect(try harness.base.count("webhook_delivery") == 0)
    }
}
