internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension WebRoute {
    private struct OwnChange: Decodable {
        /// A word of `ReceiptSetting`.
        var receipts: String?
        /// A word of `NewsPace`.
        var news: String?
        var deskDigest: Bool?
        /// A word of `PersonLanguage`.
        var language: String?

        enum CodingKeys: String, CodingKey {
            case receipts, news, language
            case deskDigest = "desk_digest"
        }
    }

    private struct Login: Decodable {
        var username: String
        var password: String
        /// Name of the session in the list of tokens.
        var label: String?
        /// Code of an authenticator app, or a recovery code.
        var code: String?
        /// Whether a token of the mobile API is wanted, too: a code is good for one login.
        var mobile: Bool?
    }

    private struct PasswordChange: Decodable {
        var currentPassword: String
        var newPassword: String

        enum CodingKeys: String, CodingKey {
            case currentPassword = "current_password"
            case newPassword = "new_password"
        }
    }

    private struct NewAppPassword: Decodable {
        var label: String
        /// A word of `TokenReach`; that of files without one.
        var reach: String?
    }

    static let ownerRoutes: [WebRoute] = [
        .get("/v1/session") { call in
            let (user, sender) = (try call.user, call.signedIn)
            return call.json { json in
                json.session(of: user, until: sender?.token?.expiresAt)
                json.field("reach", sender?.reach?.rawValue)
            }
        }
    ]

    static let sessionRoutes: [WebRoute] = [
        .post("/v1/session", .anyone) { call in
            try call.context.requireSecrecy()
            let login: Login = try await call.body()
            let label = login.label ?? call.request.headers[.userAgent] ?? ""
            let (user, token) = try await call.parts.authenticator.logIn(
                .web, name: login.username, password: login.password, code: login.code, label: label, call.context)
            let mobile =
                login.mobile == true
                ? try await call.parts.authenticator.issueToken(
                    .mobile, for: user, label: TokenLabel.clean(label), grantedBy: token.record.id) : nil
            return call.json(.created) { json in
                json.field("token", token.characters)
                json.session(of: user, until: token.record.expiresAt)
                guard let mobile else { return }
                json.object("mobile") { json in
                    json.field("token", mobile.characters)
                    json.field("expires_at", mobile.record.expiresAt)
                }
            }
        },
        .act(.delete, "/v1/session") { call in
            guard try await call.endSession() else { throw RequestError.unauthenticated }
        }.beforeSecondFactor,
        .act(.delete, "/v1/sessions") { call in
            let user = try call.user
            let query = try call.query()
            let kept = try query.flag("keep_current") ? call.signedIn?.token?.id : nil
            let kinds: Set<TokenKind> = try query.flag("app_passwords") ? [.mobile, .web, .app] : [.mobile, .web]
            try await call.accounts.revokeTokens(kinds, of: user.id, keeping: kept, actor: user.email)
        },
        .get("/v1/me") { call in
            let record = try await call.administration.user(try call.userID)
            return try call.representation(of: record)
        },
        .patch("/v1/me") { call in
            let body: OwnChange = try await call.body()
            let user = try call.user
            let receipts = try body.receipts.map(ReceiptSetting.init(field:))
            let digests = try DigestChange(news: body.news, desk: body.deskDigest, language: body.language)
            if !digests.isEmpty {
                try await call.accounts.setDigests(digests, of: user.id, actor: user.email)
            }
            if let receipts {
                try await call.accounts.setReceipts(receipts, of: user.id, actor: user.email)
            }
            let record = try await call.administration.user(try call.userID)
            return try call.representation(of: record)
        },
        .act(.put, "/v1/me/password") { call in
            try call.context.requireSecrecy()
            let body: PasswordChange = try await call.body()
            let addresses = try await call.administration.user(try call.userID).addresses
            if let problem = Password.problem(with: body.newPassword, addresses: addresses) {
                throw RequestError.invalid(problem.text)
            }
            do {
                try await call.changePassword(from: body.currentPassword, to: body.newPassword)
            } catch AuthenticationError.wrongCredentials {
                // Not 401: the token is valid.
                throw RequestError(.forbidden, "wrong-password", "the current password is another one")
            }
        },
        .get("/v1/tokens") { call in
            let tokens = try await call.accounts.tokens(of: try call.userID, try call.page(try call.query()))
            return try call.list("tokens", tokens) { $0.field($1, current: call.signedIn?.token?.id) }
        },
        .post("/v1/tokens") { call in
            let body: NewAppPassword = try await call.body()
            let label = TokenLabel.clean(body.label)
            guard !label.isEmpty else { throw RequestError.invalid("label must not be empty") }
            guard let reach = body.reach.map(TokenReach.init(rawValue:)) ?? .files else {
                throw RequestError.invalid("reach is \(TokenReach.allCases.map(\.rawValue).joined(separator: " or "))")
            }
            let token = try await call.addAppPassword(label, reach: reach)
            return call.json(.created) { json in
                json.field("password", token.characters)
                json.object("token") { $0.field(token.record, current: nil) }
            }
        },
        .act(.delete, "/v1/tokens/{token}") { call in try await call.revokeToken() },
    ]
}
