import FundCore
import FundStore
import HTTPTypes
import TestSupport
import Testing

@testable import FundServer

/// Every route of the pages, with every kind of caller, and with forms that our pages did not send.
struct PageMatrixTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var method: String
        var path: String
        var query = ""
        /// Fields of a form, behind its token; nil for a read.
        var form: String?
        /// For Ann, who owns what the path names; for Bea, who does not; without a session.
        var owner: Int
        var other: Int
        var stranger = 303
        /// For an administrator who owns nothing; nil is as for all others.
        var administrator: Int?

        var testDescription: String { "\(method) \(path)" }
    }

    private static func own(_ path: String, query: String = "") -> Row {
        Row(method: "GET", path: path, query: query, owner: 200, other: 404)
    }

    /// The own address of an item leads to the list that holds it.
    private static func leading(_ path: String) -> Row { Row(method: "GET", path: path, owner: 303, other: 404) }

    private static func personal(_ path: String) -> Row { Row(method: "GET", path: path, owner: 200, other: 200) }

    private static func act(_ path: String, _ form: String = "", _ owner: Int = 303, other: Int = 404) -> Row {
        Row(method: "POST", path: path, form: form, owner: owner, other: other)
    }

    /// Neither the owner of what the path names nor anybody else but an administrator.
    private static func office(_ path: String, query: String = "", _ administrator: Int = 200) -> Row {
        Row(method: "GET", path: path, query: query, owner: 403, other: 403, administrator: administrator)
    }

    private static func officeAct(_ path: String, _ form: String = "", _ administrator: Int = 303) -> Row {
        Row(method: "POST", path: path, form: form, owner: 403, other: 403, administrator: administrator)
    }

    /// A part of a form with a file; the part with the token stands before it.
    private static let contactForm =
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.vcf\"\r\n\r\n"
        + "BEGIN:VCARD\r\nFN:Dan\r\nEND:VCARD\r\n\r\n--b--\r\n"

    static let mostRows: [Row] = [
        Row(method: "GET", path: "/", owner: 303, other: 303),
        Row(method: "GET", path: "/sign-in", owner: 303, other: 303, stranger: 200),
        Row(
            method: "POST", path: "/sign-in", form: "username=ann%40example.com&password=\(BrowserSession.password)",
            owner: 303, other: 303),
        Row(method: "GET", path: "/sign-in/second", owner: 303, other: 303, stranger: 303),
        // Without a password before it. The address of the test's server is none that passkeys belong to.
        Row(method: "POST", path: "/sign-in/second", form: "code=123456", owner: 401, other: 401, stranger: 401),
        Row(method: "POST", path: "/sign-in/passkey", form: "credential=AA", owner: 401, other: 401, stranger: 401),
        Row(method: "POST", path: "/sign-in/passkey/challenge", form: "", owner: 404, other: 404, stranger: 404),
        act("/sign-out", other: 303),
        Row(method: "POST", path: "/account/look", form: "theme=dark", owner: 303, other: 303),
        personal("/library"),
        act("/library/funds", "name=New+%user%", other: 303),
        own("/library/funds/{fund}"),
        act("/library/funds/{fund}/folders", "name=Sub"),
        Row(
            method: "POST", path: "/library/funds/{fund}/upload", query: "?name=new.txt", form: "", owner: 201,
            other: 404),
        own("/library/uploads/{upload}"),
        Row(method: "PATCH", path: "/library/uploads/{upload}", form: "bytes", owner: 201, other: 404),
        Row(method: "DELETE", path: "/library/uploads/{upload}", form: "", owner: 204, other: 404),
        own("/library/funds/{fund}/zip"),
        act("/library/funds/{fund}/zip", "item-file-%file%=1", 200),
        leading("/library/files/{file}"),
        own("/library/files/{file}/content", query: "?inline=true"),
        own("/library/files/{file}/preview", query: "?size=480"),
        own("/library/files/{file}/preview/text"),
        own("/library/files/{file}/preview/waveform"),
        own("/library/trash/files/{file}/content", query: "?inline=true"),
        own("/library/trash/files/{file}/preview", query: "?size=480"),
        own("/library/trash/files/{file}/preview/text"),
        own("/library/trash/files/{file}/preview/waveform"),
        // The fund is there: `ArchivePageTests` has one that is archived.
        Row(method: "GET", path: "/library/archive/{fund}", owner: 404, other: 404),
        Row(method: "GET", path: "/library/archive/files/{file}/content", owner: 404, other: 404),
        Row(method: "GET", path: "/library/archive/files/{file}/preview", query: "?size=480", owner: 404, other: 404),
        Row(method: "GET", path: "/library/archive/files/{file}/preview/text", owner: 404, other: 404),
        Row(method: "GET", path: "/library/archive/files/{file}/preview/waveform", owner: 404, other: 404),
        own("/library/items/{type}/{id}"),
        act("/library/items/{type}/{id}/name", "name=Renamed"),
        act("/library/items/{type}/{id}/favourite", "on=1"),
        // Things of another are passed over like things that are gone.
        act("/library/move", "item-file-%file%=1", 200, other: 303),
        act("/library/place", "item-file-%file%=1&at=%second%"),
        act("/library/delete", "item-file-%file%=1", other: 303),
        act("/library/restore", "item-file-%file%=/restore", other: 303),
        own("/library/funds/{fund}/mail"),
        own("/library/funds/{fund}/all"),
        leading("/library/emails/{email}"),
        own("/library/emails/{email}/original"),
        // To its page, unless a frame asks for it.
        Row(method: "GET", path: "/library/emails/{email}/frame", owner: 303, other: 404),
        act("/library/emails/{email}/pictures"),
        // Without a target.
        Row(method: "GET", path: "/library/leaving", owner: 404, other: 404),
        own("/library/attachments/{attachment}"),
        own("/library/attachments/{attachment}/preview"),
        own("/library/funds/{fund}/notes"),
        own("/library/funds/{fund}/new-note"),
        act("/library/funds/{fund}/notes", "title=t&content=c"),
        leading("/library/notes/{note}"),
        act("/library/notes/{note}", "title=t&content=d&since=0", 409),
        own("/library/funds/{fund}/card"),
        own("/library/funds/{fund}/manage"),
        act("/library/funds/{fund}/aliases", "alias=Also+%fund%"),
        act("/library/funds/{fund}/aliases/remove", "alias=Also"),
        act("/library/funds/{fund}/archive"),
        personal("/library/favourites"),
        personal("/library/links"),
        own("/library/links/new", query: "?items=file-%file%"),
        act("/library/links", "items=file-%file%&days=7"),
        own("/library/links/{link}"),
        act("/library/links/{link}/revoke"),
        personal("/library/trash"),
        // With nothing in the trash there is nothing to be asked.
        Row(method: "GET", path: "/library/trash/empty", owner: 200, other: 303),
        personal("/library/archive"),
        personal("/library/latest"),
        act("/library/latest/seen", "upto=1", other: 303),
        personal("/library/search"),
        personal("/library/find"),
        Row(method: "GET", path: "/library/events", owner: 406, other: 406),
        personal("/library/sent"),
        own("/library/sent/{received}"),
        act("/library/sent/{received}/file", "fund=%fund%"),
        // Letters are off in the test's server: the page says so. `LetterPageTests` sends some.
        personal("/library/send"),
        act("/library/send", "act=send&to=bob%40example.org&item-file-%file%=1", 200, other: 200),
        act("/library/share", "item-file-%file%=1&act=send", other: 303),
        personal("/library/letters"),
        own("/library/letters/{letter}"),
        own("/library/letters/{letter}/files/{number}"),
        // It waits to be sent.
        act("/library/letters/{letter}/recipients/{number}/again"),
        act("/library/letters/{letter}/recipients/{number}/give-up"),
        act("/library/trash/empty", "", 200, other: 303),
        act("/library/trash/delete", "item-file-%file%=1", 200, other: 200),
        personal("/account"),
        personal("/account/devices"),
        personal("/account/profiles"),
        personal("/contacts/suggest"),
        personal("/library/contacts"),
        own("/library/contacts/{contact}"),
        act("/library/contacts/{contact}/delete"),
        // The list says that there is nothing to restore.
        act("/library/contacts/{contact}/restore", other: 303),
        personal("/library/contacts/new"),
        act("/library/contacts/new", "name=Dan&address-0=dan%40corp.example&address-0-kind=work", other: 303),
        own("/library/contacts/{contact}/edit"),
        // By a form of an earlier time.
        act("/library/contacts/{contact}/edit", "revision=0&name=Dan", 409),
        personal("/library/contacts/import"),
        act("/library/contacts/import", contactForm, other: 303),
        act("/library/contacts/import/take", other: 303),
        act("/library/contacts/import/discard", other: 303),
        personal("/library/contacts/export.vcf"),
        personal("/library/contacts/seen"),
        act("/library/contacts/seen", "address=eve%40corp.example", other: 303),
        personal("/library/news"),
        act("/library/news/read", "upto=1", other: 303),
        own("/library/funds/{fund}/news"),
        act("/library/funds/{fund}/news/read", "upto=1"),
        act("/library/news/items/{item}/star", "on=1"),
        act("/library/news/items/{item}/unread"),
        act("/library/news/items/{item}/keep", "as=note&fund=%fund%"),
        act("/library/news/items/{item}/pictures"),
        Row(method: "GET", path: "/library/news/items/{item}/frame", owner: 303, other: 404),
        personal("/library/news/feeds"),
        act("/library/news/feeds", "address=https%3A%2F%2Fnews%user%.example%2Ffeed", other: 303),
        own("/library/funds/{fund}/news/feeds"),
        act("/library/funds/{fund}/news/feeds", "address=news.example%2Ffund"),
        personal("/library/news/feeds.opml"),
        // A file of contacts is no list of feeds.
        act("/library/news/feeds/import", contactForm, 422, other: 422),
        own("/library/news/feeds/{feed}"),
        act("/library/news/feeds/{feed}", "name=Renamed"),
        act("/library/news/feeds/{feed}/remove"),
        // The test's server has no directory of a company.
        Row(method: "GET", path: "/library/contacts/company", owner: 404, other: 404),
        Row(
            method: "GET", path: "/account/profiles/Fundmail.mobileconfig", query: "?web_clip=true", owner: 200,
            other: 200),
        personal("/account/keys"),
        act("/account/receipts", "receipts=all", other: 303),
        act("/account/digests", "news=daily", other: 303),
        act("/account/password", "current=x&new=a+new+long+password&again=a+new+long+password", 422, other: 422),
        personal("/account/second-factor"),
        act("/account/second-factor/confirm", "current=x", 422, other: 422),
        act("/account/second-factor/challenge", "", 404),
        act("/account/second-factor/confirm-passkey", "credential=AA", 404),
        act("/account/recovery-codes", "", 409, other: 409),
        act("/account/passkeys/challenge", "", 404),
        act("/account/passkeys", "name=x", 404),
        act("/account/passkeys/{passkey}/name", "name=x", 404),
        act("/account/passkeys/{passkey}/remove", "", 404),
        act("/account/code-app", "", 200, other: 200),
        act("/account/code-app/confirm", "code=123456", other: 303),
        act("/account/code-app/remove", "", 404),
        act("/account/app-passwords", "label=rclone", 200, other: 200),
        act("/account/tokens/{token}/revoke"),
        act("/account/sessions/end", other: 303),
        office("/desk"),
        office("/desk/later"),
        office("/desk/causes/{message}"),
        office("/desk/messages/{message}"),
        // To its page, unless a frame asks for it.
        office("/desk/messages/{message}/frame", 303),
        office("/desk/messages/{message}/raw"),
        office("/desk/messages/{message}/files/{index}", 404),
        office("/desk/messages/{message}/files/{index}/preview", 404),
        office("/desk/messages/{message}/files/{index}/view", 404),
        office("/desk/events", 406),
        office("/desk/done"),
        office("/desk/learnt"),
        office("/desk/learnt/{lesson}"),
        officeAct("/desk/learnt/{lesson}/take-back"),
        office("/desk/rehearsal"),
        office("/desk/digest"),
        officeAct("/desk/choose", "message-%message%=1", 200),
        officeAct("/desk/acts", "message-%message%=1&kind=reject"),
        officeAct("/desk/acts/{act}/undo"),
        office("/office/audit", query: "?actor=ann&action=user"),
        office("/office/audit.csv"), office("/office/people"),
        officeAct("/office/people", "email=new%user%%40example.com&name=New"),
        office("/office/people/{user}"),
        officeAct("/office/people/{user}/name", "name=Renamed"),
        officeAct("/office/people/{user}/receipts", "receipts=mailbox"),
        officeAct("/office/people/{user}/digests", "news=hourly"),
        officeAct("/office/people/{user}/quota", "quota=own&gigabytes=5"),
        // None of theirs: `UnsubscribePageTests` has one.
        officeAct("/office/people/{user}/addresses/answer", "address=other%user%%40example.com&answer=on", 404),
        officeAct("/office/people/{user}/role", "role=administrator"),
        officeAct("/office/people/{user}/state", "state=disabled"),
        officeAct("/office/people/{user}/addresses", "address=more%user%%40example.com"),
        officeAct("/office/people/{user}/addresses/remove", "address=other%user%%40example.com"),
        officeAct("/office/people/{user}/sessions/end"),
        officeAct("/office/people/{user}/second-factor/remove"),
        // Without `public_url`: `PeoplePageTests` has links.
        officeAct("/office/people/{user}/reset", "", 409),
        office("/office/import"),
        officeAct("/office/import", "table=email%0Aimported%user%%40example.com&act=import"),
        office("/office/funds"),
        officeAct("/office/funds", "name=Of+Ann+%fund%&owner=ann%40example.com"),
        office("/office/funds/{fund}"),
        officeAct("/office/funds/{fund}/name", "name=Renamed+by+Root+%fund%"),
        officeAct("/office/funds/{fund}/give", "owner=ann%40example.com"),
        officeAct("/office/funds/{fund}/archive"),
        // A fund that is not archived: `PeoplePageTests` restores one.
        officeAct("/office/funds/{fund}/restore", "", 404),
        officeAct("/office/funds/{fund}/aliases", "alias=Also+%fund%"),
        officeAct("/office/funds/{fund}/aliases/remove", "alias=Also+%fund%"),
        Row(method: "GET", path: "/reset/{token}", owner: 404, other: 404, stranger: 404),
        Row(method: "POST", path: "/reset/{token}", form: "new=x&again=x", owner: 404, other: 404, stranger: 404),
        Row(method: "GET", path: "/unsubscribe/{token}", owner: 404, other: 404, stranger: 404),
        Row(method: "POST", path: "/unsubscribe/{token}", form: "x=y", owner: 404, other: 404, stranger: 404),
        office("/office/health", query: "?period=week"),
        office("/office/mailboxes", query: "?polled=funds"),
        officeAct("/office/mailboxes/{mailbox}/poll"),
        office("/office/news"),
        officeAct("/office/news/offered", "address=offered%user%.example%2Ffeed"),
        officeAct("/office/news/offered/{offer}/remove"),
        officeAct("/office/news/forbidden", "hosts=bad.example"),
        office("/office/quarantine"),
        officeAct("/office/quarantine/{sha256}/release"),
        office("/office/links"),
        officeAct("/office/links/{link}/revoke"),
        office("/office/outbox", query: "?state=waiting"),
        officeAct("/office/outbox/all", "act=retry"),
        office("/office/outbox/server"),
        // The test's server has no configuration.
        officeAct("/office/outbox/server", "scheme=smtps&host=h&from=a%40example.com", 409),
        office("/office/outbox/letters/{letter}"),
        officeAct("/office/outbox/letters/{letter}/retry"),
        officeAct("/office/outbox/letters/{letter}/drop"),
        office("/office/doctor"),
        officeAct("/office/doctor"),
        // There is an administrator.
        Row(method: "GET", path: "/setup", owner: 404, other: 404, stranger: 404),
        Row(method: "POST", path: "/setup", form: "code=x", owner: 404, other: 404, stranger: 404),
        office("/setup/person"),
        officeAct("/setup/person", "email=new%40example.com&fund=New"),
        office("/setup/done"),
        office("/office/mailboxes/new"),
        // The test's server has no configuration.
        officeAct("/office/mailboxes/new", "scheme=imaps&host=h&user=u&password=p", 409),
    ]

    /// A new route must say here who may call it.
    @Test
    func hasARowForEveryRoute() {
        let routes = Set(Pages.routes.map { "\($0.method.rawValue) \($0.path)" })
        #expect(routes.count == Pages.routes.count)
        #expect(Set(Self.rows.map(\.testDescription)) == routes)
        #expect(Self.rows.count == routes.count)
    }

    @Test
    func answersEveryCaller() async throws {
        let harness = try await ServerHarness(.withPreviews)
        let kept = (
            ann: try await BrowserSession(harness.people.ann, harness),
            bea: try await BrowserSession(harness.people.bea, harness)
        )
        var items = MatrixItems(harness)
        for row in Self.rows {
            let things = try await items.next(row.method)
            // Nothing in the library ends a session.
            let isOfLibrary = row.path.hasPrefix("/library")
            let bea = isOfLibrary ? kept.bea : try await BrowserSession(harness.people.bea, harness)
            let ann = isOfLibrary ? kept.ann : try await BrowserSession(harness.people.ann, harness)
            let stranger = try await row.send(things, nil, harness)
            #expect(stranger.status == row.stranger, "\(row.testDescription), nobody: \(stranger.text.prefix(300))")
            let other = try await row.send(things, bea, harness)
            #expect(other.status == row.other, "\(row.testDescription), other: \(other.text.suffix(900))")
            let owner = try await row.send(things, ann, harness)
            #expect(owner.status == row.owner, "\(row.testDescription), owner: \(owner.text.suffix(900))")
            guard let expected = row.administrator else { continue }
            let root = try await BrowserSession(harness.people.root, harness)
            let answer = try await row.send(things, root, harness)
            #expect(answer.status == expected, "\(row.testDescription), root: \(answer.text.suffix(900))")
            // A role that was taken away a moment ago.
            try await setAdministrator(false, harness)
            let former = try await row.send(things, root, harness)
            #expect(former.status == 403, "\(row.testDescription), no administrator any more")
            try await setAdministrator(true, harness)
        }
        try await harness.stop()
    }

    private func setAdministrator(_ isAdministrator: Bool, _ harness: ServerHarness) async throws {
        let row = UserImportRow(email: harness.people.root.email, isAdministrator: isAdministrator)
        _ = try await harness.store.administration.importUsers([row], actor: "test")
    }

    /// Things of another are left as they are.
    @Test
    func deletesNothingOfOthers() async throws {
        let harness = try await ServerHarness()
        let things = try await TestItems(harness)
        let bea = try await BrowserSession(harness.people.bea, harness)
        let answer = try await bea.post("/library/delete", things.fill("item-file-%file%=1"), harness)
        #expect(answer.status == 303)
        let ann = try await BrowserSession(harness.people.ann, harness)
        #expect(try await ann.get(things.fill("/library/files/{file}"), harness).status == 200)
        try await harness.stop()
    }

    /// No act without the token of a form of this session, and none that another site sends.
    @Test
    func refusesForeignForms() async throws {
        let harness = try await ServerHarness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        let bea = try await BrowserSession(harness.people.bea, harness)
        let things = try await TestItems(harness)
        let attacks: [(name: String, token: String?, fields: [String: String])] = [
            ("no token", nil, [:]), ("an empty token", "", [:]), ("another's token", bea.formToken, [:]),
            ("cut off", String(ann.formToken.dropLast()), [:]),
            ("another site", ann.formToken, ["Sec-Fetch-Site": "cross-site"]),
            ("a site beside", ann.formToken, ["Sec-Fetch-Site": "same-site"]),
            ("typed in", ann.formToken, ["Sec-Fetch-Site": "none"]),
            ("no origin", ann.formToken, ["Sec-Fetch-Site": "", "Origin": "null"]),
            ("a foreign origin", ann.formToken, ["Sec-Fetch-Site": "", "Origin": "http://evil.example"]),
            (
                "an origin that is no page", ann.formToken,
                ["Sec-Fetch-Site": "", "Origin": "evil://127.0.0.1:\(harness.port)"]
            ),
            ("nothing said", ann.formToken, ["Sec-Fetch-Site": ""]),
        ]
        for row in Self.rows
        where row.method != "GET" && !row.path.hasPrefix("/sign-in") && row.path != "/reset/{token}"
            && row.path != "/unsubscribe/{token}"
        {
            for attack in attacks where !(row.path == "/account/look" && attack.fields.isEmpty && attack.token == nil) {
                let answer = try await row.send(things, ann, harness, token: attack.token, attack.fields)
                #expect(answer.status == 403, "\(row.testDescription), \(attack.name): \(answer.status)")
            }
        }
        // A browser without fetch metadata says where the form is from.
        let answer = try await ann.post(
            "/library/funds", "name=Old+browser", harness,
            fields: ["Sec-Fetch-Site": "", "Origin": "http://127.0.0.1:\(harness.port)"])
        #expect(answer.status == 303)
        try await harness.stop()
    }
}
