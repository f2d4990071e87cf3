internal import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// People and funds, as administrators change them.
struct PeoplePageTests {
    @Test
    func addsAndChangesPeople() async throws {
        let harness = try await ServerHarness()
        let root = try await BrowserSession(harness.people.root, harness)
        let added = try await root.post("/office/people", "email=new%40example.com&name=New&role=user", harness)
        let page = try #require(added["location"]?.split(separator: "?").first.map(String.init))
        #expect(added.status == 303)
        let taken = try await root.post("/office/people", "email=NEW%40example.com&name=%3Cb%3E", harness)
        #expect(taken.status == 409 && taken.text.contains("belongs to another person"))
        #expect(taken.text.contains(#"value="&lt;b&gt;""#) && taken.text.contains(#"value="NEW@example.com""#))
        #expect(try await root.post("/office/people", "email=nonsense", harness).status == 400)
        #expect(try await root.post(page + "/addresses", "address=two%40example.com", harness).status == 303)
        #expect(try await root.post(page + "/addresses", "address=ann%40example.com", harness).status == 409)
        let shown = try await root.get(page, harness)
        #expect(shown.text.contains("two@example.com"))
        #expect(try await root.post(page + "/addresses/remove", "address=two%40example.com", harness).status == 303)
        // The address that names them.
        #expect(try await root.post(page + "/addresses/remove", "address=new%40example.com", harness).status == 400)
        let list = try await root.get("/office/people?q=NEW", harness)
        #expect(list.text.contains("1 person") && !list.text.contains("ann@example.com"))
        try await harness.stop()
    }

    @Test
    func leavesOneAdministrator() async throws {
        let harness = try await ServerHarness()
        let root = try await BrowserSession(harness.people.root, harness)
        let own = "/office/people/\(harness.people.root.id)"
        #expect(try await root.post(own + "/role", "role=user", harness).status == 409)
        #expect(try await root.post(own + "/state", "state=disabled", harness).status == 409)
        #expect(!(try await root.get(own, harness)).text.contains("/role"))
        let ann = "/office/people/\(harness.people.ann.id)"
        #expect(try await root.get(ann, harness).text.contains("Make administrator"))
        #expect(try await root.post(ann + "/role", "role=administrator", harness).status == 303)
        #expect(try await root.get(ann, harness).text.contains("Take the role away"))
        let second = try await BrowserSession(harness.people.ann, harness)
        #expect(try await second.get(own, harness).status == 200)
        #expect(try await second.post(own + "/role", "role=user", harness).status == 303)
        // Whose role is gone sees nothing more.
        #expect(try await root.get(ann, harness).status == 403)
        #expect(try await root.post(ann + "/role", "role=user", harness).status == 403)
        try await harness.stop()
    }

