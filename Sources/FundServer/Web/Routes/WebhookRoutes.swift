internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Webhooks: a person's own programs are told what changed.
extension WebRoute {
    private struct NewWebhookBody: Decodable, Sendable {
        var name: String
        var address: String
        var kinds: [String]?
    }

    private struct WebhookChangeBody: Decodable, Sendable {
        var name: String?
        var address: String?
        var kinds: [String]?
        var isOn: Bool?

        private enum CodingKeys: String, CodingKey {
            case name, address, kinds
            case isOn = "is_on"
        }
    }

    private static func kinds(_ names: [String]) throws -> Set<ItemKind> {
        let kinds = names.compactMap { ItemKind(name: $0) }
        guard kinds.count == names.count else {
            throw RequestError.invalid("kinds are fund, folder, file, email and note")
        }
        return Set(kinds)
    }

    static let webhookRoutes: [WebRoute] = [
        .get("/v1/webhooks") { call in
            let webhooks = try await call.webhookStore.webhooks(of: try call.userID)
            return call.json { json in json.objects("webhooks", webhooks) { $0.field($1) } }
        },
        .post("/v1/webhooks") { call in
            try call.context.requireSecrecy()
            _ = try call.webhookStore
            let body: NewWebhookBody = try await call.body()
            let kinds = try body.kinds.map(kinds) ?? Set(ItemKind.allCases)
            let (webhook, secret) = try await call.addWebhook(body.name, at: body.address, kinds)
            return call.json(.created, headers: [.location: "/api/v1/webhooks/\(webhook.id)"]) { json in
                json.field(webhook)
                json.field("secret", secret.text)
            }
        },
        .get("/v1/webhooks/{webhook}") { call in
            let webhook = try await call.webhook()
            return call.json { $0.field(webhook) }
        },
        .patch("/v1/webhooks/{webhook}") { call in
            let id = try await call.webhook().id
            let body: WebhookChangeBody = try await call.body()
            let change = WebhookChange(
                name: body.name, address: try body.address.map(call.webhookAddress), kinds: try body.kinds.map(kinds),
                isOn: body.isOn)
            let webhook = try await call.webhookStore.changeWebhook(id, change, of: try call.userID)
            return call.json { $0.field(webhook) }
        },
        .act(.delete, "/v1/webhooks/{webhook}") { call in
            try await call.webhookStore.removeWebhook(try call.id("webhook"), of: try call.userID)
        },
        .post("/v1/webhooks/{webhook}/secret") { call in
            try call.context.requireSecrecy()
            let secret = try await call.webhookStore.renewSecret(of: try call.id("webhook"), of: try call.userID)
            return call.json { $0.field("secret", secret.text) }
        },
        .post("/v1/webhooks/{webhook}/test") { call in
            let delivery = try await call.testWebhook(try call.id("webhook"))
            return call.json { $0.field(delivery) }
        },
        .get("/v1/webhooks/{webhook}/deliveries") { call in
            let page = try await call.webhookStore.webhookDeliveries(
                of: try call.id("webhook"), of: try call.userID, try call.page(try call.query(), default: 100))
            return try call.list("deliveries", page) { $0.field($1) }
        },
        .act(.post, "/v1/webhooks/{webhook}/deliveries/{delivery}/send") { call in
            _ = try await call.sendAgain(try call.id("delivery"), of: try call.id("webhook"))
        },
    ]
}
