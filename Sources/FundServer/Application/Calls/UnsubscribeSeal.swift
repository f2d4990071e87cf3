package import FundCore
internal import FundHTTP

/// Seals who ends which digests, for the addresses in them: they work without a session, for as long as the server has
/// its key.
package struct UnsubscribeSeal: Sendable {
    private static let context = Array("digest".utf8)
    /// Characters of a token: those of the sealed bytes.
    private static let maxLength = 128

    private let seal: ContextSeal

    package init(serverKey: [UInt8]) { seal = ContextSeal(serverKey: serverKey, purpose: "fundmail digests") }

    /// A text for an address, another one each time.
    package func token(_ user: User.ID, _ kind: Digest.Kind) throws -> String {
        Base64.urlText(try seal.seal(Array("\(kind.rawValue) \(user)".utf8), in: Self.context))
    }

    /// Nil for a text that this server did not make.
    func subscription(_ token: String) -> (user: User.ID, kind: Digest.Kind)? {
        guard token.utf8.count <= Self.maxLength, let bytes = Base64.bytes(url: token),
            let plain = seal.open(bytes, in: Self.context)
        else { return nil }
        let words = plain.split(separator: .space).map { Substring(decoding: $0, as: UTF8.self) }
        guard words.count == 2, let kind = Digest.Kind(rawValue: String(words[0])),
            let user = QueryText.number(words[1])
        else { return nil }
        return (User.ID(user), kind)
    }
}
