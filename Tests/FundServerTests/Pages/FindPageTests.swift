import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// The list of the palette and of the search fields.
struct FindPageTests {
    private typealias Shelf = PageListTests.Shelf

    private static func addresses(_ page: RawHTTPResponse) -> [String] {
        PageListTests.addresses(/<a role="option"[^>]* href="([^"]*)"/, in: page)
    }

    @Test
    func findsFundsFilesPagesAndActs() async throws {
        let shelf = try await Shelf("Harbour Growth")
        let file = try await shelf.put("Growth pipeline.xlsx")
        while try await shelf.harness.store.maintenance.index.indexPending() > 0 {}
        let found = try await shelf.page("/library/find?q=growth")
        let addresses = Self.addresses(found)
        #expect(addresses.contains("/library/funds/\(shelf.fund)/all"))
        #expect(addresses.contains("/library/search?q=growth&open=f\(file.id)"))
        #expect(addresses.last == "/library/search?q=growth")
        // An excerpt of the name is not said twice.
        #expect(found.text.contains("<bdi><mark>Growth</mark> pipeline.xlsx</bdi>"))
        #expect(!found.text.contains("<small>"))
        #expect(found["content-security-policy"] != nil && !found.text.contains("<nav"))

        #expect(Self.addresses(try await shelf.page("/library/find?q=tras")).contains("/library/trash"))
        // English names are known on Chinese pages, too.
        let chinese = ["Cookie": "\(shelf.session.cookie); \(Language.cookie)=zh"]
        for word in ["Trash", "%E5%9B%9E%E6%94%B6%E7%AB%99"] {
            let page = try await shelf.harness.send("GET", "/library/find?q=\(word)", fields: chinese)
            #expect(Self.addresses(page).contains("/library/trash"), "\(word)")
        }
        #expect(try await shelf.page("/library/find?q=folder").text.contains(#"data-do="folder""#))
        #expect(try await shelf.page("/library/find?q=dark").text.contains(#"data-do="theme" value="dark""#))
        let empty = try await shelf.page("/library/find")
        #expect(empty.status == 200 && !empty.text.contains("/library/search"))
        try await shelf.harness.stop()
    }

    /// People and the office are for administrators, and another's things are not found.
    @Test
    func showsWhatOneMaySee() async throws {
        let shelf = try await Shelf("Secret Growth")
        let other = try await BrowserSession(shelf.harness.people.bea, shelf.harness)
        let foreign = try await other.get("/library/find?q=secret", shelf.harness)
        #expect(Self.addresses(foreign) == ["/library/search?q=secret"])
        for word in ["ann", "audit", "desk"] {
            let page = try await other.get("/library/find?q=\(word)", shelf.harness)
            #expect(!page.text.contains("/office/") && !page.text.contains("\"/desk\""), "\(word)")
        }
        #expect(try await shelf.harness.send("GET", "/library/find?q=a").status == 303)
        try await shelf.harness.stop()
    }
}
