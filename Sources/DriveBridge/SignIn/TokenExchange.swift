internal import Foundation
internal import FundCore
internal import MailConnection

/// Asks the token endpoints of stores (RFC 6749 §4.1.3 and §6). What they say of a failure is not passed on: it may
/// hold what was sent.
struct TokenExchange: Sendable {
    private static let maxSecretBytes = 4096

    let policy: EgressPolicy
    /// The longest wait for an answer.
    let limit: Duration

    private var requests: GuardedRequest { GuardedRequest(policy: policy, limit: limit) }

    /// The tokens for a code. Throws `login` for a code that is refused, and as `answer`.
    func token(of kind: DriveKind, for answer: DriveSignInAnswer, redirect: String) async throws -> DriveToken {
        let (client, server) = try place(kind, host: answer.host)
        var fields = [
            (name: "grant_type", value: "authorization_code"), ("code", answer.code), ("redirect_uri", redirect),
        ]
        if server.hasProof { fields.append(("code_verifier", answer.verifier)) }
        var token = try await ask(server, client, fields, after: nil)
        if kind == .pcloud { token.host = server.tokenHost }
        switch kind {
        case .oneDrive:
            try await findDrive(&token)
            token.account = token.driveID
        case .box:
            let found = try await account(token, "api.box.com", "/2.0/users/me?fields=id,login")
            (token.account, token.accountName) = (found.id, found.name)
        case .googleDrive:
            let found = try await account(
                token, "www.googleapis.com", "/drive/v3/about?fields=user/permissionId,user/emailAddress")
            (token.account, token.accountName) = (found.id, found.name)
        case .dropbox:
            token.accountName = await accountName(
                token, "POST", "api.dropboxapi.com", "/2/users/get_current_account", body: "null")
        case .pcloud: token.accountName = await accountName(token, "GET", server.tokenHost, "/userinfo")
        default: break
        }
        return token
    }

    /// The next tokens. Throws `login` where the store has ended the sign-in, and as `answer`.
    func refreshed(_ token: DriveToken, of kind: DriveKind) async throws -> DriveToken {
        let (client, server) = try place(kind, host: token.host)
        guard let refresh = token.refresh else { throw DriveError.signInAgain }
        let fields = [(name: "grant_type", value: "refresh_token"), ("refresh_token", refresh)]
        return try await ask(server, client, fields, after: token)
    }

    /// Throws `forbidden` for a kind without a client.
    func place(_ kind: DriveKind, host: String? = nil) throws -> (DriveClient, AuthorizationServer) {
        guard let client = policy.rules.clients[kind], policy.rules.signInAddress != nil,
            let server = AuthorizationServer(kind, tenant: client.tenant, host: host)
        else { throw DriveError(.forbidden, kind.title) }
        return (client, server)
    }

    // MARK: Requests

    private func ask(
        _ server: AuthorizationServer, _ client: DriveClient, _ fields: [(name: String, value: String)],
        after old: DriveToken?
    ) async throws -> DriveToken {
        var fields = fields + [(name: "client_id", value: client.id)]
        if let secret = try secret(of: client) { fields.append(("client_secret", secret)) }
        let answer = try await requests.answer(
            "POST", host: server.tokenHost, server.tokenPath,
            fields: [
                (name: "Content-Type", value: "application/x-www-form-urlencoded"), ("Accept", "application/json"),
            ], body: PercentCoding.joined(fields))
        // Its seconds count from before it came: never too long.
        let now = Timestamp.now
        guard answer.status == 200, let read = TokenAnswer.read(answer.body), let access = read.accessToken else {
            throw Self.failure(answer, isOfPCloud: AuthorizationServer.pcloudHosts.contains(server.tokenHost))
        }
        var token = try DriveToken(
            access: access, refresh: read.refreshToken ?? old?.refresh, lifetime: read.lifetime, at: now)
        (token.host, token.driveID, token.driveType) = (old?.host, old?.driveID, old?.driveType)
        token.account = old?.account ?? AccountAnswer.read(answer.body)?.id
        return token
    }

    private func secret(of client: DriveClient) throws -> String? {
        guard let path = client.secretFile else { return nil }
        let bytes: [UInt8]
        do { bytes = try WholeFile.read(path, maxBytes: Self.maxSecretBytes) } catch {
            throw DriveError(.settings, "client_secret_file cannot be read")
        }
        let text = String(decoding: bytes, as: UTF8.self).trimmed
        guard !text.isEmpty, !text.utf8.contains(0) else {
            throw DriveError(.settings, "client_secret_file holds no secret")
        }
        return text
    }

