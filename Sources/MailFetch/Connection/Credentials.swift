/// What proves to the server who we are. Never printed.
package enum Credentials: Sendable, CustomStringConvertible, CustomReflectable {
    case password(String)
    /// OAUTHBEARER (RFC 7628) or XOAUTH2, whichever the server offers. The closure gives a token and may block; it is called
    /// again with `isRefused` when the server did not take the last one, and must then fetch a new one.
    case oauth2(@Sendable (_ isRefused: Bool) throws -> String)

    package var description: String { "(left out)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// One secret for one login.
struct Secret {
    enum Kind { case password, token }
    var kind: Kind
    var text: String

    /// `text` in what a server or a library said, taken out again.
    func redacting(_ said: String) -> String {
        guard !text.isEmpty, said.contains(text) else { return said }
        return said.split(separator: text, omittingEmptySubsequences: false).joined(separator: "(left out)")
    }
}

extension Credentials {
    func secret(isRefused: Bool) throws(FetchError) -> Secret {
        let secret: Secret
        switch self {
        case .password(let text): secret = Secret(kind: .password, text: text)
        case .oauth2(let token):
            do {
                secret = Secret(kind: .token, text: try token(isRefused))
            } catch {
                throw FetchError(.tokenUnavailable, during: "fetching a token", "\(error)", underlying: error)
            }
        }
        guard !secret.text.utf8.contains(where: { $0 < 32 }) else {
            throw FetchError(.badConfiguration, during: "login", "the password or token holds control characters")
        }
        return secret
    }
}
