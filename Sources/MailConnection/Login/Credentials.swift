import FundCore

/// Proof of the user's identity for a login. Never printed.
package enum Credentials: Sendable, CustomStringConvertible, CustomReflectable {
    case password(String)
    /// OAUTHBEARER (RFC 7628) or XOAUTH2, whichever the server offers. The closure gives a token and may block; it is
    /// called again with `isRefused` when the server did not take the last one, and must then fetch a new one.
    case oauth2(@Sendable (_ isRefused: Bool) throws -> String)

    package var description: String { "(left out)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// One secret for one login.
struct Secret {
    enum Kind { case password, token }
    var kind: Kind
    var text: String

    /// Removes `text` from what a server or a library said, since servers repeat commands that they do not understand:
    /// plain, in quotes, in base64, and when only its beginning is there.
    func redacting(_ said: String) -> String {
        guard !text.isEmpty else { return said }
        let quoted = text.replacing(scalar: "\\", with: #"\\"#).replacing(scalar: "\"", with: #"\""#)
        let plain = [text, quoted].reduce(said) { $0.replacing($1, with: Self.leftOut) }
        let beginning = Array(text.utf8.prefix(Self.beginningBytes))
        var traces = (0..<3).map { Base64Trace.of(beginning, offset: $0) }
        if beginning.count == Self.beginningBytes { traces.append(beginning) }
        let words = plain.split(separator: " ", omittingEmptySubsequences: false)
        return words.map { word in
            let isTrace = traces.contains { $0.count >= Self.minTraceBytes && word.utf8.contains($0) }
            return isTrace ? Self.leftOut : String(word)
        }.joined(separator: " ")
    }

    private static let leftOut = "(left out)"
    /// A long secret is recognised by so many bytes of it, in case that what was said was cut.
    private static let beginningBytes = 16
    /// Shorter sequences occur in other words by chance.
    private static let minTraceBytes = 5
}

/// The base64 letters of some bytes inside the base64 of a longer text (RFC 4648 §4).
enum Base64Trace {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// `offset`: bytes before them in the same group of three. Letters that bytes around them change are left out.
    static func of(_ bytes: [UInt8], offset: Int) -> [UInt8] {
        let padded = [UInt8](repeating: 0, count: offset) + bytes
        let first = (offset * 8 + 5) / 6
        let last = padded.count * 8 / 6
        guard first < last else { return [] }
        return (first..<last).map { index in
            let bit = index * 6
            let high = UInt16(padded[bit / 8]) << 8
            let low = bit / 8 + 1 < padded.count ? UInt16(padded[bit / 8 + 1]) : 0
            return alphabet[Int((high | low) >> (10 - bit % 8) & 63)]
        }
    }
}

extension Credentials {
    func secret(isRefused: Bool) throws(ConnectionError) -> Secret {
        let secret: Secret
        switch self {
        case .password(let text): secret = Secret(kind: .password, text: text)
        case .oauth2(let token):
            do {
                secret = Secret(kind: .token, text: try token(isRefused))
            } catch {
                throw ConnectionError(.tokenUnavailable, during: "fetching a token", "\(error)", underlying: error)
            }
        }
        guard !secret.text.utf8.contains(where: { $0 < .space }) else {
            throw ConnectionError(.badConfiguration, during: "login", "the password or token holds control characters")
        }
        return secret
    }
}
