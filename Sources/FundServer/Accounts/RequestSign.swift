internal import Crypto
internal import Foundation
import FundCore

/// What the sign of a mobile call is made of, exactly as it came over the wire.
struct SignedCall: Sendable {
    /// The four fields with a line feed between them; the last is the body's SHA-256 in lower-case hexadecimal. Made once: it is
    /// signed with every token of the user who is named, so that a stranger could make us hash a large body a hundred times,
    /// and tell by the time who has tokens.
    let text: String

    /// `path` is up to and including the user's id, `query` without `?`.
    init(method: String, path: String, query: String, body: [UInt8] = []) {
        text = "\(method)\n\(path)\n\(query)\n\(ContentDigest.of(body).hex)"
    }

    /// HMAC-SHA256 (RFC 2104) under the token's characters.
    func sign(key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: key)))
    }
}
