internal import FundCore

/// The places of a store where people sign in, and where tokens are given (RFC 6749 §3).
struct AuthorizationServer: Sendable {
    /// The page where a person consents.
    let page: String
    /// The host and path of the token endpoint.
    let tokenHost: String
    let tokenPath: String
    /// The least scopes with which all operations work; nil where those of the registered client count.
    let scope: String?
    /// Further fields of the page's address.
    let fields: [(name: String, value: String)]
    /// Whether it knows proofs of possession (PKCE, RFC 7636).
    let hasProof: Bool

    /// The hosts of pCloud, by the region of the account.
    static let pcloudHosts: Set<String> = ["api.pcloud.com", "eapi.pcloud.com"]
    private static let pcloudHost = "api.pcloud.com"

    /// Nil for kinds that sign in by passwords and keys.
    /// - Parameter host: that of the account's region; nil where there is one for all.
    init?(_ kind: DriveKind, tenant: String, host: String?) {
        switch kind {
        case .googleDrive:
            // Without `prompt`, a person who has consented before gets no refresh token.
            self.init(
                page: "https://accounts.google.com/o/oauth2/v2/auth", "oauth2.googleapis.com", "/token",
                scope: "https://www.googleapis.com/auth/drive",
                [("access_type", "offline"), ("prompt", "consent")])
        case .oneDrive:
            let place = "/\(PercentCoding.encoded(tenant, keeping: PercentCoding.isUnreserved))/oauth2/v2.0"
            self.init(
                page: "https://login.microsoftonline.com\(place)/authorize", "login.microsoftonline.com",
                "\(place)/token", scope: "https://graph.microsoft.com/Files.ReadWrite offline_access",
                [("prompt", "select_account")])
        case .dropbox:
            self.init(
                page: "https://www.dropbox.com/oauth2/authorize", "api.dropboxapi.com", "/oauth2/token",
                scope: "account_info.read files.metadata.read files.metadata.write files.content.read "
                    + "files.content.write",
                [("token_access_type", "offline")])
        case .box:
            self.init(
                page: "https://account.box.com/api/oauth2/authorize", "api.box.com", "/oauth2/token", scope: nil, [],
                hasProof: false)
        case .pcloud:
            let host = host.flatMap { Self.pcloudHosts.contains($0) ? $0 : nil } ?? Self.pcloudHost
            self.init(
                page: "https://my.pcloud.com/oauth2/authorize", host, "/oauth2_token", scope: nil, [],
                hasProof: false)
        case .webdav, .s3, .b2, .azureBlob, .swift, .koofr, .seafile: return nil
        }
    }

    private init(
        page: String, _ tokenHost: String, _ tokenPath: String, scope: String?,
        _ fields: [(name: String, value: String)], hasProof: Bool = true
    ) {
        (self.page, self.tokenHost, self.tokenPath) = (page, tokenHost, tokenPath)
        (self.scope, self.fields, self.hasProof) = (scope, fields, hasProof)
    }

    /// The address of the page for one sign-in (RFC 6749 §4.1.1, RFC 7636 §4.3).
    func address(for client: DriveClient, _ request: DriveSignInRequest, redirect: String) -> String {
        var fields = [
            (name: "response_type", value: "code"), ("client_id", client.id), ("redirect_uri", redirect),
            ("state", request.state),
        ]
        if let scope { fields.append(("scope", scope)) }
        if hasProof { fields += [("code_challenge", request.challenge), ("code_challenge_method", "S256")] }
        return "\(page)?\(PercentCoding.joined(fields + self.fields))"
    }
}
