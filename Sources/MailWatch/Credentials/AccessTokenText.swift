internal import Foundation
internal import FundCore
internal import MailConnection

/// An access token (RFC 6749 §1.4) as a command printed it, or as a file or an environment variable holds it.
struct AccessTokenText: Sendable, Hashable {
    let token: Secret
    /// When it expires; nil when neither an authorisation server nor the token itself says so.
    let expiresAt: Timestamp?
    let fetchedAt: Timestamp
}

extension AccessTokenText {
    /// Bytes of what an authorisation server says of an error.
    private static let maxProblemBytes = 300
    /// The last second of the year 9999, behind which RFC 3339 cannot write times: later ones are mistakes.
    private static let latest = Timestamp(253_402_300_799)

    /// A token as it stands in a file or an environment variable. It may say itself when it expires.
    init(kept text: String, at now: Timestamp) {
        self.init(token: Secret(value: text), expiresAt: Self.expiry(ofJWT: text), fetchedAt: now)
    }

    /// Reads the output of a command: a token alone, or the JSON object of an authorisation server (RFC 6749 §5.1), of
    /// which `access_token` and `expires_in` are read. Throws `unavailable` for anything else, and for what the server
    /// reports instead of a token (§5.2).
    ///
    /// - Parameter now: when the command ended, from which `expires_in` counts.
    init(printed text: String, at now: Timestamp) throws(CredentialError) {
        let text = text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
        let words = text.split(whereSeparator: \.isWhitespace)
        guard let first = words.first else { throw .tokenCommand("prints nothing") }
        // No token begins so (RFC 6750 §2.1).
        if let character = first.first, "{[\"".contains(character) {
            try self.init(response: text, at: now)
        } else if words.count == 1 {
            self.init(kept: String(first), at: now)
        } else {
            throw .tokenCommand("prints more than a token")
        }
    }

    private init(response text: String, at now: Timestamp) throws(CredentialError) {
        guard let response = TokenAnswer.read(text.utf8) else {
            throw .tokenCommand("prints JSON that cannot be read")
        }
        guard let token = response.accessToken, !token.isEmpty else { throw .tokenCommand(Self.problem(response)) }
        guard !token.contains(where: \.isWhitespace) else {
            throw .tokenCommand("prints an access_token of more than one word")
        }
        let expiry = response.lifetime.flatMap { Self.time($0, after: now) }
        self.init(token: Secret(value: token), expiresAt: expiry ?? Self.expiry(ofJWT: token), fetchedAt: now)
    }

    private static func problem(_ response: TokenAnswer) -> String {
        guard let error = response.error, !error.isEmpty else { return "prints a JSON object without access_token" }
        let said = [error, response.errorDescription ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
        return "reports \(said.label.prefix(bytes: maxProblemBytes))"
    }

    /// The claim `exp` of a JSON Web Token (RFC 7519 §4.1.4); nil when it has none, or is no such token. It is shown,
    /// and tells when to fetch another token. The signature is for the mail server to check: Fundmail has no key for
    /// it, and a wrong time does no harm, since a refused token is fetched anew.
    private static func expiry(ofJWT token: String) -> Timestamp? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let decoded = parts.compactMap { Base64.bytes(url: $0) }
        guard decoded.count == 3, let claims = try? JSONDecoder().decode(Claims.self, from: Data(decoded[1])) else {
            return nil
        }
        return claims.exp.flatMap { time($0, after: Timestamp(0)) }
    }

    /// The time so many seconds after `start`; nil for what cannot be meant.
    private static func time(_ seconds: Double, after start: Timestamp) -> Timestamp? {
        // False for what is no number, too.
        guard seconds >= 0, seconds <= Double(latest.rawValue) else { return nil }
        let time = start + .seconds(Int64(seconds))
        return time <= latest ? time : nil
    }

    /// For those who run Fundmail.
    /// - Parameter isRenewed: see `SeenToken`.
    func seen(isRenewed: Bool) -> SeenToken {
        SeenToken(expiresAt: expiresAt, fetchedAt: fetchedAt, isRenewed: isRenewed)
    }
}

/// RFC 7519 §4.1.
private struct Claims: Decodable {
    /// Seconds since 1970, maybe with a fraction.
    var exp: Double?
}
