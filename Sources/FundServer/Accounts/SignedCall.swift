internal import Crypto
internal import Foundation
import FundCore

/// The text that the sign of a mobile call is computed over, exactly as it was sent.
struct SignedCall: Sendable {
    /// Four fields with a line feed between them; the last is the SHA-256 of the body in lower-case hexadecimal.
    /// Computed once, since each token of the named user is tried: otherwise a client without a token could make the
    /// server hash a large body a hundred times, and learn from the time whether a user has tokens.
    let text: String

    /// - Parameters:
    ///   - path: up to and including the user's id.
    ///   - query: without `?`.
    init(method: String, path: String, query: String, body: [UInt8] = []) {
        text = "\(method)\n\(path)\n\(query)\n\(ContentDigest.of(body).hex)"
    }

    /// HMAC-SHA256 (RFC 2104) under the token's characters.
    func sign(key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: key)))
    }
}
