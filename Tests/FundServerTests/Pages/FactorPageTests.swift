internal import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Two-step sign-in, as a browser goes through it.
struct FactorPageTests {
    private static let root = "root%40example.com"

    /// Signs in with the password; gives the answer, and the cookies that it sets.
    private static func begin(
        _ harness: ServerHarness, _ name: String = "ann%40example.com", more: String = ""
    ) async throws -> (answer: RawHTTPResponse, cookie: String) {
        let answer = try await harness.send(
            "POST", "/sign-in", fields: BrowserSession.ownForm,
            body: Array("username=\(name)&password=\(BrowserSession.password)\(more)".utf8))
        return (answer, String(answer["set-cookie"]?.prefix { $0 != ";" } ?? ""))
    }

    private static func second(
        _ harness: ServerHarness, _ code: String, _ cookie: String, more: String = ""
    ) async throws -> RawHTTPResponse {
        try await harness.send(
            "POST", "/sign-in/second", fields: BrowserSession.ownForm.merging(["Cookie": cookie]) { $1 },
            body: Array("code=\(code)\(more)".utf8))
    }

    private static func value(_ name: String, in page: String) throws -> String {
        let start = try #require(page.range(of: "name=\"\(name)\" value=\""))
        return String(page[start.upperBound...].prefix { $0 != "\"" })
    }

    /// Sets up an app by the pages; gives it, the recovery codes, and the page that shows them.
    private static func setUp(
        _ session: BrowserSession, _ harness: ServerHarness, _ clock: TestClock, next: String = ""
    ) async throws -> (app: TimeCode, codes: [String], page: String) {
        let offer = try await session.post("/account/code-app", "next=\(next)", harness)
        #expect(offer.status == 200 && offer["cache-control"] == "no-store")
        let sealed = try value("sealed", in: offer.text)
        let user = try await harness.authenticated(session)
        let app = try #require(try harness.codeApp(sealed, of: user))
        #expect(offer.text.contains(app.text) && offer.text.contains("class=\"qr\""))
        let wrong = try await session.post("/account/code-app/confirm", "sealed=\(sealed)&code=000000", harness)
        #expect(wrong.status == 422 && wrong.text.contains(app.text))
        let code = app.code(ofStep: TimeCode.step(at: clock.now))
        let done = try await session.post(
            "/account/code-app/confirm", "sealed=\(sealed)&code=\(code)&next=\(next)", harness)
        #expect(done.status == 200 && done["cache-control"] == "no-store")
        clock.advance(TimeCode.stepSeconds)
        let codes = done.text.matches(of: /[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}/).map { String($0.output) }
        return (app, codes, done.text)
    }

    private static func harness(
        _ clock: TestClock, _ rule: SecondFactorRule = .none
    ) async throws -> ServerHarness {
        var options = ServerHarness.Options()
        options.now = { clock.now }
        options.accounts.secondFactors = { rule }
        return try await ServerHarness(options)
    }

    @Test
    func setsUpAndSignsIn() async throws {
        let clock = TestClock()
        let harness = try await Self.harness(clock)
        let ann = try await BrowserSession(harness.people.ann, harness)
        let (app, codes, _) = try await Self.setUp(ann, harness, clock)
        #expect(codes.count == RecoveryCode.count)
        #expect(try await ann.get("/account", harness).text.contains("authenticator app · 10 recovery codes left"))
        // Codes and secret are not shown again.
        let page = try await ann.get("/account/second-factor", harness).text
        #expect(!codes.contains(where: page.contains) && !page.contains(app.text))

        let (asked, cookie) = try await Self.begin(harness, more: "&next=%2Flibrary%2Ftrash")
        #expect(asked.status == 200 && asked.text.contains("One more step"))
        #expect(cookie.hasPrefix("fundmail-pending=") && asked["cache-control"] == "no-store")
        // The cookie of the step between is no session.
        for fields in [["Cookie": cookie], ["Cookie": cookie.replacing("fundmail-pending", with: "fundmail")]] {
            #expect(try await harness.send("GET", "/library", fields: fields).status == 303)
        }
        let wrong = try await Self.second(harness, "000000", cookie)
        #expect(wrong.status == 401 && wrong.text.contains("This code is wrong"))
        #expect(try await Self.second(harness, "000000", "").status == 401)
        let code = app.code(ofStep: TimeCode.step(at: clock.now))
        let done = try await Self.second(harness, code, cookie, more: "&next=%2Flibrary%2Ftrash")
        #expect(done.status == 303 && done["location"] == "/library/trash")
        let again = try await Self.second(harness, code, cookie)
        #expect(again.status == 401)
        #expect(try await Self.second(harness, codes[0], cookie).status == 303)
        clock.advance(PendingLoginSeal.lifetime.components.seconds)
        let late = try await Self.second(harness, codes[1], cookie)
        #expect(late.status == 401 && late.text.contains("This took too long"))
        try await harness.stop()
    }

