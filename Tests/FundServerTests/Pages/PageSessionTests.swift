import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

struct PageSessionTests {
    @Test
    func cookieIsForThisServerAlone() async throws {
        let harness = try await ServerHarness()
        let answer = try await harness.send(
            "POST", "/sign-in", fields: BrowserSession.ownForm,
            body: Array("username=ann%40example.com&password=\(BrowserSession.password)".utf8))
        let cookie = try #require(answer["set-cookie"])
        #expect(cookie.hasPrefix("fundmail="))
        #expect(cookie.contains("; HttpOnly; SameSite=Strict"))
        #expect(answer["location"] == "/library/latest")
        // The cookie is no key of the API: there it changes and shows nothing.
        let api = try await harness.send(
            "GET", "/api/v1/funds", fields: ["Cookie": String(cookie.prefix { $0 != ";" })])
        #expect(api.status == 401)
        try await harness.stop()
    }

    /// Another session for each time of signing in; the one before at this browser ends.
    @Test
    func signingInEndsTheSessionBefore() async throws {
        let harness = try await ServerHarness()
        let first = try await BrowserSession(harness.people.ann, harness)
        let answer = try await harness.send(
            "POST", "/sign-in", fields: BrowserSession.ownForm.merging(["Cookie": first.cookie]) { $1 },
            body: Array("username=bea%40example.com&password=\(BrowserSession.password)".utf8))
        #expect(answer.status == 303)
        #expect(answer["set-cookie"]?.hasPrefix(first.cookie) == false)
        #expect(try await first.get("/library", harness).status == 303)
        let lost = try await first.post("/library/funds", "name=Lost", harness)
        #expect(lost["location"] == "/sign-in?done=not-saved")
        try await harness.stop()
    }

    /// A cookie that an attacker set is not taken over.
    @Test
    func planted() async throws {
        let harness = try await ServerHarness()
        let answer = try await harness.send(
            "POST", "/sign-in", fields: BrowserSession.ownForm.merging(["Cookie": "fundmail=planted"]) { $1 },
            body: Array("username=ann%40example.com&password=\(BrowserSession.password)".utf8))
        #expect(answer.status == 303)
        #expect(answer["set-cookie"]?.contains("planted") == false)
        let twice = try await BrowserSession(harness.people.ann, harness)
        let both = try await harness.send(
            "GET", "/library", fields: ["Cookie": "fundmail=planted; \(twice.cookie)"])
        #expect(both.status == 303)
        try await harness.stop()
    }

    /// The pages of one person that a browser keeps go when another signs in there, and only then.
    @Test
    func nextPersonFindsNoOldPages() async throws {
        let harness = try await ServerHarness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        func cleared(_ name: String, over session: BrowserSession?) async throws -> String? {
            let fields = session.map { ["Cookie": $0.cookie] } ?? [:]
            let answer = try await harness.send(
                "POST", "/sign-in", fields: BrowserSession.ownForm.merging(fields) { $1 },
                body: Array("username=\(name)%40example.com&password=\(BrowserSession.password)".utf8))
            #expect(answer.status == 303)
            return answer["clear-site-data"]
        }
        #expect(try await ann.get("/", harness)["clear-site-data"] == nil)
        #expect(try await ann.get("/sign-in", harness)["clear-site-data"] == nil)
        #expect(try await cleared("ann", over: nil) == nil)
        #expect(try await cleared("bea", over: ann) == "\"cache\"")
        // That ended Ann's session.
        #expect(try await cleared("bea", over: ann) == "\"cache\"")
        #expect(try await cleared("ann", over: ann) == nil)
        try await harness.stop()
    }

