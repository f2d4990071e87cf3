import Crypto

/// OAuth 2.0 access tokens that the test server accepts: JSON Web Tokens signed with a key it knows (RFC 7519, HS256).
package enum BearerToken {
    static let key = "a key of thirty-two bytes, or so"

    /// - Parameter expires: seconds since 1970.
    package static func make(user: String, expires: Int = 4_000_000_000) -> String {
        let head = base64url(#"{"alg":"HS256","typ":"JWT"}"#.utf8)
        let claims = base64url(#"{"sub":"\#(user)","iat":1600000000,"exp":\#(expires)}"#.utf8)
        let signed = "\(head).\(claims)"
        let code = HMAC<SHA256>.authenticationCode(for: Array(signed.utf8), using: SymmetricKey(data: Array(key.utf8)))
        return "\(signed).\(base64url(code))"
    }

    static func base64(_ bytes: some Sequence<UInt8>, alphabet: String = standard, padded: Bool = true) -> String {
        let letters = Array(alphabet)
        var text = ""
        var (bits, count, length) = (0, 0, 0)
        for byte in bytes {
            (bits, count, length) = (bits << 8 | Int(byte), count + 8, length + 1)
            while count >= 6 {
                count -= 6
                text.append(letters[bits >> count & 63])
            }
            bits &= (1 << count) - 1
        }
        if count > 0 { text.append(letters[bits << (6 - count) & 63]) }
        if padded { text.append(String(repeating: "=", count: (3 - length % 3) % 3)) }
        return text
    }

    private static func base64url(_ bytes: some Sequence<UInt8>) -> String {
        base64(bytes, alphabet: String(standard.dropLast(2)) + "-_", padded: false)
    }

    private static let standard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
}
