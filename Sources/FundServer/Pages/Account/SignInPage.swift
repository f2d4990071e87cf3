internal import HTTPTypes
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let signInRoutes: [PageRoute] = [
        .get("/", .anyone) { call in call.redirect(to: call.signedIn == nil ? "/sign-in" : "/library") },
        .get("/sign-in", .anyone) { call in
            let next = call.localPath(try call.query()["next"])
            guard call.signedIn == nil else { return call.redirect(to: next ?? "/library") }
            return signInPage(call, next: next)
        },
        // Without a token: the page may have been opened before the session that the browser has now. Where the form
        // comes from is checked as for all.
        .tokenless("/sign-in") { call in
            let form = try await call.form()
            let next = call.localPath(form["next"])
            let name = form["username"] ?? ""
            do {
                try call.context.requireSecrecy()
                let login = try await call.parts.authenticator.logIn(
                    .web, name: name, password: form["password"] ?? "", from: ClientAddress(call.context.peer),
                    label: TokenLabel.clean(call.request.headers[.userAgent] ?? ""))
                // The session before it ends: what another person at this browser opened stays theirs.
                if let old = call.signedIn, let token = old.token {
                    try await call.accounts.revokeToken(token.id, of: old.user.id, actor: old.user.email)
                }
                let cookie = PageSessions.field(login.token.characters, call.context)
                return call.redirect(to: next ?? "/library", headers: [.setCookie: cookie])
            } catch AuthenticationError.wrongCredentials {
                return signInPage(call, next: next, name: name, failure: .wrongCredentials)
            } catch let failure as AuthenticationError {
                return signInPage(call, next: next, name: name, failure: failure.requestError)
            } catch let failure as RequestError where failure.code == RequestError.insecure.code {
                return signInPage(call, next: next, name: name, failure: failure)
            }
        },
        .post("/sign-out") { call, _ in
            if let token = call.signedIn?.token {
                let user = try call.user
                try await call.accounts.revokeToken(token.id, of: user.id, actor: user.email)
            }
            return call.redirect(
                to: "/sign-in?done=signed-out",
                headers: [.setCookie: PageSessions.field(nil, call.context), .clearSiteData: "\"cache\""])
        },
        // Kept in cookies of their own, which the server reads before it writes a page: nothing flashes.
        .post("/account/look", .anyone) { call, form in
            var headers = HTTPFields()
            let year = 365 * 86400
            for (name, value) in [
                (Theme.cookie, form["theme"].flatMap(Theme.init(word:))?.rawValue),
                (Language.cookie, form["language"].flatMap(Language.init(word:))?.rawValue),
                (PageKeys.cookie, form["keys"].flatMap(PageKeys.init(word:))?.rawValue),
            ] {
                guard let value else { continue }
                headers.append(
                    HTTPField(name: .setCookie, value: "\(name)=\(value); Path=/; Max-Age=\(year); SameSite=Lax"))
            }
            return call.redirect(to: call.localPath(form["back"]) ?? "/", headers: headers)
        },
    ]

    private static func signInPage(
        _ call: PageCall, next: String?, name: String = "", failure: RequestError? = nil
    ) -> Response {
        var model: PageModel = ["next": next ?? "", "name": name, "isBare": true]
        if let failure { model["failure"] = call.words("error.\(failure.code)") }
        var headers = HTTPFields()
        headers[.retryAfter] = failure?.headers[.retryAfter]
        return call.page(
            "signin", model, title: call.words("signin.title"), status: failure?.status ?? .ok, headers: headers)
    }
}

extension HTTPField.Name {
    /// https://www.w3.org/TR/clear-site-data/
    static let clearSiteData = constant("Clear-Site-Data")
}
