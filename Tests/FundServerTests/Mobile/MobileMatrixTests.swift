import TestSupport
import FundStore
import HTTPTypes
import FundCore
import Synchronization
import Testing

@testable import FundServer

/// Every route, and everybody who may or may not use it.
@Suite struct MobileMatrixTests {
    private struct Row {
        var route: String
        /// Without the user's id; `F`, `N`, `E`, `A` stand for the ids of Ann's fund, note, email and attachment.
        var path: String
        var body = ""
    }

    private static let rows = [
        Row(route: "GET /funds/{1}/{2}", path: "/funds"),
        Row(route: "POST /funds/{1}/{2}", path: "/funds", body: "name=New"),
        Row(route: "PUT /funds/{1}/{2}/{3}", path: "/funds/F", body: "name=Other"),
        Row(route: "GET /notes/{1}/{2}/{3}", path: "/notes/F"),
        Row(route: "POST /notes/{1}/{2}/{3}", path: "/notes/F", body: "title=New"),
        Row(route: "PUT /notes/{1}/{2}/{3}/{4}", path: "/notes/N/F", body: "title=Other"),
        Row(route: "GET /emails/{1}/{2}/{3}", path: "/emails/F"),
        Row(route: "GET /emails/{1}/{2}/{3}/{4}", path: "/emails/E/F"),
        Row(route: "GET /attachments/{1}/{2}/{3}", path: "/attachments/A"),
        Row(route: "HEAD /attachments/{1}/{2}/{3}", path: "/attachments/A"),
        // Last: what they delete is gone.
        Row(route: "DELETE /notes/{1}/{2}/{3}/{4}", path: "/notes/N/F"),
        Row(route: "DELETE /funds/{1}/{2}/{3}", path: "/funds/F"),
    ]

    @Test func everyRouteHasARow() async throws {
        let harness = try await MobileHarness()
        let authenticator = try Authenticator(store: harness.store.accounts, settings: .quick, now: { 0 })
        let api = MobileAPI(
            accounts: harness.store.accounts, library: harness.store.library, authenticator: authenticator,
            downloads: Downloads(
                files: harness.store.library, accounts: harness.store.accounts, logger: MobileServer.quiet))
        let routes = api.signedRoutes.map { "\($0.method.rawValue) \($0.path)" }
        #expect(routes.sorted() == Self.rows.map(\.route).sorted())
    }

    @Test func everyRouteKnowsWhoMayUseIt() async throws {
        let harness = try await MobileHarness()
        let note = try await harness.store.library.addNote(
            NoteText(title: "n", content: ""), in: harness.fund.id, of: harness.ann.id)
        let attachment = try await harness.store.library.email(harness.emailID, of: harness.ann.id).attachments[0]
        let ids = [
            "F": harness.fund.id.rawValue, "N": note.id.rawValue, "E": harness.emailID.rawValue,
            "A": attachment.id.rawValue,
        ]
        let ann = try await harness.logIn()
        let bob = try await harness.logIn("bob@example.com")  // an administrator: no more than a user here
        let cat = try await harness.logIn(try await harness.addUser("cat@example.com"))
        harness.clock.advance(3000)
        for session in [ann, bob, cat] { _ = try await harness.send(harness.call(session, "/funds")) }
        var fresh = try await harness.logIn()
        for row in Self.rows {
            let method = String(row.route.prefix { $0 != " " })
            func path(_ ids: [String: Int64]) -> String {
                ids.reduce(row.path) { $0.replacing("/\($1.key)", with: "/\($1.value)") }
            }
            func status(_ session: MobileHarness.Session, _ ids: [String: Int64]) async throws -> String {
                let answer = try await harness.send(harness.call(session, method, path(ids), row.body))
                return method == "HEAD" ? "\(answer.status)" : answer.summary
            }
            func says(_ text: String) -> String { method == "HEAD" ? String(text.prefix(3)) : text }
            let missing = ids.mapValues { $0 + 1000 }
            // No credentials, and those of another user.
            let none = MobileHarness.Call(
                method: method, path: "\(path(ids))/\(ann.user)", query: "ts=\(harness.clock.now)&nonce=n",
                body: row.body,
                sign: String(repeating: "a", count: 64))
            #expect(try await harness.send(none).status == 401, "\(row.route)")
            let pretender = MobileHarness.Session(user: ann.user, token: bob.token, expire: 0)
            #expect(try await status(pretender, ids) == says("401 invalid sign"), "\(row.route)")
            let nobody = MobileHarness.Session(user: 999, token: bob.token, expire: 0)
            #expect(try await status(nobody, ids) == says("401 invalid sign"), "\(row.route)")
            // A disabled user.
            try await harness.store.administration.setDisabled(true, user: harness.ann.id, actor: "t")
            #expect(try await status(fresh, ids) == says("401 token expired"), "\(row.route)")
            try await harness.store.administration.setDisabled(false, user: harness.ann.id, actor: "t")
            #expect(try await status(fresh, ids) == says("401 token expired"), "\(row.route)")
            fresh = try await harness.logIn()
            // Another user's things, and things that do not exist.
            if row.path != "/funds" {
                let others = try await status(bob, ids)
                #expect(others == says("404 not found"), "\(row.route)")
                #expect(try await status(cat, ids) == others, "\(row.route)")
                #expect(try await status(bob, missing) == others, "\(row.route)")
                #expect(try await status(fresh, missing) == others, "\(row.route)")
            }
            #expect(try await status(fresh, ids) == "200", "\(row.route)")
        }
        harness.clock.advance(3600)
        for row in Self.rows {
            let method = String(row.route.prefix { $0 != " " })
            let answer = try await harness.send(
                harness.call(fresh, method, row.path.replacing("/F", with: "/1"), row.body))
            #expect(answer.status == 401, "\(row.route)")
        }
    }

    /// A device that was signed in before the server asked for a second factor goes on when its owner has one.
    @Test func nothingOpensToWhoLacksASecondFactor() async throws {
        let rule = Mutex(SecondFactorRule.none)
        let harness = try await MobileHarness(secondFactors: { rule.withLock(\.self) })
        let ann = try await harness.logIn()
        rule.withLock { $0 = .everybody }
        for row in Self.rows {
            let method = String(row.route.prefix { $0 != " " })
            let answer = try await harness.send(
                harness.call(ann, method, row.path.replacing(/\/[FNEA]/, with: "/1"), row.body))
            #expect(answer.status == 403, "\(row.route): \(answer.text)")
            let isTold = method == "HEAD" || answer.description.contains("needs a second factor")
            #expect(isTold, "\(row.route): \(answer.text)")
        }
        rule.withLock { $0 = .administrators }
        #expect(try await harness.send(harness.call(ann, "/funds")).status == 200)
    }

    /// Ids of things in another fund of the same user are not in this one.
    @Test func thingsAreFoundInTheirOwnFundOnly() async throws {
        let harness = try await MobileHarness()
        let ann = try await harness.logIn()
        let second = try await harness.store.library.addFund("Second", of: harness.ann.id)
        let note = try await harness.store.library.addNote(
            NoteText(title: "n", content: ""), in: harness.fund.id, of: harness.ann.id)
        for (method, path) in [
            ("PUT", "/notes/\(note.id)/\(second.id)"), ("DELETE", "/notes/\(note.id)/\(second.id)"),
            ("GET", "/emails/\(harness.emailID)/\(second.id)"),
        ] {
            #expect(
                try await harness.send(harness.call(ann, method, path, "title=x")).summary == "404 not found", "\(path)"
            )
        }
    }
}
