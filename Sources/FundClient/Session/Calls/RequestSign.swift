internal import Crypto
internal import Foundation

/// The sign of a call of the mobile API (docs/programs.md, "Signing a call").
struct RequestSign: Sendable {
    let token: String

    /// 64 hexadecimal digits.
    /// - Parameters:
    ///   - path: up to and including the user's id, as it is sent.
    ///   - query: as it is sent, without the question mark.
    func text(method: String, path: String, query: String, body: [UInt8]) -> String {
        let digest = Digest(bytes: SHA256.hash(data: body))?.description ?? ""
        let signed = [method, path, query, digest].joined(separator: "\n")
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(signed.utf8), using: SymmetricKey(data: Array(token.utf8)))
        return Digest(bytes: code)?.description ?? ""
    }

    /// Sixteen random bytes in hexadecimal digits: a `nonce` that was not used before.
    static func makeNonce() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
