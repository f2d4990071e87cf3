import FundCore
import FundStore
import HTTPTypes
import TestSupport
import Testing

@testable import FundServer

/// Every route of the web API with app passwords of each reach, which open what stands here and nothing else.
struct AppPasswordMatrixTests {
    /// Opened by both.
    private static let read: Set = [
        "GET /v1/session", "GET /v1/funds", "GET /v1/funds/{fund}", "GET /v1/funds/{fund}/summary",
        "GET /v1/funds/{fund}/items", "GET /v1/folders/{folder}", "GET /v1/folders/{folder}/items",
        "GET /v1/files/{file}", "GET /v1/files/{file}/neighbours", "GET /v1/files/{file}/provenance",
        "GET /v1/files/{file}/content", "GET /v1/files/{file}/preview", "GET /v1/files/{file}/preview/text",
        "GET /v1/files/{file}/preview/fields", "GET /v1/uploads/{upload}",
    ]

    /// Opened by those for files alone.
    private static let changed: Set = [
        "POST /v1/funds", "PATCH /v1/funds/{fund}", "DELETE /v1/funds/{fund}", "POST /v1/funds/{fund}/seen",
        "POST /v1/funds/{fund}/archive", "POST /v1/funds/{fund}/folders", "PATCH /v1/folders/{folder}",
        "POST /v1/folders/{folder}/copy", "DELETE /v1/folders/{folder}", "POST /v1/funds/{fund}/files",
        "PUT /v1/files/{file}/content", "PATCH /v1/files/{file}", "POST /v1/files/{file}/copy",
        "DELETE /v1/files/{file}", "PATCH /v1/uploads/{upload}", "DELETE /v1/uploads/{upload}",
    ]

    /// Opened by those that read alone.
    private static let readAlone: Set = [
        "GET /v1/funds/{fund}/zip", "POST /v1/funds/{fund}/zip", "GET /v1/trash", "GET /v1/favourites",
        "GET /v1/emails", "GET /v1/emails/{email}", "GET /v1/emails/{email}/neighbours", "GET /v1/emails/{email}/text",
        "GET /v1/emails/{email}/raw", "GET /v1/attachments/{attachment}", "GET /v1/attachments/{attachment}/content",
        "GET /v1/attachments/{attachment}/preview", "GET /v1/attachments/{attachment}/preview/text",
        "GET /v1/attachments/{attachment}/preview/fields", "GET /v1/funds/{fund}/notes", "GET /v1/notes/{note}",
        "GET /v1/search", "GET /v1/search/neighbours/{type}/{id}", "GET /v1/changes", "GET /v1/received",
        "GET /v1/arrivals", "GET /v1/contacts", "GET /v1/contacts/suggestions", "GET /v1/contacts/seen",
        "GET /v1/contacts/export", "GET /v1/contacts/{contact}", "GET /v1/news", "GET /v1/news/search",
        "GET /v1/news/counts", "GET /v1/news/items/{item}", "GET /v1/letters", "GET /v1/letters/{letter}",
        "GET /v1/letters/{letter}/attachments/{number}/content",
    ]

    private static func opened(by reach: TokenReach) -> Set<String> {
        switch reach {
        case .files: read.union(changed)
        case .read: read.union(readAlone)
        }
    }

    @Test(arguments: TokenReach.allCases)
    func opensWhatItReaches(_ reach: TokenReach) async throws {
        let harness = try await ServerHarness(.withPreviews.sendingLetters)
        let ann = try await harness.appPassword(of: harness.people.ann, reach: reach).characters
        let root = try await harness.appPassword(of: harness.people.root, reach: reach).characters
        let opened = Self.opened(by: reach)
        var items = MatrixItems(harness)
        // A refusal takes nothing away: all of these rows name the same things.
        let kept = try await TestItems(harness)
        for row in AccessMatrixTests.rows where row.stranger == 401 {
            guard opened.contains(row.testDescription) else {
                for (name, password) in [("owner", ann), ("administrator", root)] {
                    let response = try await row.send(kept, password, harness)
                    #expect(response.status == 403, "\(row.testDescription), \(name): \(response.text.prefix(300))")
                    #expect(response.text.contains("urn:fundmail:problem:out-of-reach"), "\(row.testDescription)")
                }
                continue
            }
            let response = try await row.send(try await items.next(row.method), ann, harness)
            #expect(response.status == row.owner, "\(row.testDescription): \(response.text.prefix(300))")
        }
        #expect(opened.isSubset(of: AccessMatrixTests.rows.map(\.testDescription)))
        try await harness.stop()
    }

    /// An app password is a credential like others: it ends, and its form does not matter.
    @Test func standsInThePlaceOfAToken() async throws {
        let harness = try await ServerHarness()
        let ann = harness.people.ann
        let password = try await harness.appPassword(of: ann, reach: .read)
        let session = try await harness.send("GET", "/api/v1/session", token: password.characters)
        #expect(session.status == 200 && session.text.contains(#""reach":"read""#), "\(session.text)")
        let typed = password.characters.uppercased().replacing("-", with: "")
        #expect(try await harness.send("GET", "/api/v1/funds", token: typed).status == 200)
        // A session has no reach, and the pages and the mobile API take no app password.
        let own = try await harness.send("GET", "/api/v1/session", token: try await harness.token(of: ann))
        #expect(own.text.contains(#""reach":null"#), "\(own.text)")
        let cookie = ["Cookie": "fundmail=\(password.characters)"]
        #expect(try await harness.send("GET", "/account", fields: cookie).status == 303)
        let login = #"{"username":"\#(ann.email)","password":"\#(password.characters)"}"#
        let refused = try await harness.send(
            "POST", "/api/v1/session", fields: ["Content-Type": "application/json"], body: Array(login.utf8))
        #expect(refused.status == 401)
        _ = try await harness.store.accounts.revokeToken(password.record.id, of: ann.id, actor: "test")
        #expect(try await harness.send("GET", "/api/v1/funds", token: password.characters).status == 401)
        try await harness.stop()
    }

    @Test func isMadeWithAReach() async throws {
        let harness = try await ServerHarness()
        let token = try await harness.token(of: harness.people.ann)
        func made(_ body: String) async throws -> RawHTTPResponse {
            try await harness.send(
                "POST", "/api/v1/tokens", token: token, fields: ["Content-Type": "application/json"],
                body: Array(body.utf8))
        }
        #expect(try await made(#"{"label":"drive"}"#).text.contains(#""reach":"files""#))
        #expect(try await made(#"{"label":"assistant","reach":"read"}"#).text.contains(#""reach":"read""#))
        #expect(try await made(#"{"label":"x","reach":"all"}"#).status == 400)
        let entry = try await harness.store.administration.audit(AuditFilter(), PageQuery()).items.first
        #expect(entry?.detail == "app read: assistant")
        try await harness.stop()
    }
}
