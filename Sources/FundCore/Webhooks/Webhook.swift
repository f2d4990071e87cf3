/// An address of a person's own program, which is told by signed requests what changed in the person's library
/// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
package struct Webhook: Sendable, Hashable {
    package typealias ID = FundCore.ID<Webhook>

    /// Raw values stand in the database and in JSON.
    package enum State: String, Sendable, CaseIterable {
        case on
        /// Its owner has paused it: changes wait.
        case off
        /// The program has stopped it after failures, or since the receiver said that it is gone: changes wait.
        case stopped
    }

    package var id: ID
    package var user: User.ID
    package var name: String
    package var address: WebhookAddress
    /// The kinds of items of which it is told; never empty.
    package var kinds: Set<ItemKind>
    package var state: State
    package var addedAt: Timestamp
    /// The end of the time in which deliveries are signed by the former secret, too; nil where there is none.
    package var formerSecretUntil: Timestamp?
    /// Attempts that failed since the last one that succeeded.
    package var failures: Int
    /// The problem of the last attempt; nil after one that succeeded.
    package var problem: WebhookProblem?
    /// More about the problem in English, such as `status 500`.
    package var detail: String?
    /// The time of the next attempt after a failure; nil where none waits.
    package var nextAttemptAt: Timestamp?

    package init(
        id: ID, user: User.ID, name: String, address: WebhookAddress, kinds: Set<ItemKind>, state: State,
        addedAt: Timestamp, formerSecretUntil: Timestamp? = nil, failures: Int = 0, problem: WebhookProblem? = nil,
        detail: String? = nil, nextAttemptAt: Timestamp? = nil
    ) {
        self.id = id
        self.user = user
        self.name = name
        self.address = address
        self.kinds = kinds
        self.state = state
        self.addedAt = addedAt
        self.formerSecretUntil = formerSecretUntil
        self.failures = failures
        self.problem = problem
        self.detail = detail
        self.nextAttemptAt = nextAttemptAt
    }
}

/// A webhook as its owner adds it.
package struct NewWebhook: Sendable {
    package var name: String
    package var address: WebhookAddress
    package var kinds: Set<ItemKind>

    package init(name: String, address: WebhookAddress, kinds: Set<ItemKind> = Set(ItemKind.allCases)) {
        (self.name, self.address, self.kinds) = (name, address, kinds)
    }
}

/// A change to a webhook; nil leaves a field.
package struct WebhookChange: Sendable {
    package var name: String?
    package var address: WebhookAddress?
    package var kinds: Set<ItemKind>?
    /// True turns it on, false pauses it.
    package var isOn: Bool?

    package init(
        name: String? = nil, address: WebhookAddress? = nil, kinds: Set<ItemKind>? = nil, isOn: Bool? = nil
    ) {
        (self.name, self.address, self.kinds, self.isOn) = (name, address, kinds, isOn)
    }
}

/// A webhook as operators see it: without its secret.
package struct OwnedWebhook: Sendable, Hashable {
    package var webhook: Webhook
    /// The address of its owner.
    package var owner: String

    package init(webhook: Webhook, owner: String) { (self.webhook, self.owner) = (webhook, owner) }

    /// Whether it does not work, and why it needs its owner.
    package var isFailing: Bool { webhook.state == .stopped || webhook.problem != nil }
}
