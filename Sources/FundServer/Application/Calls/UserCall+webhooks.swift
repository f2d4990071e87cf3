internal import FundHTTP
internal import HTTPTypes
internal import FundCore

/// Webhooks, as pages and web API read and change them.
extension UserCall {
    /// Whether people have webhooks here.
    var hasWebhooks: Bool { parts.store.webhooks != nil && parts.webhooks != nil }

    /// Throws 404 where webhooks are off.
    var webhookStore: any WebhookStore {
        get throws {
            guard hasWebhooks, let store = parts.store.webhooks else { throw Self.webhooksAreOff }
            return store
        }
    }

    private static var webhooksAreOff: RequestError {
        RequestError(.notFound, "webhooks-off", "webhooks are off here")
    }

    /// The webhook of the path parameter `webhook`. Throws 404.
    func webhook() async throws -> Webhook { try await webhookStore.webhook(try id("webhook"), of: try userID) }

    /// The address of a text, if deliveries may go there. Throws `StoreError` with a problem.
    func webhookAddress(_ text: String) throws -> WebhookAddress {
        let operation = "read the address of a webhook"
        guard let address = WebhookAddress(text) else {
            throw StoreError(
                operation,
                InputProblem(.webhookAddress, "the address must be https://, of a host, and without a user name"))
        }
        switch parts.webhooks?.problem(with: address) {
        case nil: return address
        case .forbidden?: throw StoreError(operation, InputProblem(.webhookForbidden, WebhookProblem.forbidden.text))
        case let problem?: throw StoreError(operation, InputProblem(.webhookPrivate, problem.text))
        }
    }

    func addWebhook(_ name: String, at address: String, _ kinds: Set<ItemKind>) async throws -> (
        Webhook, WebhookSecret
    ) {
        try await webhookStore.addWebhook(
            NewWebhook(name: name, address: try webhookAddress(address), kinds: kinds), of: try userID)
    }

    /// Sends a test, and gives it with the answer.
    func testWebhook(_ id: Webhook.ID) async throws -> WebhookDelivery {
        // Before it is prepared: a test for which there is no turn is none that failed.
        let permit = try permitToSend()
        defer { withExtendedLifetime(permit) {} }
        return try await send(try await webhookStore.prepareTest(of: id, of: try userID))
    }

    /// Sends a delivery once more. One that is pending is due at once, and sent beside the request.
    func sendAgain(_ delivery: WebhookDelivery.ID, of id: Webhook.ID) async throws -> WebhookDelivery? {
        guard let prepared = try await webhookStore.prepareAgain(delivery, of: id, of: try userID) else { return nil }
        let permit = try permitToSend()
        defer { withExtendedLifetime(permit) {} }
        return try await send(prepared)
    }

    /// The permit for one message that the person waits for. Throws 503 while another one is sent.
    private func permitToSend() throws -> UserPermits.Permit {
        guard let permit = parts.webhookTests.permit(for: try userID) else { throw RequestError.busy }
        return permit
    }

    private func send(_ delivery: OutgoingDelivery) async throws -> WebhookDelivery {
        let store = try webhookStore
        guard let sender = parts.webhooks else { throw Self.webhooksAreOff }
        let attempt: WebhookAttempt
        do { attempt = try await sender.send(delivery) } catch is ResourcePoolError { throw RequestError.busy }
        return try await store.noteSent(attempt, of: delivery.delivery.id)
    }
}
