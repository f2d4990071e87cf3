import FundCore

/// Seals the secrets of webhooks for the database. A row that is moved to another webhook or user does not open.
struct WebhookSeal: Sendable {
    private let seal: ContextSeal

    init(serverKey: [UInt8]) { seal = ContextSeal(serverKey: serverKey, purpose: "fundmail webhooks") }

    func seal(_ secret: WebhookSecret, of webhook: Webhook.ID, _ user: User.ID) throws -> [UInt8] {
        try seal.seal(secret.bytes, in: Self.context(webhook, user))
    }

    /// Nil for one that was sealed under another key or in another row.
    func open(_ sealed: [UInt8], of webhook: Webhook.ID, _ user: User.ID) -> WebhookSecret? {
        seal.open(sealed, in: Self.context(webhook, user)).flatMap { WebhookSecret(bytes: $0) }
    }

    private static func context(_ webhook: Webhook.ID, _ user: User.ID) -> [UInt8] {
        [webhook.rawValue, user.rawValue].flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    }
}
