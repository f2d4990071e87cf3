internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let signInRoutes: [PageRoute] = [
        .get("/", .anyone) { call in
            call.redirect(to: call.signedIn == nil ? "/sign-in" : latestPath, headers: call.clearingOldPages)
        },
        .get("/sign-in", .anyone) { call in
            let next = call.localPath(try call.query()["next"])
            guard call.signedIn == nil else { return call.redirect(to: next ?? latestPath) }
            var page = try await signInPage(call, Carried(next: next))
            // A form that was sent too late is still behind Back.
            if try call.query()["done"] != "not-saved" { page.headers.append(contentsOf: call.clearingOldPages) }
            return page
        },
        // Without a token: the page may have been opened before the session that the browser has now. Where the form
        // comes from is checked as for all.
        .tokenless("/sign-in") { call in
            let (form, carried) = try await signInForm(call)
            let name = form["username"] ?? ""
            do {
                try call.context.requireSecrecy()
                let login = try await call.parts.authenticator.begin(
                    .web, name: name, password: form["password"] ?? "", from: ClientAddress(call.context.peer),
                    device: try await formerUser(call), label: call.browserLabel)
                switch login {
                case .done(let user, let token): return try await welcome(user, token, carried, call)
                case .pending(let pending): return try await secondStepPage(call, pending, carried)
                }
            } catch AuthenticationError.wrongCredentials {
                return try await signInPage(call, carried, name: name, failure: .wrongCredentials)
            } catch let failure as AuthenticationError {
                return try await signInPage(call, carried, name: name, failure: failure.requestError)
            } catch let failure as RequestError where failure.code == RequestError.insecure.code {
                return try await signInPage(call, carried, name: name, failure: failure)
            }
        },
        .post("/sign-out") { call, _ in
            try await call.endSession()
            return call.redirect(
                to: "/sign-in?done=signed-out",
                headers: [.setCookie: PageSessions.field(nil, call.context), .clearSiteData: PageCall.keptPages])
        }.beforeSecondFactor,
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

    /// Values that a form of signing in takes along: where one wanted to go, and a sealed draft that came without a
    /// session.
    struct Carried: Sendable {
        var next: String?
        /// Sealed text, in the form's own words.
        var draft: String?
        fileprivate var written: (draft: PageDraft, writer: User.ID)?

        init(next: String?, draft: String? = nil) { (self.next, self.draft) = (next, draft) }

        /// For the partial `carried`.
        var model: PageModel { ["next": next ?? "", "draft": draft] }
    }

    /// A form by which one signs in.
    static func signInForm(_ call: PageCall) async throws -> (FieldText, Carried) {
        let form = try await call.form(
            isLogin: true, maxUnproven: call.parts.limits.maxLoginBytes + DraftSeal.maxSealedBytes)
        let (text, drafts) = (form["draft"], call.pages.sessions.drafts)
        let written = try await call.parts.readers.read(text?.utf8.count ?? 0, of: call.context.origin) {
            drafts.draft(text)
        }
        var carried = Carried(next: call.localPath(form["next"]), draft: written == nil ? nil : text)
        carried.written = written
        return (form, carried)
    }

    /// Gives the browser its session, and leads where the person wanted to go.
    static func welcome(
        _ user: User, _ token: IssuedToken, _ carried: Carried, _ call: PageCall
    ) async throws -> Response {
        var headers: HTTPFields = [.setCookie: PageSessions.field(token.characters, call.context)]
        for cookie in SignInCookie.allCases where cookie.value(in: call) != nil {
            headers.append(HTTPField(name: .setCookie, value: cookie.field(nil, call.context)))
        }
        if call.sessionToken != nil, try await formerUser(call) != user.id {
            headers[.clearSiteData] = PageCall.keptPages
        }
        // The session before it ends: what another person at this browser opened stays theirs.
        try await call.endSession()
        let wasReset = try await call.accounts.takeRemovalNotice(of: user.id)
        if let written = carried.written, written.writer == user.id {
            var page = try await draftPage(written.draft, of: token, call)
            page.headers.append(contentsOf: headers)
            return page
        }
        if wasReset { return call.redirect(to: "/account?done=factor-taken", headers: headers) }
        // A page of what another wrote is not theirs either.
        return call.redirect(
            to: carried.draft == nil ? carried.next ?? latestPath : "\(latestPath)?done=draft-foreign",
            headers: headers)
    }

    /// Whose the browser's session is, or was; nil when that is not known.
    private static func formerUser(_ call: PageCall) async throws -> User.ID? {
        guard let session = call.sessionToken else { return nil }
        return try await call.parts.authenticator.owner(ofSession: session)
    }

    /// With what came without a live session, if a page of this server sent it; nil when there is nothing, or
    /// it is too long. Who signs in next gets it only as its writer. Never throws for what is wrong with the form.
    static func signInPage(
        _ call: PageCall, keeping draft: @Sendable (PageCall, FieldText) throws -> PageDraft
    ) async throws -> Response? {
        guard let form = try? await call.form(maxUnproven: PageDraft.maxFormBytes),
            let writer = call.pages.sessions.drafts.user(ofWriter: form["writer"] ?? ""),
            let draft = try? draft(call, form)
        else { return nil }
        return try await signInPage(call, keeping: draft, of: writer)
    }

    /// The sign-in page that carries a draft whose session has ended.
    static func signInPage(_ call: PageCall, keeping draft: PageDraft, of writer: User.ID) async throws -> Response {
        var call = call
        call.signedIn = nil
        let carried = Carried(next: draft.address, draft: try call.pages.sessions.drafts.sealed(draft, of: writer))
        var page = try await signInPage(call, carried)
        page.headers.append(contentsOf: call.clearingOldPages)
        return page
    }

    /// The draft that the form carries, for the person who wrote it and whose session begins: on its page, or where
    /// that does not open yet as a text that can be copied.
    private static func draftPage(
        _ draft: PageDraft, of session: IssuedToken, _ call: PageCall
    ) async throws -> Response {
        var call = call
        // The shell would be the one of the session before, which may be another person's.
        (call.held, call.sidebar) = (nil, nil)
        call.sessionToken = session.characters
        let writer = try await call.authenticate()
        call.signedIn = writer
        call.context.noteUser(writer.user.id)
        guard !writer.lacksSecondFactor else {
            let path = factorPath + PageQueryText.text([("next", draft.address)])
            let key = if case .letter = draft { "letter.draft.locked" } else { "draft.locked" }
            return try await lonePage(of: draft, call, because: key, next: (path, "factor.title"))
        }
        return try await draftPage(draft, call)
    }

    /// Bytes of the longest address (RFC 5321 §4.5.3.1): longer names are not given back.
    private static let maxNameBytes = 254

    /// The page on which one signs in.
    static func signInPage(
        _ call: PageCall, _ carried: Carried, name: String = "", failure: RequestError? = nil
    ) async throws -> Response {
        var model = carried.model
        model["name"] = name.utf8.count <= maxNameBytes ? name : ""
        model["isNew"] = try await call.isSetupOpen()
        model["site"] = call.passkeySite?.origin
        model["demo"] = call.pages.demo.map { demoModel($0, call) }
        if let failure {
            // Which of the two is wrong is not told; all else is about no field.
            let isWrong = failure.code == RequestError.wrongCredentials.code
            model.fail(call.words("error.\(failure.code)"), at: isWrong ? "username" : nil)
        }
        var headers = HTTPFields()
        headers[.retryAfter] = failure?.headers[.retryAfter]
        return call.page(
            "signin", model, title: call.words("signin.title"), status: failure?.status ?? .ok, headers: headers,
            isKept: carried.draft == nil)
    }

    /// The logins that a demo offers, each with a form of its own.
    private static func demoModel(_ demo: DemoSite, _ call: PageCall) -> PageModel {
        let logins = demo.logins.map { login -> PageModel in
            let key = login.isAdministrator ? "demo.administrator" : "demo.person"
            return [
                "email": login.email, "password": login.password, "label": call.words(key, login.name),
                "isFirst": login.email == demo.logins.first?.email,
            ]
        }
        return ["logins": logins, "anew": call.formats.exactTime(demo.endsAt)]
    }
}

extension PageCall {
    /// For answers without a live session to a browser that had one: what it keeps of that is not for who comes next
    /// and presses Back.
    var clearingOldPages: HTTPFields {
        sessionToken == nil || signedIn != nil ? [:] : [.clearSiteData: Self.keptPages]
    }

    /// For `Clear-Site-Data`: what the browser keeps of pages, for Back as well.
    fileprivate static let keptPages = "\"cache\""
}

extension HTTPField.Name {
    /// https://www.w3.org/TR/clear-site-data/
    static let clearSiteData = constant("Clear-Site-Data")
}
