internal import Foundation
internal import HTTPTypes

extension Session {
    private struct Login: Encodable {
        var username: String
        var password: String
        var label: String
        var code: String?
        /// Asks for the token of the mobile API in the same answer: a code is good for one login.
        var mobile: Bool?
    }

    private struct NewSession: Decodable {
        var token: String
        var expiresAt: Date?
        var user: User
        var mobile: MobileToken?
    }

    private struct MobileToken: Decodable {
        var token: String
        var expiresAt: Date
    }

    private struct MobileLogin: Decodable {
        var token: String
        var expire: Date
    }

    /// Signs in to the web API and to the mobile API, and keeps the tokens in the store; the password is kept nowhere.
    ///
    /// Throws `wrongPassword`; `codeAsked` for a user with a second factor when there is no code, and `wrongCode`;
    /// `busy` with `retryAfter` after too many wrong passwords; `forbidden` for a server that is neither this machine
    /// nor speaks https, to which no password is sent.
    /// - Parameters:
    ///   - email: any address of the user.
    ///   - code: of the user's authenticator app, or a recovery code.
    ///   - label: names the session in the user's list of sessions: `fund on ann-laptop`.
    public static func signIn(
        to server: ServerAddress, email: String, password: String, code: String? = nil, label: String,
        transport: any HTTPTransport, store: any CredentialStore, retries: RetryPolicy = RetryPolicy()
    ) async throws(ClientError) -> Session {
        guard server.isEncrypted || server.isLoopback else {
            throw ClientError(.forbidden, "a password is sent only over https")
        }
        let clock = ServerClock()
        let login = Login(
            username: email, password: password, label: label, code: code, mobile: code == nil ? nil : true)
        let new = try await JSON.value(
            NewSession.self, from: post(login, "/api/v1/session", to: server, transport, clock))
        let mobile: Credentials.Token
        if let token = new.mobile {
            mobile = Credentials.Token(token.token, expiresAt: token.expiresAt)
        } else {
            let login = try await JSON.value(
                MobileLogin.self, from: post(login, "/login", to: server, transport, clock))
            mobile = Credentials.Token(login.token, expiresAt: login.expire)
        }
        let account = Account(server: server, email: new.user.email, user: new.user.id)
        let credentials = Credentials(
            web: Credentials.Token(new.token, expiresAt: new.expiresAt),
            mobile: mobile)
        try await store.save(credentials, of: account)
        return Session(account: account, credentials: store, transport: transport, retries: retries)
    }

    private static func post(
        _ login: Login, _ path: String, to server: ServerAddress, _ transport: any HTTPTransport, _ clock: ServerClock
    ) async throws(ClientError) -> [UInt8] {
        let head = HTTPRequest(
            method: .post, scheme: server.scheme, authority: server.authority, path: path,
            headerFields: [.contentType: "application/json"])
        let request = TransportRequest(head, body: .bytes(try JSON.bytes(of: login)))
        return try await transport.response(to: request, clock).collected(upTo: maxAnswerBytes)
    }

    struct SessionState: Decodable {
        var expiresAt: Date?
        var user: User
        /// Reach of an app password; nil for a session.
        var reach: AppPasswordReach?
    }

    /// The room of the person's files on the server.
    public func room() async throws(ClientError) -> StorageRoom {
        try await value(StorageRoom.self, .get("/api/v1/me"))
    }

    /// Who is signed in, as the server knows it now.
    public func user() async throws(ClientError) -> User {
        try await state().user
    }

    func state() async throws(ClientError) -> SessionState { try await value(.get("/api/v1/session")) }
}
