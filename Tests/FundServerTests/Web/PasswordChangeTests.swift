internal import Foundation
import FundStore
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// A user's own password, over HTTP.
struct PasswordChangeTests {
    private static let old = TestPeople.password
    private static let new = "another long password"

    private func change(
        _ harness: ServerHarness, _ token: String, _ current: String = old, _ new: String = new
    ) async throws -> RawHTTPResponse {
        try await harness.send(
            "PUT", "/api/v1/me/password", token: token,
            json: #"{"current_password":"\#(current)","new_password":"\#(new)"}"#)
    }

    private func signIn(_ harness: ServerHarness, _ password: String) async throws -> Int {
        try await harness.send(
            "POST", "/api/v1/session", json: #"{"username":"ann@example.com","password":"\#(password)"}"#
        ).status
    }

    @Test
    func endsEverythingElse() async throws {
        let harness = try await ServerHarness()
        let ann = harness.people.ann
        let (mine, other) = (try await harness.token(of: ann), try await harness.token(of: ann))
        let app = try await Accounts(store: harness.store.accounts).addAppPassword(
            "drive", reach: .files, for: ann, at: 1, actor: "test")
        let bea = try await harness.token(of: harness.people.bea)
        #expect(try await harness.send("GET", "/api/v1/funds", token: other).status == 200)
        #expect(try await change(harness, mine).status == 204)
        #expect(try await harness.send("GET", "/api/v1/funds", token: mine).status == 200)
        #expect(try await harness.send("GET", "/api/v1/funds", token: other).status == 401)
        #expect(try await harness.send("GET", "/api/v1/funds", token: bea).status == 200)
        let basic = Data("ann@example.com:\(app.characters)".utf8).base64EncodedString()
        #expect(
            try await harness.send("GET", "/dav/Fund1/", fields: ["Authorization": "Basic \(basic)"]).status == 401)
        #expect(try await signIn(harness, Self.old) == 401)
        #expect(try await signIn(harness, Self.new) == 201)
        let entry = try #require(
            try await harness.store.administration.audit(AuditFilter(), PageQuery(limit: 20)).items.first {
                $0.action == "user.password"
            })
        #expect(entry.actor == "ann@example.com" && entry.subject == "ann@example.com")
        try await harness.stop()
    }

    /// A thief who was signed in, and holds back the end of what they ask for, gets nothing that lasts.
    @Test
    func endsWhatIsBeingAskedFor() async throws {
        let harness = try await ServerHarness()
        let ann = harness.people.ann
        let (mine, stolen) = (try await harness.token(of: ann), try await harness.token(of: ann))
        let body = #"{"label":"thief"}"#
        let thief = try RawHTTPConnection(port: harness.port)
        await thief.send(
            "POST /api/v1/tokens HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(stolen)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body.prefix(5))
        try await eventually { try await harness.store.accounts.tokens(of: ann.id).contains { $0.lastUsedAt != nil } }
        #expect(try await change(harness, mine).status == 204)
        await thief.send(String(body.dropFirst(5)))
        #expect(await thief.response()?.status == 401)
        #expect(try await harness.store.accounts.tokens(of: ann.id).allSatisfy { $0.kind != .app })
        try await harness.stop()
    }

    /// Nothing ends, and the old password stays.
    @Test(arguments: ["short", "ann@example.com", "aaaaaaaaaaaaaaa", "with\\u0000control characters"])
    func takesNoBadPassword(_ new: String) async throws {
        let harness = try await ServerHarness()
        let (mine, other) = (
            try await harness.token(of: harness.people.ann), try await harness.token(of: harness.people.ann)
        )
        #expect(try await change(harness, mine, Self.old, new).status == 400)
        #expect(try await harness.send("GET", "/api/v1/funds", token: other).status == 200)
        #expect(try await signIn(harness, Self.old) == 201)
        try await harness.stop()
    }

    /// A stranger at a browser that was left open guesses no better than at the login.
    @Test
    func countsGuesses() async throws {
        var options = ServerHarness.Options()
        // The clock stands still: no one has waited long enough.
        let now = options.now()
        options.now = { now }
        let harness = try await ServerHarness(options)
        let mine = try await harness.token(of: harness.people.ann)
        for _ in 0..<5 { #expect(try await change(harness, mine, "wrong").status == 403) }
        let answer = try await change(harness, mine)
        #expect(answer.status == 429)
        #expect(answer["retry-after"] != nil)
        #expect(try await signIn(harness, Self.old) == 429)
        try await harness.stop()
    }

    /// Two changes at a time: one of them knew the password that was there.
    @Test
    func happensOnce() async throws {
        let harness = try await ServerHarness()
        let tokens = [
            try await harness.token(of: harness.people.ann), try await harness.token(of: harness.people.ann),
        ]
        async let first = change(harness, tokens[0], Self.old, "the first new password")
        async let second = change(harness, tokens[1], Self.old, "the second new password")
        let statuses = try await [first.status, second.status].sorted()
        #expect(statuses[0] == 204)
        #expect([401, 403].contains(statuses[1]))
        try await harness.stop()
    }

    /// The password, old or new, and the token that a login gives would be readable on the way.
    @Test
    func takesNoPasswordInTheOpen() async throws {
        var options = ServerHarness.Options()
        options.settings.isBehindProxy = true
        let harness = try await ServerHarness(options)
        let token = try await harness.token(of: harness.people.ann)
        let login = #"{"username":"ann@example.com","password":"\#(Self.old)"}"#
        let change = #"{"current_password":"\#(Self.old)","new_password":"\#(Self.new)"}"#
        for (proto, statuses) in [("http", [403, 403, 403]), ("https", [201, 200, 204])] {
            let fields = [
                "X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": proto, "Content-Type": "application/json",
            ]
            let answers = [
                try await harness.send("POST", "/api/v1/session", fields: fields, body: Array(login.utf8)),
                try await harness.send("POST", "/login", fields: fields, body: Array(login.utf8)),
                try await harness.send(
                    "PUT", "/api/v1/me/password", token: token, fields: fields, body: Array(change.utf8)),
            ]
            #expect(answers.map(\.status) == statuses, "\(proto)")
        }
        try await harness.stop()
    }
}
