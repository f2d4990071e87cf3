internal import Crypto
internal import Foundation
import Ingest

/// What the sign of a mobile call is made of, exactly as it came over the wire.
struct SignedCall: Sendable {
    var method: String
    /// Up to and including the user's id.
    var path: String
    /// Without `?`.
    var query: String
    var body: [UInt8]

    init(method: String, path: String, query: String, body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
    }

    /// The four fields with a line feed between them; the last is the body's SHA-256 in lower-case hexadecimal.
    var text: String { "\(method)\n\(path)\n\(query)\n\(ContentDigest.of(body).hex)" }

    /// HMAC-SHA256 (RFC 2104) under the token's characters.
    func sign(key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: key)))
    }
}
