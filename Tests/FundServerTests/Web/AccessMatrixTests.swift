import FundStore
import HTTPTypes
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// Every route of the web API, with every kind of caller.
struct AccessMatrixTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var method: String
        var path: String
        var query = ""
        /// JSON, except for uploads.
        var body: String?
        /// For Ann, who owns what the path names and is no administrator.
        var owner: Int
        /// For Bea, who is signed in and owns nothing of it; for Root, an administrator who does not either.
        var other: Int
        var administrator: Int
        /// Status without a token, with an expired one, and with a disabled user's.
        var stranger = 401

        var testDescription: String { "\(method) \(path)" }
    }

    private static func own(
        _ method: String, _ path: String, _ body: String? = nil, _ status: Int = 200, query: String = ""
    )
        -> Row
    {
        Row(
            method: method, path: path, query: query, body: body, owner: status, other: 404, administrator: 404)
    }

    /// The answer is about the user who asks.
    private static func personal(
        _ method: String, _ path: String, _ body: String? = nil, _ status: Int = 200, query: String = ""
    )
        -> Row
    {
        Row(
            method: method, path: path, query: query, body: body, owner: status, other: status, administrator: status)
    }

    private static func administration(_ method: String, _ path: String, _ body: String? = nil, _ status: Int = 200)
        -> Row
    {
        Row(method: method, path: path, body: body, owner: 403, other: 403, administrator: status)
    }

    static let rows: [Row] = [
        Row(method: "GET", path: "/openapi.yaml", owner: 200, other: 200, administrator: 200, stranger: 200),
        Row(
            method: "POST", path: "/v1/session",
            body: #"{"username":"ann@example.com","password":"\#(TestPeople.password)"}"#, owner: 201, other: 201,
            administrator: 201, stranger: 201),
        personal("GET", "/v1/session"),
        personal("DELETE", "/v1/session", nil, 204),
        personal("DELETE", "/v1/sessions", nil, 204),
        personal("GET", "/v1/me"),
        personal("PATCH", "/v1/me", #"{"receipts":"problems","news":"daily"}"#),
        // A wrong one: a right one would end the other sessions of the walk.
        personal(
            "PUT", "/v1/me/password", #"{"current_password":"x","new_password":"a new long password"}"#, 403),
        personal("GET", "/v1/tokens"),
        personal("POST", "/v1/tokens", #"{"label":"davfs"}"#, 201),
        own("DELETE", "/v1/tokens/{token}", nil, 204),
        personal("GET", "/v1/funds"),
        personal("POST", "/v1/funds", #"{"name":"New %user%"}"#, 201),
        own("GET", "/v1/funds/{fund}"),
        own("PATCH", "/v1/funds/{fund}", #"{"name":"Renamed %fund%","aliases":["F%fund%"]}"#),
        own("DELETE", "/v1/funds/{fund}", nil, 204),
        own("GET", "/v1/funds/{fund}/summary"),
        own("POST", "/v1/funds/{fund}/seen", #"{"latest_email":1}"#),
        own("POST", "/v1/funds/{fund}/archive", nil, 204),
        own("GET", "/v1/funds/{fund}/items"),
        own("GET", "/v1/funds/{fund}/zip", query: "?emails=true"),
        own("POST", "/v1/funds/{fund}/zip", #"{"items":[{"type":"file","id":%file%}]}"#),
        own("POST", "/v1/funds/{fund}/folders", #"{"name":"Sub"}"#, 201),
        own("GET", "/v1/folders/{folder}"),
        own("GET", "/v1/folders/{folder}/items"),
        own("PATCH", "/v1/folders/{folder}", #"{"name":"Renamed"}"#),
        own("POST", "/v1/folders/{folder}/copy", #"{"if_taken":"number"}"#, 201),
        own("DELETE", "/v1/folders/{folder}", nil, 204),
        own("POST", "/v1/funds/{fund}/files", "bytes", 201, query: "?name=new.txt"),
        own("GET", "/v1/files/{file}"),
        own("GET", "/v1/files/{file}/neighbours", query: "?sort=-size"),
        own("GET", "/v1/files/{file}/provenance"),
        own("GET", "/v1/files/{file}/content"),
        own("GET", "/v1/files/{file}/preview", query: "?size=1600&page=2"),
        own("GET", "/v1/files/{file}/preview/text"),
        own("GET", "/v1/files/{file}/preview/fields"),
        own("PUT", "/v1/files/{file}/content", "bytes"),
        own("PATCH", "/v1/files/{file}", #"{"name":"renamed.pdf"}"#),
        own("POST", "/v1/files/{file}/copy", #"{"if_taken":"number"}"#, 201),
        own("DELETE", "/v1/files/{file}", nil, 204),
        own("GET", "/v1/uploads/{upload}"),
        own("PATCH", "/v1/uploads/{upload}", "bytes", 201),
        own("DELETE", "/v1/uploads/{upload}", nil, 204),
        personal("GET", "/v1/trash"),
        personal("DELETE", "/v1/trash"),
        own("DELETE", "/v1/trash/{type}/{id}", nil, 204),
        own("POST", "/v1/funds/{fund}/restore"),
        own("POST", "/v1/folders/{folder}/restore"),
        own("POST", "/v1/files/{file}/restore"),
        personal("GET", "/v1/favourites"),
        own("PUT", "/v1/favourites/{type}/{id}", nil, 204),
        own("DELETE", "/v1/favourites/{type}/{id}", nil, 204),
        personal("GET", "/v1/emails"),
        own("GET", "/v1/emails/{email}"),
        own("GET", "/v1/emails/{email}/neighbours", query: "?sort=received_at"),
        own("GET", "/v1/emails/{email}/text"),
        own("GET", "/v1/emails/{email}/raw"),
        own("PATCH", "/v1/emails/{email}", #"{"fund":%second%}"#),
        own("DELETE", "/v1/emails/{email}", nil, 204),
        own("POST", "/v1/emails/{email}/restore"),
        own("GET", "/v1/attachments/{attachment}"),
        own("GET", "/v1/attachments/{attachment}/content"),
        own("GET", "/v1/attachments/{attachment}/preview"),
        own("GET", "/v1/attachments/{attachment}/preview/text"),
        own("GET", "/v1/attachments/{attachment}/preview/fields"),
        own("GET", "/v1/funds/{fund}/notes"),
        own("POST", "/v1/funds/{fund}/notes", #"{"title":"t","content":"c"}"#, 201),
        own("GET", "/v1/notes/{note}"),
        own("PUT", "/v1/notes/{note}", #"{"title":"t","content":"d"}"#),
        own("DELETE", "/v1/notes/{note}", nil, 204),
        own("POST", "/v1/notes/{note}/restore"),
        personal("GET", "/v1/search", query: "?q=report"),
        own("GET", "/v1/search/neighbours/{type}/{id}", query: "?q=report"),
        personal("GET", "/v1/changes", query: "?items=true&limit=500"),
        personal("GET", "/v1/received"),
        own("POST", "/v1/received/{received}/file", #"{"fund":%fund%}"#),
        personal("GET", "/v1/arrivals"),
        personal("GET", "/v1/links"),
        own("POST", "/v1/links", #"{"items":[{"type":"file","id":%file%}]}"#, 201),
        own("GET", "/v1/links/{link}"),
        own("GET", "/v1/links/{link}/uses"),
        own("DELETE", "/v1/links/{link}", nil, 204),
        personal("POST", "/v1/routing/test", #"{"subject":"[Fund1] report"}"#),
        personal("GET", "/v1/contacts", query: "?q=ann"),
        personal(
            "POST", "/v1/contacts", #"{"name":"Cleo","addresses":[{"value":"cleo@corp.example","kind":"work"}]}"#, 201),
        personal("GET", "/v1/contacts/suggestions", query: "?q=cl"),
        personal("GET", "/v1/contacts/seen"),
        personal("GET", "/v1/contacts/export"),
        personal(
            "POST", "/v1/contacts/import", "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Dan\r\nEND:VCARD\r\n",
            query: "?rehearse=true"),
        own("GET", "/v1/contacts/{contact}"),
        own("PUT", "/v1/contacts/{contact}", #"{"name":"Cleo Clark"}"#),
        own("DELETE", "/v1/contacts/{contact}", nil, 204),
        own("POST", "/v1/contacts/{contact}/restore"),
        personal("GET", "/v1/news", query: "?state=unread"),
        personal("GET", "/v1/news/search", query: "?q=words"),
        personal("GET", "/v1/news/counts"),
        personal("POST", "/v1/news/read", #"{"up_to":1}"#),
        own("GET", "/v1/news/items/{item}"),
        own("PATCH", "/v1/news/items/{item}", #"{"is_read":true,"is_starred":true}"#),
        own("POST", "/v1/news/items/{item}/keep", #"{"fund":%fund%,"as":"file"}"#, 201),
        personal("GET", "/v1/news/feeds"),
        personal("POST", "/v1/news/feeds", #"{"address":"https://news%user%.example/feed"}"#, 201),
        personal("GET", "/v1/news/found", query: "?address=news.example"),
        personal("GET", "/v1/news/offered"),
        personal("GET", "/v1/news/opml"),
        personal("POST", "/v1/news/opml", "<opml><body><outline xmlUrl='https://a.example/feed'/></body></opml>"),
        own("GET", "/v1/news/feeds/{feed}"),
        own("PATCH", "/v1/news/feeds/{feed}", #"{"title":"Renamed","folder":"Markets"}"#),
        own("DELETE", "/v1/news/feeds/{feed}", nil, 204),
        personal("GET", "/v1/drives", nil, 404),
        personal("GET", "/v1/drives/kinds", nil, 404),
        personal("POST", "/v1/drives", #"{"name":"Cloud","kind":"b2","settings":{}}"#, 404),
        personal("POST", "/v1/drives/sign-ins", #"{"name":"Box","kind":"box"}"#, 404),
        personal("POST", "/v1/drives/sign-ins/finish", #"{"id":"a","code":"b"}"#, 404),
        personal("GET", "/v1/drives/{drive}", nil, 404),
        personal("PATCH", "/v1/drives/{drive}", #"{"name":"Renamed"}"#, 404),
        personal("DELETE", "/v1/drives/{drive}", nil, 404),
        personal("GET", "/v1/drives/{drive}/space", nil, 404),
        personal("GET", "/v1/drives/{drive}/entries", nil, 404),
        personal("GET", "/v1/drives/{drive}/entry", nil, 404, query: "?path=a.txt"),
        personal("GET", "/v1/drives/{drive}/search", nil, 404, query: "?q=a"),
        personal("GET", "/v1/drives/{drive}/content", nil, 404, query: "?path=a.txt"),
        personal("POST", "/v1/drives/{drive}/folders", #"{"path":"New"}"#, 404),
        personal("POST", "/v1/drives/{drive}/move", #"{"path":"a.txt","to":"b.txt"}"#, 404),
        personal("POST", "/v1/drives/{drive}/delete", #"{"path":"b.txt"}"#, 404),
        personal("GET", "/v1/drives/{drive}/watches", nil, 404),
        personal("POST", "/v1/drives/{drive}/watches", #"{"fund":%fund%}"#, 404),
        personal("GET", "/v1/drives/{drive}/watches/{watch}", nil, 404),
        personal("PATCH", "/v1/drives/{drive}/watches/{watch}", #"{"minutes":7}"#, 404),
        personal("DELETE", "/v1/drives/{drive}/watches/{watch}", nil, 404),
        personal("GET", "/v1/drives/{drive}/watches/{watch}/refused", nil, 404),
        personal("GET", "/v1/transfers", nil, 404),
        personal("POST", "/v1/transfers", #"{"drive":1,"paths":["a.txt"],"fund":%fund%}"#, 404),
        personal("GET", "/v1/transfers/{transfer}", nil, 404),
        personal("POST", "/v1/transfers/{transfer}/cancel", nil, 404),
        personal("POST", "/v1/transfers/{transfer}/retry", nil, 404),
        personal("GET", "/v1/webhooks"),
        personal("POST", "/v1/webhooks", #"{"name":"New %user%","address":"https://hooks.example/"}"#, 201),
        own("GET", "/v1/webhooks/{webhook}"),
        own("PATCH", "/v1/webhooks/{webhook}", #"{"name":"Renamed","kinds":["email"],"is_on":false}"#),
        own("DELETE", "/v1/webhooks/{webhook}", nil, 204),
        own("POST", "/v1/webhooks/{webhook}/secret"),
        own("POST", "/v1/webhooks/{webhook}/test"),
        own("GET", "/v1/webhooks/{webhook}/deliveries"),
        own("POST", "/v1/webhooks/{webhook}/deliveries/{delivery}/send", nil, 204),
        administration("GET", "/v1/admin/news/feeds"),
        administration("POST", "/v1/admin/news/offered", #"{"address":"offered%user%.example/feed"}"#, 201),
        administration("DELETE", "/v1/admin/news/offered/{offer}", nil, 204),
        administration("GET", "/v1/admin/news/forbidden-hosts"),
        administration("PUT", "/v1/admin/news/forbidden-hosts", #"{"hosts":["bad.example"]}"#),
        personal("GET", "/v1/profiles"),
        personal("GET", "/v1/profiles/apple"),
        administration("GET", "/v1/admin/users"),
        administration("POST", "/v1/admin/users", #"{"email":"new%user%@example.com"}"#, 201),
        administration("GET", "/v1/admin/users/{user}"),
        administration("PATCH", "/v1/admin/users/{user}", #"{"is_disabled":true,"address":"a%user%@example.com"}"#),
        administration("POST", "/v1/admin/users/{user}/password-reset", nil, 201),
        administration("DELETE", "/v1/admin/users/{user}/sessions", nil, 204),
        administration("GET", "/v1/admin/funds"),
        administration("POST", "/v1/admin/funds", #"{"name":"Of %user%","owner":%user%}"#, 201),
        administration("PATCH", "/v1/admin/funds/{fund}", #"{"name":"Renamed by Root %fund%"}"#),
        administration("POST", "/v1/admin/funds/{fund}/give", #"{"owner":%user%}"#),
        administration("POST", "/v1/admin/funds/{fund}/archive", nil, 204),
        administration("GET", "/v1/admin/audit"),
        administration("GET", "/v1/admin/audit.csv"),
        administration("GET", "/v1/admin/quarantine"),
        administration("POST", "/v1/admin/quarantine/{sha256}/release", nil, 204),
        administration("GET", "/v1/admin/links"),
        administration("DELETE", "/v1/admin/links/{link}", nil, 204),
        personal("GET", "/v1/letters"),
        own(
            "POST", "/v1/letters",
            #"{"to":["Cy <cy@corp.example>"],"subject":"Q3","text":"Hi","items":[{"type":"file","id":%file%}]}"#, 201
        ),
        own("GET", "/v1/letters/{letter}"),
        own("DELETE", "/v1/letters/{letter}", nil, 204),
        own("GET", "/v1/letters/{letter}/attachments/{number}/content"),
        own("POST", "/v1/letters/{letter}/recipients/{number}/retry"),
        own("POST", "/v1/letters/{letter}/recipients/{number}/drop"),
        administration("GET", "/v1/admin/outbox"),
        administration("GET", "/v1/admin/outbox/{letter}"),
        administration("POST", "/v1/admin/outbox/{letter}/retry"),
        administration("POST", "/v1/admin/outbox/{letter}/drop"),
        administration("GET", "/v1/admin/health"),
        administration("GET", "/v1/admin/mailboxes"),
        administration("POST", "/v1/admin/mailboxes/{mailbox}/poll"),
        administration("GET", "/v1/admin/doctor"),
        administration("POST", "/v1/admin/doctor"),
        administration("GET", "/v1/admin/misrouted"),
        administration("GET", "/v1/admin/misrouted/{message}"),
        administration("GET", "/v1/admin/misrouted/{message}/raw"),
        administration("POST", "/v1/admin/misrouted/{message}/assign", #"{"fund":%fund%,"remember":true}"#),
        administration("POST", "/v1/admin/misrouted/{message}/reject", #"{"note":"spam"}"#),
        administration("POST", "/v1/admin/misrouted/{message}/retry"),
        administration("GET", "/v1/admin/misrouted/{message}/content"),
        administration("GET", "/v1/admin/desk"),
        administration("GET", "/v1/admin/desk/causes"),
        administration("GET", "/v1/admin/desk/rehearsal"),
        administration("GET", "/v1/admin/desk/events"),
        administration("GET", "/v1/admin/desk/acts"),
        administration("POST", "/v1/admin/desk/acts", #"{"kind":"assign","messages":[%message%],"fund":%fund%}"#),
        administration("GET", "/v1/admin/desk/acts/{act}"),
        administration("POST", "/v1/admin/desk/acts/{act}/undo"),
        administration("GET", "/v1/admin/desk/learnt"),
        administration("DELETE", "/v1/admin/desk/learnt/{lesson}", nil, 204),
    ]

    /// A new route must say here who may call it.
    @Test
    func hasARowForEveryRoute() {
        let routes = Set(WebAPI.routes.map { "\($0.method.rawValue) \($0.path)" })
        let rows = Self.rows.map(\.testDescription)
        #expect(routes.count == WebAPI.routes.count)
        #expect(Set(rows) == routes)
        #expect(rows.count == routes.count)
    }

    @Test
    func answersEveryCaller() async throws {
        let harness = try await ServerHarness(.withPreviews.sendingLetters)
        let people = harness.people
        let expired = try await harness.token(of: people.ann, issuedAt: 1_000_000_000)
        let disabled = try await harness.beforeDisabling(people.dan) { try await harness.token(of: people.dan) }
        var items = MatrixItems(harness)
        for row in Self.rows {
            let things = try await items.next(row.method)
            let callers: [(name: String, token: String?, status: Int)] = [
                ("nobody", nil, row.stranger),
                ("a wrong token", "x", row.stranger),
                ("expired", expired, row.stranger),
                ("disabled", disabled, row.stranger),
                ("other", try await harness.token(of: people.bea), row.other),
                ("administrator", try await harness.token(of: people.root), row.administrator),
                // Last, since it may take away what the others asked for.
                ("owner", try await harness.token(of: people.ann), row.owner),
            ]
            for caller in callers {
                let response = try await row.send(things, caller.token, harness)
                #expect(
                    response.status == caller.status,
                    "\(row.testDescription), \(caller.name): \(response.text.prefix(300))")
                if response.status >= 400 { #expect(response["content-type"] == "application/problem+json") }
            }
        }
        try await harness.stop()
    }

    /// Things of another answer, byte for byte, like things that do not exist.
    @Test
    func hidesWhatBelongsToOthers() async throws {
        let harness = try await ServerHarness(.withPreviews.sendingLetters)
        let things = try await TestItems(harness)
        let bea = try await harness.token(of: harness.people.bea)
        for row in Self.rows where row.other == 404 {
            let foreign = try await row.send(things, bea, harness)
            let missing = try await row.send(things.missing, bea, harness)
            #expect(foreign.status == missing.status, "\(row.testDescription)")
            #expect(Self.telling(foreign) == Self.telling(missing), "\(row.testDescription)")
        }
        try await harness.stop()
    }

    /// All of a response but the time and the number of the request.
    private static func telling(_ response: RawHTTPResponse) -> [String] {
        let body = response.text.split(separator: ",").filter { !$0.contains("urn:fundmail:request") }
        return response.fields.filter { $0.name != "date" && $0.name != "content-length" }.map { "\($0)" }
            + body.map(String.init)
    }
}

extension AccessMatrixTests.Row {
    /// Asks for it, with its parameters from `things`.
    func send(_ things: TestItems, _ token: String?, _ harness: ServerHarness) async throws -> RawHTTPResponse {
        let target = "/api" + things.fill(path) + query
        guard let body else { return try await harness.send(method, target, token: token) }
        let isUpload = path.hasSuffix("/files") || path.hasSuffix("/content")
        var fields = ["Content-Type": isUpload ? "text/plain" : "application/json"]
        if path.hasSuffix("{upload}") {
            fields = ["Content-Type": "application/partial-upload", "Upload-Offset": "0", "Upload-Complete": "?1"]
        }
        return try await harness.send(
            method, target, token: token, fields: fields, body: Array(things.fill(body).utf8))
    }
}
