import FundCore
import FundStore
import HTTPTypes
import TestSupport
import Testing

@testable import FundServer

/// Who must have a second factor and has none: every route of the pages, of the web API and of WebDAV. The mobile API
/// stands in `MobileMatrixTests`.
struct LackingFactorTests {
    /// The pages and acts by which one is set up, or that end the session.
    private static let opensBefore: Set = [
        "GET /account/second-factor", "POST /account/second-factor/confirm",
        "POST /account/second-factor/challenge", "POST /account/second-factor/confirm-passkey",
        "POST /account/recovery-codes", "POST /account/passkeys/challenge", "POST /account/passkeys",
        "POST /account/passkeys/{passkey}/name", "POST /account/passkeys/{passkey}/remove", "POST /account/code-app",
        "POST /account/code-app/confirm", "POST /account/code-app/remove", "POST /sign-out",
    ]
    /// Routes that need no session, and show nothing of the library to one either.
    private static let opensToAnyone: Set = [
        "GET /", "GET /sign-in", "POST /sign-in", "GET /sign-in/second", "POST /sign-in/second",
        "POST /sign-in/passkey", "POST /sign-in/passkey/challenge", "POST /account/look", "GET /reset/{token}",
        "POST /reset/{token}", "GET /setup", "POST /setup", "GET /unsubscribe/{token}", "POST /unsubscribe/{token}",
    ]

    private static func harness() async throws -> ServerHarness {
        var options = ServerHarness.Options()
        options.accounts.secondFactors = { .everybody }
        return try await ServerHarness(options)
    }

    /// A session that began before the server asked for a second factor.
    private static func session(of user: User, _ harness: ServerHarness) async throws -> BrowserSession {
        let cookie = "fundmail=\(try await harness.token(of: user))"
        let page = try await harness.send("GET", "/account/second-factor", fields: ["Cookie": cookie])
        return BrowserSession(cookie: cookie, formToken: try BrowserSession.formToken(in: page.text))
    }