    /// A wrong password, an unknown name, and a right one without a second factor say nothing of second factors.
    @Test
    func tellsNothingToStrangers() async throws {
        let clock = TestClock()
        let harness = try await Self.harness(clock)
        let ann = try await BrowserSession(harness.people.ann, harness)
        _ = try await Self.setUp(ann, harness, clock)
        var pages: [String] = []
        for name in ["ann%40example.com", "bea%40example.com", "nobody%40example.com"] {
            let answer = try await harness.send(
                "POST", "/sign-in", fields: BrowserSession.ownForm, body: Array("username=\(name)&password=wrong".utf8))
            #expect(answer.status == 401 && answer["set-cookie"] == nil)
            pages.append(answer.text.replacing(name.replacing("%40", with: "@"), with: "X"))
        }
        #expect(Set(pages).count == 1)
        try await harness.stop()
    }

    /// Programs send a code along, or have app passwords.
    @Test
    func programsComeNoOtherWay() async throws {
        let clock = TestClock(running: ())
        let harness = try await Self.harness(clock)
        let ann = try await BrowserSession(harness.people.ann, harness)
        let (app, codes, _) = try await Self.setUp(ann, harness, clock)
        func login(_ path: String, _ code: String? = nil) async throws -> RawHTTPResponse {
            let more = code.map { #","code":"\#($0)""# } ?? ""
            let json = #"{"username":"ann@example.com","password":"\#(TestPeople.password)"\#(more)}"#
            return try await harness.send("POST", path, json: json)
        }
        for path in ["/api/v1/session", "/login"] {
            let refused = try await login(path)
            #expect(refused.status == 403 && refused.text.contains("app password"), "\(refused.text)")
            #expect(try await login(path, "000000").status == 401)
        }
        #expect(try await login("/api/v1/session", app.code(ofStep: TimeCode.step(at: clock.now))).status == 201)
        #expect(try await login("/login", codes[0]).status == 200)
        func drive(_ password: String) async throws -> RawHTTPResponse {
            let basic = Data("ann@example.com:\(password)".utf8).base64EncodedString()
            return try await harness.send(
                "PROPFIND", "/dav/", fields: ["Authorization": "Basic \(basic)", "Depth": "0"])
        }
        let refused = try await drive(TestPeople.password)
        #expect(refused.status == 403 && refused.text.contains("app password"), "\(refused.text)")
        #expect(try await drive(harness.appPassword(of: harness.people.ann).characters).status == 207)
        let metrics = try await harness.send("GET", "/metrics").text
        #expect(metrics.contains("fundmail_failed_logins_total{kind=\"second_factor\"} 3\n"))
        #expect(metrics.contains("fundmail_failed_logins_total{kind=\"code\"} 2\n"))
        try await harness.stop()
    }

    /// Who must have one and has none sees nothing else, and goes on where they wanted to go.
    @Test
    func administratorsAreLedToSetItUp() async throws {
        let clock = TestClock()
        let harness = try await Self.harness(clock, .administrators)
        // Others are not asked.
        #expect(try await BrowserSession(harness.people.ann, harness).get("/library", harness).status == 200)
        let (signedIn, cookie) = try await Self.begin(harness, Self.root, more: "&next=%2Fdesk")
        #expect(signedIn.status == 303)
        let start = try await harness.send("GET", "/account/second-factor", fields: ["Cookie": cookie])
        let root = BrowserSession(cookie: cookie, formToken: try BrowserSession.formToken(in: start.text))
        #expect(start.text.contains("nothing else opens until then") && !start.text.contains("class=\"side\""))
        for path in ["/library", "/desk", "/office/people", "/account", "/office/audit.csv"] {
            let answer = try await root.get(path, harness)
            #expect(answer.status == 303, "\(path)")
            #expect(answer["location"] == "/account/second-factor?next=\(path)", "\(path)")
        }
        for path in ["/library/funds", "/account/app-passwords", "/account/password", "/account/sessions/end"] {
            #expect(try await root.post(path, "name=x&label=x", harness).status == 403, "\(path)")
        }
        // With this token the web API refuses all but signing out, too.
        let token = String(cookie.dropFirst("fundmail=".count))
        for path in ["/api/v1/funds", "/api/v1/admin/users", "/api/v1/changes"] {
            let answer = try await harness.send("GET", path, token: token)
            #expect(answer.status == 403 && answer.text.contains("second-factor-missing"), "\(path)")
        }
        #expect(try await harness.send("GET", "/metrics", token: token).status == 403)
        let program = try await harness.send(
            "POST", "/api/v1/session",
            json: #"{"username":"root@example.com","password":"\#(TestPeople.password)"}"#)
        #expect(program.status == 403)
        let (_, _, page) = try await Self.setUp(root, harness, clock, next: "%2Fdesk")
        #expect(page.contains("href=\"/desk\""))
        #expect(try await root.get("/desk", harness).status == 200)
        // The last one stays.
        let last = try await root.post("/account/code-app/remove", "", harness)
        #expect(last.status == 422 && last.text.contains("this server asks for one"))
        try await harness.stop()
    }

    /// An open session alone changes nothing: it asks for the password when that was long ago.
    @Test
    func asksForThePasswordAgain() async throws {
        let clock = TestClock()
        let harness = try await Self.harness(clock)
        let ann = try await BrowserSession(harness.people.ann, harness)
        clock.advance(FreshProofs.lifetime.components.seconds)
        #expect(try await ann.get("/account/second-factor", harness).text.contains("First confirm"))
        for path in ["/account/code-app", "/account/recovery-codes", "/account/code-app/remove"] {
            let answer = try await ann.post(path, "", harness)
            #expect(answer["location"] == "/account/second-factor?done=confirm-first", "\(path)")
        }
        let wrong = try await ann.post("/account/second-factor/confirm", "current=wrong", harness)
        #expect(wrong.status == 422)
        let password = "current=\(BrowserSession.password)"
        #expect(try await ann.post("/account/second-factor/confirm", password, harness).status == 303)
        #expect(try await ann.post("/account/code-app", "", harness).status == 200)
        // Another session of the same person is not proved by that.
        let other = try await BrowserSession(harness.people.ann, harness)
        clock.advance(FreshProofs.lifetime.components.seconds)
        #expect(try await ann.post("/account/second-factor/confirm", password, harness).status == 303)
        #expect(try await other.post("/account/code-app", "", harness).status == 303)
        try await harness.stop()
    }

    /// A session that was left open gives no one a password that does without the second factor.
    @Test
    func anOldSessionMakesNoAppPassword() async throws {
        let clock = TestClock()
        let harness = try await Self.harness(clock)
        let ann = try await BrowserSession(harness.people.ann, harness)
        let characters = String(ann.cookie.dropFirst("fundmail=".count))
        let label = #"{"label":"rclone"}"#
        clock.advance(FreshProofs.lifetime.components.seconds)
        // Without a second factor it does.
        #expect(try await ann.post("/account/app-passwords", "label=rclone", harness).status == 200)
        #expect(try await harness.send("POST", "/api/v1/tokens", token: characters, json: label).status == 201)
        let password = "current=\(BrowserSession.password)"
        #expect(try await ann.post("/account/second-factor/confirm", password, harness).status == 303)
        _ = try await Self.setUp(ann, harness, clock)
        #expect(try await ann.post("/account/app-passwords", "label=rclone", harness).status == 200)
        clock.advance(FreshProofs.lifetime.components.seconds)
        let refused = try await ann.post("/account/app-passwords", "label=rclone", harness)
        #expect(refused["location"] == "/account/second-factor?next=/account&done=confirm-first")
        let program = try await harness.send("POST", "/api/v1/tokens", token: characters, json: label)
        #expect(program.status == 403 && program.text.contains("confirm-first"))
        #expect(try await ann.post("/account/second-factor/confirm", password, harness).status == 303)
        #expect(try await ann.post("/account/app-passwords", "label=rclone", harness).status == 200)
        try await harness.stop()
    }

    /// A session of an administrator that was left open gives no account away, on the pages and by the web API.
    @Test
    func anOldSessionOfAnAdministratorGivesNoAccountAway() async throws {
        let clock = TestClock()
        let harness = try await Self.harness(clock)
        let root = try await BrowserSession(harness.people.root, harness)
        let token = String(root.cookie.dropFirst("fundmail=".count))
        let person = "/office/people/\(harness.people.bea.id)"
        let acts = [
            ("\(person)/role", "role=user"), ("\(person)/state", "state=enabled"), ("\(person)/reset", ""),
            ("\(person)/addresses", "address=b@example.com"), ("\(person)/second-factor/remove", ""),
            ("\(person)/addresses/remove", "address=b@example.com"),
            ("/office/people", "email=new@example.com&role=administrator"), ("/office/import", "table=email"),
        ]
        // Without a second factor nothing else is asked for.
        clock.advance(FreshProofs.lifetime.components.seconds)
        #expect(try await root.post("\(person)/addresses", "address=a@example.com", harness).status == 303)
        let password = "current=\(BrowserSession.password)"
        #expect(try await root.post("/account/second-factor/confirm", password, harness).status == 303)
        _ = try await Self.setUp(root, harness, clock)
        clock.advance(FreshProofs.lifetime.components.seconds)
        for (path, form) in acts {
            let answer = try await root.post(path, form, harness, fields: ["Referer": "http://127.0.0.1\(person)"])
            let way = "/account/second-factor?next=\(person)&done=confirm-first"
            #expect(answer.status == 303 && answer["location"] == way, "\(path): \(answer["location"] ?? "")")
        }
        let users = "/api/v1/admin/users"
        for (method, path, json) in [
            ("POST", users, #"{"email":"new@example.com"}"#),
            ("PATCH", "\(users)/\(harness.people.bea.id)", #"{"is_administrator":true}"#),
            ("POST", "\(users)/\(harness.people.bea.id)/password-reset", "{}"),
        ] {
            let answer = try await harness.send(method, path, token: token, json: json)
            #expect(answer.status == 403 && answer.text.contains("confirm-first"), "\(path): \(answer.text)")
        }
        // A name and the end of sessions give nothing away.
        let named = try await root.post("\(person)/name", "name=Bea", harness)
        #expect(named["location"] == "\(person)?done=person-changed")
        let ended = try await root.post("\(person)/sessions/end", "", harness)
        #expect(ended["location"] == "\(person)?done=revoked")
        #expect(try await root.post("/account/second-factor/confirm", password, harness).status == 303)
        let added = try await root.post("\(person)/addresses", "address=c@example.com", harness)
        #expect(added["location"] == "\(person)?done=address-added")
        let changed = try await harness.send(
            "PATCH", "\(users)/\(harness.people.bea.id)", token: token, json: #"{"name":"B"}"#)
        #expect(changed.status == 200, "\(changed.text)")
        // One's own password is changed with the one before it.
        let own = try await harness.send(
            "POST", "\(users)/\(harness.people.root.id)/password-reset", token: token, json: "{}")
        #expect(own.status == 409, "\(own.text)")
        try await harness.stop()
    }

    @Test
    func administratorsTakeALostOneAway() async throws {
        let clock = TestClock()
        let harness = try await Self.harness(clock)
        let ann = try await BrowserSession(harness.people.ann, harness)
        _ = try await Self.setUp(ann, harness, clock)
        let root = try await BrowserSession(harness.people.root, harness)
        let path = "/office/people/\(harness.people.ann.id)"
        #expect(try await root.get(path, harness).text.contains("authenticator app"))
        #expect(try await root.post(path + "/second-factor/remove", "", harness).status == 303)
        #expect(try await ann.get("/library", harness).status == 303)
        // The person is told at the next sign-in, once.
        let told = try await Self.begin(harness, more: "&next=%2Flibrary%2Ftrash").answer
        #expect(told["location"] == "/account?done=factor-taken")
        #expect(try await Self.begin(harness).answer["location"] == "/library/latest")
        let audit = try await root.get("/office/audit?action=factor", harness).text
        #expect(audit.contains("removed the two-step sign-in of"))
        // Administrators do not take away their own without a proof.
        let own = try await root.post("/office/people/\(harness.people.root.id)/second-factor/remove", "", harness)
        #expect(own.status == 409)
        try await harness.stop()
    }
}

extension ServerHarness {
    /// Session of a browser, by its cookie.
    func authenticated(_ session: BrowserSession) async throws -> FactorSession {
        let token = try #require(
            try await store.accounts.token(TokenText.digest(String(session.cookie.dropFirst("fundmail=".count)))))
        return FactorSession(user: token.user.id, token: token.record.id, now: .now)
    }

    /// The app that a form offers.
    func codeApp(_ sealed: String, of session: FactorSession) throws -> TimeCode? {
        CodeAppSeal(serverKey: try store.accounts.serverKey()).taken(sealed, in: session)
    }
}