    /// The link works once, without a session, and signs the person out everywhere.
    @Test
    func setsAPasswordByALink() async throws {
        var options = ServerHarness.Options()
        options.settings.publicURL = "https://funds.corp.example"
        let harness = try await ServerHarness(options)
        let root = try await BrowserSession(harness.people.root, harness)
        let ann = try await BrowserSession(harness.people.ann, harness)
        let made = try await root.post("/office/people/\(harness.people.ann.id)/reset", "", harness)
        #expect(made.status == 200 && made["cache-control"] == "no-store")
        #expect(made.text.contains("https://funds.corp.example/reset/"))
        let start = try #require(made.text.range(of: "/reset/"))
        // The form of the page has such a path, too: the link is the one with characters behind it.
        let links = made.text[start.lowerBound...].split(separator: "/reset/").map {
            $0.prefix { $0 != "<" && $0 != "\"" }
        }
        let link = "/reset/" + (try #require(links.first { $0.utf8.count == 43 }))
        for _ in 0..<2 { #expect(try await harness.send("GET", link).text.contains("ann@example.com")) }
        func set(_ form: String) async throws -> RawHTTPResponse {
            try await harness.send("POST", link, fields: BrowserSession.ownForm, body: Array(form.utf8))
        }
        #expect(try await set("new=short&again=short").status == 422)
        #expect(try await set("new=a+new+long+password&again=another+one").status == 422)
        let foreign = try await harness.send(
            "POST", link, fields: BrowserSession.ownForm.merging(["Sec-Fetch-Site": "cross-site"]) { $1 },
            body: Array("new=a+new+long+password&again=a+new+long+password".utf8))
        #expect(foreign.status == 403)
        #expect(try await ann.get("/library", harness).status == 200)
        let done = try await set("new=a+new+long+password&again=a+new+long+password")
        #expect(done.status == 303 && done["location"] == "/sign-in?done=reset")
        #expect(try await ann.get("/library", harness).status == 303)
        #expect(try await set("new=b+new+long+password&again=b+new+long+password").status == 404)
        #expect(try await harness.send("GET", link).status == 404)
        let login = try await harness.send(
            "POST", "/api/v1/session", json: #"{"username":"ann@example.com","password":"a new long password"}"#)
        #expect(login.status == 201)
        let disabled = try await root.post("/office/people/\(harness.people.dan.id)/reset", "", harness)
        #expect(disabled.status == 409 && disabled.text.contains("This person is disabled."))
        try await harness.stop()
    }

    /// The name that a request has for this server is its sender's: no link begins with it.
    @Test
    func makesLinksOnlyWithItsAddress() async throws {
        let harness = try await ServerHarness()
        let root = try await BrowserSession(harness.people.root, harness)
        let page = try await root.post("/office/people/\(harness.people.ann.id)/reset", "", harness)
        #expect(page.status == 409 && page.text.contains("set public_url in fundmail.yaml"))
        #expect(page.text.firstMatch(of: /\/reset\/[A-Za-z0-9_-]{43}/) == nil)
        try await harness.stop()
    }

    /// A preview changes nothing, and neither does a table with a mistake.
    @Test
    func importsATable() async throws {
        let harness = try await ServerHarness()
        let root = try await BrowserSession(harness.people.root, harness)
        let table = "table=email;name;funds;shoe%0Aeve%40example.com;%3Cb%3EEve;Eve's%0Aann%40example.com;Ann;Fund1"
        let preview = try await root.post("/office/import", table + "&act=preview", harness)
        #expect(preview.status == 200 && preview.text.contains("1 person would be added or changed."))
        #expect(preview.text.contains("<bdi>shoe</bdi>") && preview.text.contains("&lt;b&gt;Eve"))
        #expect(try await harness.store.administration.countUsers(matching: "eve") == 0)
        for wrong in ["email%0Anonsense", "name%0AEve", "email,admin%0Aroot%40example.com,no"] {
            let answer = try await root.post("/office/import", "table=\(wrong)&act=import", harness)
            #expect(answer.status == 422, "\(wrong)")
        }
        #expect(try await root.post("/office/import", table + "&act=import", harness).status == 303)
        #expect(try await harness.store.administration.countUsers(matching: "eve") == 1)
        #expect(try await harness.store.administration.user(harness.people.root.id).user.isAdministrator)
        try await harness.stop()
    }

    @Test
    func addsAndChangesFunds() async throws {
        let harness = try await ServerHarness()
        let root = try await BrowserSession(harness.people.root, harness)
        let added = try await root.post("/office/funds", "name=New&owner=BEA%40example.com", harness)
        let page = try #require(added["location"]?.split(separator: "?").first.map(String.init))
        #expect(try await root.post("/office/funds", "name=new&owner=bea%40example.com", harness).status == 409)
        let unknown = try await root.post("/office/funds", "name=x&owner=nobody%40example.com", harness)
        #expect(unknown.status == 404 && unknown.text.contains("There is no person with this address."))
        #expect(try await root.post("/office/funds", "name=%5Bx%5D&owner=bea%40example.com", harness).status == 400)
        #expect(try await root.post(page + "/name", "name=Other", harness).status == 409)
        #expect(try await root.post(page + "/name", "name=Newer", harness).status == 303)
        #expect(try await root.get(page, harness).text.contains("<bdi>Newer</bdi>"))
        #expect(try await root.post(page + "/archive", "", harness).status == 303)
        // It is opened, to be restored, and nothing else of it is changed.
        let archived = try await root.get(page, harness)
        #expect(archived.status == 200 && archived.text.contains("\(page)/restore"))
        #expect(!archived.text.contains("\(page)/name") && !archived.text.contains("\(page)/aliases"))
        for (act, fields) in [("name", "name=x"), ("aliases", "alias=x"), ("archive", "")] {
            #expect(try await root.post("\(page)/\(act)", fields, harness).status == 404, "\(act)")
        }
        #expect(!(try await root.get("/office/funds?q=newer", harness)).text.contains("<bdi>Newer</bdi>"))
        #expect(try await root.get("/office/funds?q=newer&archived=1", harness).text.contains("href=\"\(page)\""))
        // Another took its name meanwhile: it says what it is called now.
        #expect(try await root.post("/office/funds", "name=Newer&owner=bea%40example.com", harness).status == 303)
        let restored = try #require(try await root.post(page + "/restore", "", harness)["location"])
        let said = Words(language: .en)("restored.as", "\u{2068}Newer(1)\u{2069}")
        #expect(try await root.get(restored, harness).text.contains(said))
        #expect(try await root.post(page + "/restore", "", harness).status == 404)
        #expect(try await root.post(page + "/aliases", "alias=NWR", harness).status == 303)
        #expect(try await root.post(page + "/aliases", "alias=%5Bx%5D", harness).status == 400)
        #expect(try await root.get(page, harness).text.contains("value=\"NWR\""))
        #expect(try await root.post(page + "/aliases/remove", "alias=NWR", harness).status == 303)
        #expect(!(try await root.get(page, harness)).text.contains("value=\"NWR\""))
        try await harness.stop()
    }
}