    private static func failure(_ answer: WebAnswer, isOfPCloud: Bool) -> any Error {
        let detail = "status \(answer.status)"
        switch (TokenAnswer.read(answer.body)?.error, answer.status) {
        // The others are of Microsoft (OpenID Connect Core §3.1.2.6), for people whom it asks something anew.
        case ("invalid_grant", _), ("interaction_required", _), ("consent_required", _), ("login_required", _):
            return DriveError.signInAgain
        case ("invalid_client", _), ("unauthorized_client", _), ("invalid_scope", _), (_, 401):
            return DriveError(.settings, "the store refuses the client that the administrators have set up")
        case ("redirect_uri_mismatch", _):
            return DriveError(.settings, "the administrators have not registered the redirect address")
        case (_, 429), (_, 503):
            return TokenPause(
                error: DriveError(.busy, detail), pause: answer.retryAfter(at: .now))
        // pCloud says with this status that it refuses a code.
        case (_, 200) where isOfPCloud && PCloudRefusal.isOne(answer.body):
            return DriveError.signInAgain
        case (_, 408), (_, 504): return DriveError(.tooSlow, detail)
        default: return DriveError(.server, detail)
        }
    }

    /// Asks a store whose files a token opens: there is nothing else by which two accounts are told apart.
    private func account(
        _ token: DriveToken, _ host: String, _ path: String
    ) async throws -> (id: String, name: String?) {
        let answer = try await requests.answer(
            "GET", host: host, path,
            fields: [(name: "Authorization", value: "Bearer \(token.access)"), ("Accept", "application/json")])
        let account = AccountAnswer.read(answer.body)
        guard answer.status == 200, let id = account?.id, Self.isWord(id) else {
            throw DriveError(.server, "status \(answer.status), and no account")
        }
        return (id, account?.name)
    }

    /// Asks a store for the name of an account alone. Nil where it does not tell it: people sign in all the same.
    private func accountName(
        _ token: DriveToken, _ method: String, _ host: String, _ path: String, body: String? = nil
    ) async -> String? {
        var fields = [(name: "Authorization", value: "Bearer \(token.access)"), ("Accept", "application/json")]
        if body != nil { fields.append(("Content-Type", "application/json")) }
        let answer = try? await requests.answer(method, host: host, path, fields: fields, body: body)
        guard let answer, answer.status == 200 else { return nil }
        return AccountAnswer.read(answer.body)?.name
    }

    /// Asks Microsoft which drive is the person's.
    private func findDrive(_ token: inout DriveToken) async throws {
        let answer = try await requests.answer(
            "GET", host: "graph.microsoft.com", "/v1.0/me/drive?$select=id,driveType,owner",
            fields: [(name: "Authorization", value: "Bearer \(token.access)"), ("Accept", "application/json")])
        guard answer.status == 200 else {
            throw DriveError(answer.status == 404 ? .notFound : .server, "status \(answer.status)")
        }
        let found = try? JSONDecoder().decode(MicrosoftDrive.self, from: Data(answer.body))
        guard let found, !found.id.isEmpty, [found.id, found.driveType].allSatisfy(Self.isWord) else {
            throw DriveError(.server, "a drive without an id")
        }
        (token.driveID, token.driveType) = (found.id, found.driveType)
        token.accountName = AccountAnswer.read(answer.body)?.name
    }

    private struct MicrosoftDrive: Decodable {
        var id: String
        var driveType: String
    }

    private static func isWord(_ text: String) -> Bool {
        !["", ".", ".."].contains(text) && text.utf8.count <= 512
            && text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "!-_.".utf8.contains($0) }
    }
}

/// An answer of pCloud that refuses what came (docs.pcloud.com, Errors).
private struct PCloudRefusal: Decodable {
    /// Codes of what is wrong with a request; larger ones are of limits, and of the store itself.
    private static let refusals = 1000..<4000

    var result: Int

    static func isOne(_ body: [UInt8]) -> Bool {
        (try? JSONDecoder().decode(Self.self, from: Data(body))).map { refusals.contains($0.result) } ?? false
    }
}

/// A store that asks to be left alone for a while.
struct TokenPause: Error {
    var error: DriveError
    /// Nil where it does not say for how long.
    var pause: Duration?
}
