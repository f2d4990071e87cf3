import FundCore
import FundStore
import Foundation
import TestSupport
import Testing

@testable import FundServer

/// Address books as devices ask for them: requests in the form of iOS and DAVx5.
struct CardDAVTests {
    private static func request(
        _ harness: DAVHarness, _ method: String, _ path: String, depth: String? = nil, _ body: String = "",
        fields: [String: String] = [:]
    ) async throws -> RawHTTPResponse {
        var all = [
            "Authorization": DAVHarness.basic(harness.ann.email, harness.password),
            "Host": "127.0.0.1:\(harness.server.port)", "Content-Type": "text/xml",
            "Content-Length": "\(body.utf8.count)",
        ].merging(fields) { $1 }
        all["Depth"] = depth
        let head = all.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)\r\n" }.joined()
        return try #require(
            try await harness.server.raw(
                "\(method) \(path) HTTP/1.1\r\n\(head)\r\n\(body)", hasBody: method != "HEAD"))
    }

    private static let namespaces =
        #"xmlns:A="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav" xmlns:S="http://calendarserver.org/ns/""#

    private static func propfind(_ properties: String) -> String {
        #"<?xml version="1.0"?><A:propfind \#(namespaces)><A:prop>\#(properties)</A:prop></A:propfind>"#
    }

    private static func add(_ name: String, _ address: String, to harness: DAVHarness) async throws -> Contact {
        try await harness.store.contacts.addContact(
            ContactCard(name: name, addresses: [ContactEntry(address)]), of: harness.ann.id)
    }

    /// The way from the name of the server to an address book.
    @Test
    func isDiscovered() async throws {
        let harness = try await DAVHarness()
        let known = try await Self.request(
            harness, "PROPFIND", "/.well-known/carddav", depth: "0", fields: ["Authorization": ""])
        #expect(known.status == 301 && known["location"] == "/carddav/")
        let stranger = try await Self.request(harness, "PROPFIND", "/carddav/", fields: ["Authorization": ""])
        #expect(stranger.status == 401 && stranger["www-authenticate"]?.hasPrefix("Basic") == true)
        let root = try await Self.request(
            harness, "PROPFIND", "/carddav/", depth: "0",
            Self.propfind("<A:current-user-principal/><A:principal-URL/><A:resourcetype/><S:nothing/>"))
        #expect(root.status == 207 && root.text.contains("<D:href>/carddav/principal/</D:href>"))
        #expect(root.text.contains("404 Not Found"))
        let principal = try await Self.request(
            harness, "PROPFIND", "/carddav/principal/", depth: "0",
            Self.propfind("<C:addressbook-home-set/><A:displayname/><A:resourcetype/>"))
        #expect(principal.text.contains("<C:addressbook-home-set><D:href>/carddav/</D:href></C:addressbook-home-set>"))
        let home = try await Self.request(
            harness, "PROPFIND", "/carddav/", depth: "1",
            Self.propfind("<A:resourcetype/><A:displayname/><S:getctag/><A:sync-token/><A:supported-report-set/>"))
        #expect(home.text.contains("<D:href>/carddav/own/</D:href>") && home.text.contains("<C:addressbook/>"))
        #expect(!home.text.contains("/carddav/company/"))
        let options = try await Self.request(harness, "OPTIONS", "/carddav/own/")
        #expect(options["dav"] == "1, 3, addressbook" && options["allow"]?.contains("REPORT") == true)
        try await harness.server.stop()
    }

    @Test
    func readsCards() async throws {
        let harness = try await DAVHarness()
        let cleo = try await Self.add("Cleo <b>&", "cleo@x.example", to: harness)
        _ = try await Self.add("Dan", "dan@y.example", to: harness)
        let list = try await Self.request(
            harness, "PROPFIND", "/carddav/own/", depth: "1", Self.propfind("<A:getetag/><A:getcontenttype/>"))
        #expect(list.status == 207 && list.text.contains("<D:href>/carddav/own/\(cleo.id).vcf</D:href>"))
        let card = try await Self.request(harness, "GET", "/carddav/own/\(cleo.id).vcf")
        #expect(card.status == 200 && card.text.contains("\r\nFN:Cleo <b>&\r\n"))
        let tag = try #require(card["etag"])
        #expect(list.text.contains("<D:getetag>\(tag.replacing("\"", with: "\""))</D:getetag>"))
        let same = try await Self.request(
            harness, "GET", "/carddav/own/\(cleo.id).vcf", fields: ["If-None-Match": tag])
        #expect(same.status == 304)
        let multiget = try await Self.request(
            harness, "REPORT", "/carddav/own/", depth: "1",
            "<C:addressbook-multiget \(Self.namespaces)><A:prop><A:getetag/><C:address-data version=\"4.0\" "
                + "content-type=\"text/vcard\"/></A:prop><A:href>/carddav/own/\(cleo.id).vcf</A:href>"
                + "<A:href>/carddav/own/999999.vcf</A:href></C:addressbook-multiget>")
        #expect(multiget.text.contains("VERSION:4.0") && multiget.text.contains("FN:Cleo &lt;b&gt;&amp;"))
        #expect(multiget.text.contains("/carddav/own/999999.vcf") && multiget.text.contains("404 Not Found"))
        for (property, match, type, isFound) in [
            ("FN", "cle", "starts-with", true), ("EMAIL", "X.EXAMPLE", "contains", true),
            ("EMAIL", "cleo", "equals", false), ("NICKNAME", "cleo", "contains", false),
        ] {
            let query = try await Self.request(
                harness, "REPORT", "/carddav/own/", depth: "1",
                "<C:addressbook-query \(Self.namespaces)><A:prop><A:getetag/></A:prop><C:filter test=\"anyof\">"
                    + "<C:prop-filter name=\"\(property)\"><C:text-match collation=\"i;unicode-casemap\" "
                    + "match-type=\"\(type)\">\(match)</C:text-match></C:prop-filter></C:filter></C:addressbook-query>")
            #expect(query.status == 207 && query.text.contains("/\(cleo.id).vcf") == isFound, "\(property) \(match)")
        }
        try await harness.server.stop()
    }

    /// Some clients name all cards at once.
    @Test
    func givesManyCardsAtOnce() async throws {
        let harness = try await DAVHarness()
        let cleo = try await Self.add("Cleo", "cleo@x.example", to: harness)
        let hrefs = (1...6000).map { "<A:href>/carddav/own/\($0 + 1_000_000).vcf</A:href>" }.joined()
        let answer = try await Self.request(
            harness, "REPORT", "/carddav/own/", depth: "1",
            "<C:addressbook-multiget \(Self.namespaces)><A:prop><A:getetag/></A:prop>\(hrefs)"
                + String(repeating: "<A:href>/carddav/own/\(cleo.id).vcf</A:href>", count: 3)
                + "</C:addressbook-multiget>")
        #expect(answer.status == 207)
        // Each once.
        #expect(answer.text.components(separatedBy: "/carddav/own/\(cleo.id).vcf").count == 2)
        let match = "<C:text-match>x</C:text-match>"
        for (filters, matches, status) in [(32, 1, 207), (33, 1, 400), (1, 33, 400), (16, 3, 400)] {
            let filter = "<C:prop-filter name=\"FN\">\(String(repeating: match, count: matches))</C:prop-filter>"
            let query = try await Self.request(
                harness, "REPORT", "/carddav/own/", depth: "1",
                "<C:addressbook-query \(Self.namespaces)><A:prop><A:getetag/></A:prop><C:filter>"
                    + "\(String(repeating: filter, count: filters))</C:filter></C:addressbook-query>")
            #expect(query.status == status, "\(filters) × \(matches)")
        }
        try await harness.server.stop()
    }

    @Test
    func tellsWhatChanged() async throws {
        let harness = try await DAVHarness()
        let cleo = try await Self.add("Cleo", "cleo@x.example", to: harness)
        func sync(_ token: String) async throws -> RawHTTPResponse {
            try await Self.request(
                harness, "REPORT", "/carddav/own/",
                "<A:sync-collection \(Self.namespaces)><A:sync-token>\(token)</A:sync-token><A:sync-level>1"
                    + "</A:sync-level><A:prop><A:getetag/></A:prop></A:sync-collection>")
        }
        func token(_ response: RawHTTPResponse) throws -> String {
            let parts = response.text.components(separatedBy: "<D:sync-token>")
            return try #require(parts.last?.components(separatedBy: "</D:sync-token>").first)
        }
        let first = try await sync("")
        #expect(first.text.contains("/\(cleo.id).vcf"))
        let dan = try await Self.add("Dan", "dan@y.example", to: harness)
        try await harness.store.contacts.deleteContacts([cleo.id], of: harness.ann.id)
        let second = try await sync(try token(first))
        #expect(second.text.contains("/\(dan.id).vcf") && second.text.contains("404 Not Found"))
        let third = try await sync(try token(second))
        #expect(!third.text.contains(".vcf"))
        for wrong in ["urn:fundmail:contacts:1:1", "http://other.example/1"] {
            let answer = try await sync(wrong)
            #expect(answer.status == 403 && answer.text.contains("valid-sync-token"))
        }
        try await harness.server.stop()
    }

    /// Nothing is written here, nothing of another user is read, and no fund is out of reach.
    @Test
    func keepsToItsPlace() async throws {
        let harness = try await DAVHarness()
        let root = harness.server.people.root
        let theirs = try await harness.store.contacts.addContact(ContactCard(name: "Theirs"), of: root.id)
        let cleo = try await Self.add("Cleo", "cleo@x.example", to: harness)
        #expect(try await Self.request(harness, "GET", "/carddav/own/\(theirs.id).vcf").status == 404)
        for method in ["PUT", "DELETE", "PROPPATCH", "MKCOL", "MOVE", "COPY", "LOCK"] {
            let answer = try await Self.request(harness, method, "/carddav/own/\(cleo.id).vcf", "x")
            #expect(answer.status == 403, "\(method)")
        }
        for path in ["/carddav/own/../own/", "/carddav/own/x", "/carddav/company/", "/carddav/own/0.vcf"] {
            #expect(try await Self.request(harness, "PROPFIND", path, depth: "0").status >= 400, "\(path)")
        }
        let bomb = "<!DOCTYPE x [<!ENTITY a \"b\">]><A:propfind \(Self.namespaces)><A:prop/></A:propfind>"
        #expect(try await Self.request(harness, "PROPFIND", "/carddav/", depth: "0", bomb).status == 400)
        // By its other name, until there is a fund of that name.
        let alias = try await Self.request(harness, "PROPFIND", "/dav/contacts/", depth: "1")
        #expect(alias.status == 207 && alias.text.contains("<D:href>/dav/contacts/own/</D:href>"))
        let report =
            "<C:addressbook-query \(Self.namespaces)><A:prop><A:getetag/></A:prop></C:addressbook-query>"
        let query = try await Self.request(harness, "REPORT", "/dav/contacts/own/", depth: "1", report)
        #expect(query.status == 207 && query.text.contains("/dav/contacts/own/\(cleo.id).vcf"))
        #expect(try await harness.status("MKCOL", "contacts/") == 201)
        #expect(try await harness.status("PUT", "contacts/a.txt", [:], "text") == 201)
        let fund = try await Self.request(harness, "PROPFIND", "/dav/contacts/", depth: "1")
        #expect(fund.text.contains("/dav/contacts/a.txt") && !fund.text.contains("addressbook"))
        #expect(try await Self.request(harness, "REPORT", "/dav/contacts/own/", report).status == 405)
        #expect(try await Self.request(harness, "GET", "/carddav/own/\(cleo.id).vcf").status == 200)
        try await harness.server.stop()
    }
}