    /// A route that opens earlier must be named here.
    @Test
    func fewRoutesOpenBefore() {
        let open = Pages.routes.filter { $0.access != .anyone && $0.opensBeforeSecondFactor }
        #expect(Set(open.map { "\($0.method.rawValue) \($0.path)" }) == Self.opensBefore)
        let strangers = Pages.routes.filter { $0.access == .anyone }
        #expect(Set(strangers.map { "\($0.method.rawValue) \($0.path)" }) == Self.opensToAnyone)
        let programs = WebAPI.routes.filter { $0.access == .anyone || $0.opensBeforeSecondFactor }
        #expect(
            Set(programs.map { "\($0.method.rawValue) \($0.path)" })
                == ["GET /openapi.yaml", "POST /v1/session", "DELETE /v1/session"])
    }

    @Test
    func noPageOpens() async throws {
        let harness = try await Self.harness()
        let things = try await TestItems(harness)
        let names = try await harness.store.library.funds(of: harness.people.ann.id).map(\.name)
        for row in PageMatrixTests.rows where !Self.opensBefore.contains(row.testDescription) {
            let isOpen = Self.opensToAnyone.contains(row.testDescription)
            for user in [harness.people.ann, harness.people.root] {
                // Signing in ends the session before.
                let session = try await Self.session(of: user, harness)
                let answer = try await row.send(things, session, harness)
                #expect(!names.contains { answer.text.contains("<bdi>\($0)</bdi>") }, "\(row.testDescription)")
                #expect(!answer.text.contains("class=\"side\""), "\(row.testDescription)")
                guard !isOpen else { continue }
                if row.method == "GET" {
                    #expect(answer.status == 303, "\(row.testDescription): \(answer.text)")
                    let way = answer["location"]?.hasPrefix("/account/second-factor?next=") == true
                    #expect(way, "\(row.testDescription): \(answer["location"] ?? "")")
                } else {
                    #expect(answer.status == 403, "\(row.testDescription): \(answer.status)")
                    #expect(answer.text.contains("Set up two-step sign-in first"), "\(row.testDescription)")
                }
            }
        }
        // Nothing was done either.
        #expect(try await harness.store.library.funds(of: harness.people.ann.id).map(\.name) == names)
        try await harness.stop()
    }

    /// Scripts get an error in place of a page that leads on.
    @Test
    func scriptsAreRefused() async throws {
        let harness = try await Self.harness()
        let ann = try await Self.session(of: harness.people.ann, harness)
        for (path, type) in [("/library/events", "text/event-stream"), ("/library/find?q=a", "application/json")] {
            let answer = try await harness.send("GET", path, fields: ["Cookie": ann.cookie, "Accept": type])
            #expect(answer.status == 403, "\(path): \(answer.text)")
        }
        try await harness.stop()
    }

    @Test
    func noCallOfTheWebAPIOpens() async throws {
        let harness = try await Self.harness()
        let things = try await TestItems(harness)
        let tokens = [
            try await harness.token(of: harness.people.ann), try await harness.token(of: harness.people.root),
        ]
        let open = Set(
            WebAPI.routes.filter { $0.access == .anyone || $0.opensBeforeSecondFactor }
                .map { "\($0.method.rawValue) \($0.path)" })
        for row in AccessMatrixTests.rows where !open.contains(row.testDescription) {
            for token in tokens {
                let answer = try await row.send(things, token, harness)
                #expect(answer.status == 403, "\(row.testDescription): \(answer.status)")
                #expect(answer.text.contains("second-factor-missing"), "\(row.testDescription): \(answer.text)")
            }
        }
        #expect(try await harness.send("GET", "/metrics", token: tokens[1]).status == 403)
        // Nor does a program sign in.
        let login = #"{"username":"ann@example.com","password":"\#(TestPeople.password)"}"#
        #expect(try await harness.send("POST", "/api/v1/session", json: login).status == 403)
        #expect(try await harness.send("POST", "/login", json: login).status == 403)
        #expect(try await harness.send("DELETE", "/api/v1/session", token: tokens[0]).status == 204)
        try await harness.stop()
    }

    /// App passwords go on, as `docs/administering.md` says; a password opens nothing.
    @Test
    func noDriveOpensByThePassword() async throws {
        let harness = try await Self.harness()
        let (ann, password) = (harness.people.ann, TestPeople.password)
        let app = try await harness.appPassword(of: ann).characters
        for row in DAVMatrixTests.rows where row.method != "OPTIONS" {
            var fields = row.fields
            fields["Authorization"] = DAVHarness.basic(ann.email, password)
            let answer = try await harness.send(
                row.method, "/dav/Fund1/" + row.path, fields: fields, body: Array(row.body.utf8))
            #expect(answer.status == 403, "\(row.testDescription): \(answer.text)")
        }
        let fields = ["Authorization": DAVHarness.basic(ann.email, app), "Depth": "0"]
        #expect(try await harness.send("PROPFIND", "/dav/", fields: fields).status == 207)
        try await harness.stop()
    }

    /// A note that came when the session had ended is given back, and its editor stays closed.
    @Test
    func aDraftOpensNoEditor() async throws {
        let harness = try await Self.harness()
        let (people, library) = (harness.people, harness.store.library)
        let note = try await library.addNote(
            NoteText(title: "Kept", content: "stored words"), in: people.fund.id, of: people.ann.id)
        let drafts = PageSessions(serverKey: try harness.store.accounts.serverKey(), publicAuthorities: []).drafts
        for draft in [
            NoteDraft(.note(note.id), NoteText(title: "Call", content: "<b>my words"), since: note.modifiedAt),
            NoteDraft(.new(people.fund.id), NoteText(title: "Call", content: "<b>my words"), since: nil),
        ] {
            let sealed = try drafts.sealed(.note(draft), of: people.ann.id)
            let answer = try await harness.send(
                "POST", "/sign-in", fields: BrowserSession.ownForm,
                body: Array("username=ann%40example.com&password=\(BrowserSession.password)&draft=\(sealed)".utf8))
            #expect(answer.status == 200 && answer["cache-control"] == "no-store")
            #expect(answer.text.contains("&lt;b&gt;my words</textarea>") && answer.text.contains("value=\"Call\""))
            #expect(answer.text.contains("href=\"/account/second-factor?next=\(draft.address)\""))
            #expect(!answer.text.contains("action=\"/library/") && !answer.text.contains("stored words"))
            #expect(!answer.text.contains(people.fund.name) && !answer.text.contains("class=\"side\""))
        }
        try await harness.stop()
    }
}
