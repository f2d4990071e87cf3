internal import Crypto

/// The random bytes from which the address of a link is derived. They stand in the store and open nothing by
/// themselves: the key is not there.
package struct ShareLinkSeed: Sendable, Hashable {
    package static let byteCount = 32

    package let bytes: [UInt8]

    /// Nil unless there are exactly 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    fileprivate init() { bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) } }
}

/// The part of a new link's address that the store keeps.
package struct ShareLinkSecret: Sendable, Hashable {
    package let seed: ShareLinkSeed
    /// SHA-256 of the token's characters.
    package let digest: ContentDigest
}

/// Derives the tokens in the addresses of links, so that an owner can see an address again while the store holds only
/// its digest.
package struct ShareLinkKey: Sendable {
    /// The path below which links stand.
    package static let root = "/s/"
    /// Characters of a token: 256 bits in base64url.
    package static let tokenLength = 43

    private let key: SymmetricKey

    /// - Parameter serverKey: of `AccountStore.serverKey`.
    package init(serverKey: [UInt8]) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: serverKey), info: Array("fundmail share links".utf8),
            outputByteCount: 32)
    }

    /// The secret of a new link.
    package func makeSecret() -> ShareLinkSecret {
        let seed = ShareLinkSeed()
        return ShareLinkSecret(seed: seed, digest: Self.digest(token(of: seed)))
    }

    /// The token in the address of a link: HMAC-SHA256 (RFC 2104) of its seed, in base64url. Under another server key
    /// it is not the link's, see `isToken`.
    package func token(of seed: ShareLinkSeed) -> String {
        Base64.urlText(Array(HMAC<SHA256>.authenticationCode(for: seed.bytes, using: key)))
    }

    /// The address of a link.
    /// - Parameter publicURL: of the server, with or without a slash at its end.
    package func address(of link: ShareLink, at publicURL: String) -> String {
        (publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL) + Self.root + token(of: link.seed)
    }

    /// The digest by which the store finds the link of a token.
    package static func digest(_ token: String) -> ContentDigest { .of(token.utf8) }

    /// Whether a text may be a token.
    package static func isToken(_ text: some StringProtocol) -> Bool {
        text.utf8.count == tokenLength && Base64.bytes(url: text)?.count == ShareLinkSeed.byteCount
    }
}
