import FundCore
import TestSupport
import Testing

@testable import FundServer

/// The page of signing in to a demo, which offers its logins.
struct DemoPageTests {
    private static func harness() async throws -> ServerHarness {
        var options = ServerHarness.Options()
        options.demo = DemoSite(
            logins: [
                DemoSite.Login(
                    name: "Ann <b>", email: "ann@example.com", password: TestPeople.password, isAdministrator: false),
                DemoSite.Login(
                    name: "Root", email: "root@example.com", password: "pass \"word\"", isAdministrator: true),
            ], endsAt: 1_797_292_800)
        return try await ServerHarness(options)
    }

    @Test func offersItsLogins() async throws {
        let harness = try await Self.harness()
        let page = try await harness.send("GET", "/sign-in?next=/library/sent").text
        #expect(page.contains("Sign in as Ann &lt;b&gt;<") && page.contains("Sign in as Root, an administrator<"))
        #expect(page.contains(#"name="username" value="root@example.com""#))
        #expect(page.contains(#"name="password" value="pass &quot;word&quot;""#))
        #expect(page.contains(#"datetime="2026-12-15T00:00:00Z""#), "\(page)")
        // Each of the three forms leads on.
        #expect(page.ranges(of: #"name="next" value="/library/sent""#).count >= 3)
        try await harness.stop()
    }

    @Test func othersOfferNone() async throws {
        let harness = try await ServerHarness()
        let page = try await harness.send("GET", "/sign-in").text
        #expect(!page.contains("class=\"panel demo\"") && !page.contains("type=\"hidden\" name=\"password\""))
        try await harness.stop()
    }

    /// The passwords of a demo are no secret: they may come from other machines, unencrypted.
    @Test(arguments: [true, false])
    func takesPasswordsFromEverywhere(_ isDemo: Bool) async throws {
        var options = ServerHarness.Options()
        options.settings.isBehindProxy = true
        if isDemo { options.demo = DemoSite(logins: [], endsAt: .now) }
        let harness = try await ServerHarness(options)
        let form = "username=\(harness.people.ann.email)&password=\(BrowserSession.password)"
        let fields = BrowserSession.ownForm.merging(["X-Forwarded-For": "192.0.2.1"]) { $1 }
        let answer = try await harness.send("POST", "/sign-in", fields: fields, body: Array(form.utf8))
        #expect(answer.status == (isDemo ? 303 : 403), "\(answer.text)")
        try await harness.stop()
    }
}
