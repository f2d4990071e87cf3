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
        personal("POST", "/v1/routing/test", #"{"subject":"[Fund1] report"}"#),
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
        let harness = try await ServerHarness(.withPreviews)
        let people = harness.people
        let expired = try await harness.token(of: people.ann, issuedAt: 1_000_000_000)
        let disabled = try await harness.beforeDisabling(people.dan) { try await harness.token(of: people.dan) }
        for row in Self.rows {
            let things = try await TestItems(harness)
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
            await things.removeUpload(harness)
        }
        try await harness.stop()
    }

    /// Things of another answer, byte for byte, like things that do not exist.
    @Test
    func hidesWhatBelongsToOthers() async throws {
        let harness = try await ServerHarness(.withPreviews)
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

/// One of each kind of thing that Ann has, and one of each that she deleted.
struct TestItems: Sendable {
    private var there: [String: Int64] = [:]
    private var deleted: [String: Int64] = [:]
    /// In quarantine, and no file of hers.
    private let infected: ContentDigest
    /// Begun by her, without a byte.
    private var upload: UploadKey

    init(_ harness: ServerHarness) async throws {
        let (store, ann) = (harness.store, harness.people.ann)
        let name = DiskDirectory.uniqueName(prefix: "")
        let fund = Fund(id: try await store.library.addFund("Fund \(name)", of: ann.id).id, owner: ann.id, name: "Fund")
        let place = LibraryPlace(fund: fund.id)
        func message(_ text: String, _ parts: [TestPeople.Part], in fund: Fund?) async throws -> StoredMessage {
            try await TestPeople.file("\(text) \(name)", parts, in: fund, of: ann, store)
        }
        func note() async throws -> NoteEntry.ID {
            let note = try await store.library.addNote(NoteText(title: "t", content: "c"), in: fund.id, of: ann.id)
            return note.id
        }
        func folder(_ name: String) async throws -> FolderEntry.ID {
            let folder = try await store.library.addFolder(name, in: place, of: ann.id)
            return folder.id
        }
        func emptyFund(_ name: String) async throws -> Fund.ID {
            let fund = try await store.library.addFund(name, of: ann.id)
            return fund.id
        }
        let email = try #require(try await message("mail", harness.people.parts, in: fund).emailID)
        let attachments = try await store.library.email(email, of: ann.id).attachments
        try await store.library.setFavourite(true, .email(email), of: ann.id)
        let files = try await store.library.children(of: place, of: ann.id).compactMap { item -> FileEntry.ID? in
            if case .file(let file) = item { file.id } else { nil }
        }
        let order = UploadOrder(
            .file(FileTarget("upload", in: place, ifTaken: .number)), contentType: "text/plain", length: nil)
        upload = try await store.library.beginUpload(order, of: ann.id).key
        infected = .of(Array(name.utf8))
        try await store.quarantine.quarantine(infected, malware: "Test.Malware", at: .now)
        let token = try await Accounts(store: store.accounts).addAppPassword(
            "app", for: ann, at: 1_700_000_000, actor: "test")
        let user = try await store.administration.addUser(
            email: "user\(name)@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test")
        let desk = store.administration
        let kept = try #require(try await message("put off", [], in: nil).misrouteID)
        let act = try await desk.begin(.later, about: .init(), actor: "test")
        try await desk.putOff(kept, until: nil, in: act, actor: "test")
        _ = try await desk.learn(.alias("Alias \(name)", of: fund.id), from: kept, in: act, actor: "test")
        let learnt = try #require(try await desk.learnt(PageQuery(limit: 1)).items.first)
        let waiting = try #require(try await message("kept", [], in: nil).misrouteID)
        let received = try await store.library.received(of: ann.id, PageQuery(limit: PageQuery.maxLimit)).items
        there = [
            "act": act.rawValue, "lesson": learnt.id.rawValue, "fund": fund.id.rawValue,
            "folder": try await folder("Folder").rawValue, "file": files[0].rawValue,
            "email": email.rawValue, "attachment": attachments[0].id.rawValue, "note": try await note().rawValue,
            "token": token.record.id.rawValue, "user": user.id.rawValue,
            "message": waiting.rawValue,
            "received": try #require(received.first { $0.subject?.contains("kept \(name)") == true }).id.rawValue,
            "index": 0, "id": files[0].rawValue, "second": try await emptyFund("Second \(name)").rawValue,
        ]
        deleted = [
            "fund": try await emptyFund("Gone \(name)").rawValue, "folder": try await folder("Gone").rawValue,
            "file": files[1].rawValue, "email": try #require(try await message("gone", [], in: fund).emailID).rawValue,
            "note": try await note().rawValue,
        ]
        for (kind, id) in deleted {
            switch kind {
            case "fund": try await store.library.deleteFund(.init(id), of: ann.id)
            case "folder": try await store.library.delete(.folder(.init(id)), of: ann.id)
            case "file": try await store.library.delete(.file(.init(id)), of: ann.id)
            case "note": try await store.library.deleteNote(.init(id), unlessChangedSince: nil, of: ann.id)
            default: try await store.library.deleteEmail(.init(id), of: ann.id)
            }
        }
        deleted["id"] = files[1].rawValue
    }

    /// A user has so many uploads at most.
    func removeUpload(_ harness: ServerHarness) async {
        try? await harness.store.library.removeUpload(upload, open: nil, of: harness.people.ann.id)
    }

    /// Items of all kinds, none of which exists.
    var missing: TestItems {
        var things = self
        things.there = there.mapValues { $0 + 1_000_000 }
        things.deleted = deleted.mapValues { $0 + 1_000_000 }
        things.upload = .random()
        return things
    }

    func fill(_ text: String) -> String {
        let values = text.hasSuffix("/restore") || text.contains("/trash/") ? deleted : there
        let start = text.replacing("{type}", with: "file").replacing("{mailbox}", with: "funds")
            .replacing("{sha256}", with: infected.hex).replacing("{upload}", with: upload.text)
        return values.reduce(start) { text, value in
            text.replacing("{\(value.key)}", with: "\(value.value)").replacing("%\(value.key)%", with: "\(value.value)")
        }
    }
}
