internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// The page on which a person sets up, names and removes what they sign in with besides the password.
extension PageRoute {
    static let factorPath = "/account/second-factor"

    static let factorRoutes: [PageRoute] = [
        .get(factorPath) { call in try await factorPage(call) }.beforeSecondFactor,
        .post("\(factorPath)/confirm") { call, form in
            try call.context.requireSecrecy()
            do {
                let proof = try await call.parts.authenticator.prove(
                    form["current"] ?? "", name: try call.user.email, from: ClientAddress(call.context.peer))
                guard proof.user.id == (try call.userID) else { throw AuthenticationError.wrongCredentials }
            } catch AuthenticationError.wrongCredentials {
                return try await factorPage(call, failure: call.words("password.wrong"), at: "current")
            }
            return try call.confirmed(form)
        }.beforeSecondFactor,
        .script(.post, "\(factorPath)/challenge") { call in
            let (site, session, user) = (try call.requireSite(), try call.session, try call.userID)
            let authenticator = call.parts.authenticator
            let challenge = authenticator.challenges.make(
                for: .confirm(user), in: session, at: authenticator.now())
            return call.challenge(challenge, for: site, try await call.accounts.passkeys(of: user))
        }.beforeSecondFactor,
        .post("\(factorPath)/confirm-passkey") { call, form in
            let (site, session, user) = (try call.requireSite(), try call.session, try call.userID)
            do {
                guard let answer = PasskeyAnswer(form) else { throw AuthenticationError.wrongPasskey }
                let owner = try await call.parts.authenticator.prove(
                    answer, for: .confirm(user), to: site, in: session)
                guard owner.id == user else { throw AuthenticationError.wrongPasskey }
            } catch AuthenticationError.wrongPasskey {
                return try await factorPage(call, failure: call.words("error.wrong-passkey"))
            }
            return try call.confirmed(form)
        }.beforeSecondFactor,
        factorAct("/account/recovery-codes") { call, form in
            let (codes, digests) = call.parts.authenticator.makeRecoveryCodes(for: try call.userID)
            try await call.accounts.setRecoveryCodes(digests, in: try call.factorSession())
            return try call.codesPage(codes, form)
        },
    ]

    /// An act that changes factors of the person whose session it is, who has proved to be there. What is refused is
    /// said on their page.
    static func factorAct(
        _ path: String, _ act: @escaping @Sendable (PageCall, FieldText) async throws -> Response
    ) -> PageRoute {
        .post(path) { call, form in
            guard try call.isFresh() else { return call.confirmFirst(next: form["next"]) }
            do { return try await act(call, form) } catch let failure as StoreError where failure.code == .invalid {
                return try await factorPage(call, failure: call.words("factor.last"))
            }
        }.beforeSecondFactor
    }

    /// The page of second factors.
    static func factorPage(
        _ call: PageCall, failure: String? = nil, at field: String? = nil
    ) async throws -> Response {
        let user = try call.user
        let (factors, passkeys) = (
            try await call.accounts.secondFactors(of: user.id), try await call.accounts.passkeys(of: user.id)
        )
        let next = call.isRead ? call.localPath(try call.query()["next"]) : nil
        var model: PageModel = [
            "atAccount": true, "here": factorPath, "isFresh": try call.isFresh(), "email": user.email,
            "isRequired": call.signedIn?.lacksSecondFactor ?? false, "next": next ?? "",
            "hasApp": factors.hasCodeApp, "hasPasskeys": !passkeys.isEmpty, "isSetUp": factors.isSetUp,
            "passkeys": passkeys.map { passkey in
                var row: PageModel = [
                    "id": "\(passkey.id)", "label": passkey.name, "since": call.formats.time(passkey.createdAt),
                ]
                if let used = passkey.lastUsedAt { row["used"] = call.formats.time(used) }
                return row
            },
            "codesLeft": call.words.count("recovery.left", factors.recoveryCodesLeft),
            "areCodesFew": factors.isSetUp && factors.recoveryCodesLeft <= fewCodes,
            "device": BrowserName.of(call.request.headers[.userAgent] ?? "") ?? "",
        ]
        if let site = call.passkeySite {
            model["site"] = site.origin
            model["elsewhere"] = call.words("passkey.elsewhere", site.origin)
        }
        if let failure { model.fail(failure, at: field) }
        model["currentFailed"] = field == "current"
        return call.page(
            "factor", model, title: call.words("factor.title"), status: failure == nil ? .ok : .unprocessableContent,
            isKept: false)
    }

    /// From so many on the page advises to make new ones.
    private static let fewCodes = 3
}

extension Words {
    /// The second factors of a person in one line.
    func factors(_ factors: SecondFactors) -> String {
        var parts: [String] = []
        if factors.passkeyCount > 0 { parts.append(count("passkeys", factors.passkeyCount)) }
        if factors.hasCodeApp { parts.append(self("codeapp.name")) }
        if factors.hasRecoveryCodes { parts.append(count("recovery.left", factors.recoveryCodesLeft)) }
        return parts.isEmpty ? self("factor.none") : parts.joined(separator: " · ")
    }
}

extension PageCall {
    /// Throws 404 where browsers make no passkeys.
    func requireSite() throws -> RelyingParty {
        guard let passkeySite else { throw RequestError.notFound }
        return passkeySite
    }

    /// Characters of the live session: a challenge is good in it alone.
    var session: String {
        get throws {
            guard signedIn != nil, let sessionToken else { throw RequestError.unauthenticated }
            return sessionToken
        }
    }

    func factorSession() throws -> FactorSession {
        guard let token = signedIn?.token else { throw RequestError.unauthenticated }
        return FactorSession(user: try userID, token: token.id, now: parts.authenticator.now())
    }

    /// The page again, now that the person has proved to be there.
    func confirmed(_ form: FieldText) throws -> Response {
        guard let token = signedIn?.token else { throw RequestError.unauthenticated }
        parts.authenticator.freshProofs.note(token, at: parts.authenticator.now())
        return factorRedirect(next: form["next"], done: nil)
    }

    /// Leads to the page, which asks for the password first.
    func confirmFirst(next: String?) -> Response { factorRedirect(next: next, done: "confirm-first") }

    /// Back to the page, which knows where the person wanted to go.
    func factorRedirect(next: String?, done: String?) -> Response {
        redirect(to: PageRoute.factorPath + PageQueryText.text([("next", localPath(next)), ("done", done)]))
    }

    /// New recovery codes, shown this once; without any, the page again.
    func codesPage(_ codes: [String]?, _ form: FieldText, done: String? = nil) throws -> Response {
        guard let codes else { return factorRedirect(next: form["next"], done: done) }
        let model: PageModel = [
            "atAccount": true, "here": PageRoute.factorPath, "all": codes.joined(separator: "\n"),
            "next": localPath(form["next"]) ?? PageRoute.factorPath,
        ]
        return page("codes", model, title: words("recovery.title"), isKept: false)
    }
}