    @Test
    func endsWithSigningOutAndWithTheUser() async throws {
        let harness = try await ServerHarness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        let out = try await ann.post("/sign-out", "", harness)
        #expect(out["clear-site-data"] == "\"cache\"")
        #expect(out["set-cookie"]?.contains("Max-Age=0") == true)
        let dead = try await ann.get("/library", harness)
        #expect(dead["location"] == "/sign-in?next=/library" && dead["clear-site-data"] == "\"cache\"")
        // A form that was sent too late is still behind Back.
        #expect(try await ann.get("/sign-in?done=not-saved", harness)["clear-site-data"] == nil)
        for path in ["/", "/sign-in"] {
            #expect(try await ann.get(path, harness)["clear-site-data"] == "\"cache\"")
        }
        #expect(try await harness.send("GET", "/library")["clear-site-data"] == nil)
        let bea = try await BrowserSession(harness.people.bea, harness)
        try await harness.store.administration.setDisabled(true, user: harness.people.bea.id, actor: "test")
        #expect(try await bea.get("/library", harness).status == 303)
        try await harness.store.administration.setDisabled(false, user: harness.people.bea.id, actor: "test")
        #expect(try await bea.get("/library", harness).status == 303)
        try await harness.stop()
    }

    @Test
    func endsEverywhere() async throws {
        let harness = try await ServerHarness()
        let (one, other) = (
            try await BrowserSession(harness.people.ann, harness), try await BrowserSession(harness.people.ann, harness)
        )
        #expect(try await one.post("/account/sessions/end", "", harness).status == 303)
        #expect(try await one.get("/library", harness).status == 200)
        #expect(try await other.get("/library", harness).status == 303)
        try await harness.stop()
    }

    /// After a link from a mail one lands where it pointed, but never elsewhere.
    @Test(arguments: [
        ("/library/trash", "/library/trash"), ("//evil.example", "/library/latest"),
        ("https://evil.example", "/library/latest"),
        ("/\\evil.example", "/library/latest"), ("", "/library/latest"),
    ])
    func landsWhereTheLinkPointed(next: String, lands: String) async throws {
        let harness = try await ServerHarness()
        let encoded = next.replacing("/", with: "%2F")
        let answer = try await harness.send(
            "POST", "/sign-in", fields: BrowserSession.ownForm,
            body: Array(
                "username=ann%40example.com&password=\(BrowserSession.password)&next=\(encoded)".utf8))
        #expect(answer["location"] == lands)
        try await harness.stop()
    }

    /// The cookie does not come with a link from another site; the page that loads itself again gets it.
    @Test
    func loadsAgainForALinkFromElsewhere() async throws {
        let harness = try await ServerHarness()
        let answer = try await harness.send("GET", "/library/trash", fields: ["Sec-Fetch-Site": "cross-site"])
        #expect(answer.status == 200)
        #expect(answer.text.contains(#"<meta http-equiv="refresh" content="0;url=/library/trash">"#))
        try await harness.stop()
    }

    @Test
    func saysWhatIsWrong() async throws {
        let harness = try await ServerHarness()
        let answer = try await harness.send(
            "POST", "/sign-in", fields: BrowserSession.ownForm.merging(["Accept-Language": "zh-CN"]) { $1 },
            body: Array("username=ann%40example.com&password=wrong".utf8))
        #expect(answer.status == 401)
        #expect(answer["www-authenticate"] == nil)
        #expect(answer.text.contains("地址或密码错误"))
        #expect(answer.text.contains("ann@example.com"))
        try await harness.stop()
    }

    @Test
    func tokensOfFormsDifferEachTime() throws {
        let sessions = PageSessions(serverKey: Array(repeating: 7, count: 32), publicAuthorities: [])
        let (first, second) = (sessions.formToken(of: "one"), sessions.formToken(of: "one"))
        #expect(first != second)
        for token in [first, second] {
            #expect(sessions.isFormToken(token, of: "one"))
            #expect(!sessions.isFormToken(token, of: "two"))
        }
        let other = PageSessions(serverKey: Array(repeating: 8, count: 32), publicAuthorities: [])
        #expect(!other.isFormToken(first, of: "one"))
    }
}
