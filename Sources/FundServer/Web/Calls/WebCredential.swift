internal import FundHTTP
internal import HTTPTypes

/// By what a request to the web API proves its sender: a bearer token, or an app password in its place; never the
/// cookie of the pages. All routes of the API authenticate through it, streams again and again.
enum WebCredential: Sendable {
    /// The characters of a token of the web API.
    case token(String)
    /// The characters of an app password, normalised. It stands without a name, as a bearer token does: no browser
    /// adds it by itself, and it cannot be guessed.
    case appPassword(String)

    /// Nil when the request has none.
    init?(_ fields: HTTPFields) {
        guard let characters = BearerToken.of(fields) else { return nil }
        // The two differ in their lengths: 43 characters, and 24 without the hyphens.
        self = TokenText.appPassword(characters).map(Self.appPassword) ?? .token(characters)
    }

    /// Whether it opens something until its owner ends it, so that it must not be sent where others can read it.
    var isLasting: Bool { if case .appPassword = self { true } else { false } }

    /// The sender. Throws `AuthenticationError` when the credential is wrong or has ended, or the user is disabled.
    func signedIn(_ authenticator: Authenticator) async throws -> SignedIn {
        switch self {
        case .token(let characters): try await authenticator.user(bearing: characters)
        case .appPassword(let characters): try await authenticator.user(bearingAppPassword: characters)
        }
    }
}
