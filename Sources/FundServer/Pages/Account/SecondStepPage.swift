internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// The step behind a right password, and signing in by a passkey alone.
extension PageRoute {
    static let secondStepRoutes: [PageRoute] = [
        .get("/sign-in/second", .anyone) { call in call.redirect(to: "/sign-in") },
        .tokenless("/sign-in/second") { call in
            let (form, carried) = try await signInForm(call)
            guard let pending = call.pendingLogin else { return try await tooLate(call, carried) }
            do {
                try call.context.requireSecrecy()
                let login = try await call.parts.authenticator.logIn(
                    .web, pending, code: form["code"] ?? "", from: ClientAddress(call.context.peer),
                    label: call.browserLabel)
                return try await welcome(login.user, login.token, carried, call)
            } catch AuthenticationError.wrongCredentials {
                return try await tooLate(call, carried)
            } catch let failure as AuthenticationError {
                return try await secondStepPage(call, pending, carried, failure: failure.requestError)
            }
        },
        .tokenless("/sign-in/passkey/challenge") { call in try await signInChallenge(call) },
        .tokenless("/sign-in/passkey") { call in
            let (form, carried) = try await signInForm(call)
            // The button of the second step stands for the person whose password was right.
            let isSecond = form["step"] != nil
            let pending = isSecond ? call.pendingLogin : nil
            guard pending != nil || !isSecond else { return try await tooLate(call, carried) }
            do {
                try call.context.requireSecrecy()
                guard let answer = PasskeyAnswer(form), let site = call.passkeySite,
                    // A passkey alone has to say whose it is.
                    pending != nil || answer.user != nil, let browser = SignInCookie.browser.value(in: call)
                else { throw AuthenticationError.wrongPasskey }
                let login = try await call.parts.authenticator.logIn(
                    by: answer, to: site, in: browser, after: pending, label: call.browserLabel)
                return try await welcome(login.user, login.token, carried, call)
            } catch let failure as AuthenticationError {
                guard let pending else {
                    return try await signInPage(call, carried, failure: failure.requestError)
                }
                return try await secondStepPage(call, pending, carried, failure: failure.requestError)
            }
        },
    ]

    /// The page that asks for a second factor. It says nothing that the person who knows the password may not know.
    static func secondStepPage(
        _ call: PageCall, _ pending: PendingLogin, _ carried: Carried, failure: RequestError? = nil
    ) async throws -> Response {
        let factors = try await call.accounts.secondFactors(of: pending.user)
        var model = carried.model
        model["isSecond"] = true
        model["hasApp"] = factors.hasCodeApp
        if factors.passkeyCount > 0 { model["site"] = call.passkeySite?.origin }
        if let failure {
            let isCode = failure.code == AuthenticationError.wrongCode.requestError.code
            model.fail(call.words("error.\(failure.code)"), at: isCode ? "code" : nil)
        }
        var headers = HTTPFields()
        headers[.retryAfter] = failure?.headers[.retryAfter]
        if failure == nil {
            let authenticator = call.parts.authenticator
            let text = try authenticator.pendingLogins.text(of: pending, at: authenticator.now())
            headers[.setCookie] = SignInCookie.pending.field(text, call.context)
        }
        return call.page(
            "second", model, title: call.words("second.title"), status: failure?.status ?? .ok, headers: headers,
            isKept: false)
    }

    private static func tooLate(_ call: PageCall, _ carried: Carried) async throws -> Response {
        try await signInPage(
            call, carried, failure: RequestError(.unauthorized, "sign-in-ended", "this took too long; begin anew"))
    }

    /// A challenge for the browser's own page of signing in. The passkeys of a person are named only behind their
    /// password.
    private static func signInChallenge(_ call: PageCall) async throws -> Response {
        guard let site = call.passkeySite else { throw RequestError.notFound }
        let authenticator = call.parts.authenticator
        let known = SignInCookie.browser.value(in: call)
        let browser = known ?? TokenText.make()
        var passkeys: [Passkey] = []
        if try call.query()["step"] != nil, let pending = call.pendingLogin {
            passkeys = try await call.accounts.passkeys(of: authenticator.user(of: pending).id)
        }
        let challenge = authenticator.challenges.make(for: .signIn, in: browser, at: authenticator.now())
        var answer = call.challenge(challenge, for: site, passkeys)
        answer.headers[.setCookie] = SignInCookie.browser.field(browser, call.context)
        return answer
    }
}

extension PageCall {
    /// The login whose second factor is asked for; nil for none, and after its time.
    fileprivate var pendingLogin: PendingLogin? {
        let authenticator = parts.authenticator
        return authenticator.pendingLogins.login(SignInCookie.pending.value(in: self), at: authenticator.now())
    }

    /// A challenge, as `passkeys.js` takes it.
    func challenge(
        _ challenge: [UInt8], for site: RelyingParty, _ passkeys: [Passkey],
        _ more: (inout JSONWriter) -> Void = { _ in }
    ) -> Response {
        json(headers: [.cacheControl: "no-store"]) { json in
            json.field("challenge", Base64.urlText(challenge))
            json.field("site", site.id)
            json.field("known", passkeys.map { Base64.urlText($0.key.credential) })
            more(&json)
        }
    }
}
