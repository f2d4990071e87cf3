internal import Crypto

/// The secret that a server shares with the receiver of a webhook.
package struct WebhookSecret: Sendable, Hashable {
    package let bytes: [UInt8]

    private static let mark = "whsec_"
    /// The length of new ones, within the 24 to 64 bytes of Standard Webhooks. Base64 writes it without padding, which
    /// not all receivers take.
    private static let byteCount = 36
    private static let lengths = 24...64

    /// Nil outside of 24 to 64 bytes.
    package init?(bytes: [UInt8]) {
        guard Self.lengths.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Reads `whsec_` and base64, as `text` writes it; nil for other texts.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.mark), let bytes = Base64.bytes(text.dropFirst(Self.mark.count)) else { return nil }
        self.init(bytes: bytes)
    }

    private init(random: Void) { bytes = RandomBytes.make(Self.byteCount) }

    /// Makes a random one.
    package static func make() -> WebhookSecret { WebhookSecret(random: ()) }

    /// The form in which people carry it to the receiver.
    package var text: String { Self.mark + Base64.paddedText(bytes) }

    /// The signature of a message: `v1,` and the HMAC-SHA256 (RFC 2104) of id, time and body in base64.
    /// - Parameters:
    ///   - mark: the id of the message, without a full stop.
    ///   - time: the time of the attempt.
    package func signature(of mark: String, at time: Timestamp, _ body: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("\(mark).\(time).\(body)".utf8), using: SymmetricKey(data: bytes))
        return "v1,\(Base64.paddedText(Array(code)))"
    }
}
