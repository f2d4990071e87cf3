internal import FundHTTP
internal import HTTPTypes

/// By what a request to the web API proves its sender: a bearer token, never the cookie of the pages. All routes of the
/// API authenticate through it, streams again and again.
struct WebCredential: Sendable {
    /// The characters of a token of the web API.
    private let token: String

    /// Nil when the request has none.
    init?(_ fields: HTTPFields) {
        guard let token = BearerToken.of(fields) else { return nil }
        self.token = token
    }

    /// The sender. Throws `AuthenticationError` when the credential is wrong or has ended, or the user is disabled.
    func signedIn(_ authenticator: Authenticator) async throws -> SignedIn {
        try await authenticator.user(bearing: token)
    }
}
