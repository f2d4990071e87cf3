internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// The webhooks of a person: which there are, what became of their messages, and how they come and go.
extension PageRoute {
    private static let root = "/account/webhooks"

    static let webhookRoutes: [PageRoute] = [
        .get(root) { call in try await webhooksPage(call, FieldText()) },
        .post(root) { call, form in
            try call.context.requireSecrecy()
            do {
                let (webhook, secret) = try await call.addWebhook(
                    form["name"] ?? "", at: form["address"] ?? "", kinds(form))
                return try await webhookPage(webhook, call, secret: secret)
            } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .invalid) {
                return try await webhooksPage(call, form, failure)
            }
        },
        .get("\(root)/{webhook}") { call in try await webhookPage(try await call.webhook(), call) },
        .post("\(root)/{webhook}") { call, form in
            let webhook = try await call.webhook()
            do {
                let change = WebhookChange(
                    name: form["name"] ?? "", address: try call.webhookAddress(form["address"] ?? ""),
                    kinds: kinds(form))
                _ = try await call.webhookStore.changeWebhook(webhook.id, change, of: try call.userID)
            } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .invalid) {
                return try await webhookPage(webhook, call, form, failure)
            }
            return call.redirect(to: "\(root)/\(webhook.id)?done=webhook-saved")
        },
        .post("\(root)/{webhook}/on") { call, _ in try await turn(call, isOn: true, done: "webhook-on") },
        .post("\(root)/{webhook}/pause") { call, _ in try await turn(call, isOn: false, done: "webhook-paused") },
        .post("\(root)/{webhook}/secret") { call, _ in
            try call.context.requireSecrecy()
            let id = try await call.webhook().id
            let secret = try await call.webhookStore.renewSecret(of: id, of: try call.userID)
            return try await webhookPage(try await call.webhook(), call, secret: secret)
        },
        .post("\(root)/{webhook}/test") { call, _ in
            let id = try await call.webhook().id
            return call.redirect(to: "\(root)/\(id)?done=\(outcome(try await call.testWebhook(id)))")
        },
        .post("\(root)/{webhook}/deliveries/{delivery}/send") { call, _ in
            let id = try await call.webhook().id
            do {
                let sent = try await call.sendAgain(try call.id("delivery"), of: id)
                return call.redirect(to: "\(root)/\(id)?done=\(sent.map(outcome) ?? "webhook-due")")
            } catch let failure as StoreError where failure.code == .conflict {
                return call.redirect(to: "\(root)/\(id)?done=webhook-waits")
            }
        },
        .post("\(root)/{webhook}/remove") { call, _ in
            try await call.webhookStore.removeWebhook(try call.id("webhook"), of: try call.userID)
            return call.redirect(to: "\(root)?done=webhook-removed")
        },
    ]

    private static func turn(_ call: PageCall, isOn: Bool, done: String) async throws -> Response {
        let id = try await call.webhook().id
        _ = try await call.webhookStore.changeWebhook(id, WebhookChange(isOn: isOn), of: try call.userID)
        return call.redirect(to: "\(root)/\(id)?done=\(done)")
    }

    /// The word for what became of a message that was sent now.
    private static func outcome(_ delivery: WebhookDelivery) -> String {
        delivery.problem == nil ? "webhook-answered" : "webhook-unanswered"
    }

    private static func kinds(_ form: FieldText) -> Set<ItemKind> {
        Set(ItemKind.allCases.filter { form["kind-\($0.name)"] != nil })
    }

    // MARK: Pages

    private static func webhooksPage(
        _ call: PageCall, _ form: FieldText, _ failure: StoreError? = nil
    ) async throws -> Response {
        let webhooks = try await call.webhookStore.webhooks(of: try call.userID)
        var model: PageModel = [
            "atAccount": true, "here": root, "isEmpty": webhooks.isEmpty, "name": form["name"] ?? "",
            "address": form["address"] ?? "",
            "kinds": choices(failure == nil ? Set(ItemKind.allCases) : kinds(form), call),
            "rows": webhooks.map { webhook -> PageModel in
                [
                    "id": "\(webhook.id)", "name": webhook.name, "page": "\(root)/\(webhook.id)",
                    "host": webhook.address.host, "state": call.words("webhook.state.\(webhook.state.rawValue)"),
                    "problem": problem(webhook.problem, webhook.detail, call).orAbsent,
                ]
            },
        ]
        if let failure { model = model.failed(call.words.sentence(failure.requestError), at: field(of: failure)) }
        return call.page(
            "webhooks", model, title: call.words("webhooks.title"),
            status: failure == nil ? .ok : .unprocessableContent)
    }

    /// - Parameters:
    ///   - form: the changes that were refused, as they were typed.
    ///   - secret: is shown this once.
    private static func webhookPage(
        _ webhook: Webhook, _ call: PageCall, _ form: FieldText? = nil, _ failure: StoreError? = nil,
        secret: WebhookSecret? = nil
    ) async throws -> Response {
        let deliveries = try await call.webhookStore.webhookDeliveries(
            of: webhook.id, of: webhook.user, PageQuery(limit: WebhookLimits.keptDeliveries))
        let here = "\(root)/\(webhook.id)"
        var model: PageModel = [
            "atAccount": true, "here": here, "back": root, "name": form?["name"] ?? webhook.name,
            "address": form?["address"] ?? webhook.address.text,
            "kinds": choices(form.map(kinds) ?? webhook.kinds, call), "isOn": webhook.state == .on,
            "state": call.words("webhook.state.\(webhook.state.rawValue)"),
            "problem": problem(webhook.problem, webhook.detail, call).orAbsent,
            "next": webhook.nextAttemptAt.map(call.formats.time).orAbsent, "secret": (secret?.text).orAbsent,
            "former": webhook.formerSecretUntil.flatMap { $0 > .now ? call.formats.time($0) : nil }.orAbsent,
            "isEmpty": deliveries.items.isEmpty, "rows": deliveries.items.map { row($0, here, call) },
        ]
        if let failure { model = model.failed(call.words.sentence(failure.requestError), at: field(of: failure)) }
        return call.page(
            "webhook", model, title: webhook.name, status: failure == nil ? .ok : .unprocessableContent,
            isKept: secret == nil)
    }

    private static func row(_ delivery: WebhookDelivery, _ here: String, _ call: PageCall) -> PageModel {
        let words = call.words
        var facts = [words("webhook.delivery.\(delivery.state.rawValue)")]
        if let status = delivery.status { facts.append(words("webhook.status", "\(status)")) }
        if let time = delivery.milliseconds { facts.append(words("webhook.took", "\(time)")) }
        if delivery.attempts > 1 { facts.append(words("webhook.attempts", "\(delivery.attempts)")) }
        let what = words("webhook.event.\(delivery.event.rawValue)")
        return [
            "id": "\(delivery.id)", "mark": delivery.mark,
            "what": delivery.event == .changed ? words.count("webhook.changes", delivery.changes) : what,
            "facts": facts.joined(separator: " · "), "problem": problem(delivery.problem, nil, call).orAbsent,
            "time": call.formats.time(delivery.attemptedAt ?? delivery.addedAt),
            "send": "\(here)/deliveries/\(delivery.id)/send",
        ]
    }

    private static func problem(_ problem: WebhookProblem?, _ detail: String?, _ call: PageCall) -> String? {
        problem.map { problem in
            let text = call.words("webhook.problem.\(problem.rawValue)")
            return detail.map { "\(text) (\(call.words.isolated($0)))" } ?? text
        }
    }

    private static func choices(_ chosen: Set<ItemKind>, _ call: PageCall) -> [PageModel] {
        ItemKind.allCases.map {
            [
                "field": "kind-\($0.name)", "text": call.words("kind.\($0.name)"),
                "isChosen": chosen.contains($0),
            ]
        }
    }

    /// The input that a failure is about.
    private static func field(of failure: StoreError) -> String? {
        switch failure.problem {
        case .webhookAddress, .webhookForbidden, .webhookPrivate: "address"
        case .webhookKinds: "kinds"
        case .tooManyWebhooks: nil
        default: "name"
        }
    }
}
