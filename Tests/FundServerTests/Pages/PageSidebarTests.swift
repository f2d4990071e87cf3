import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

/// The shell around the pages: one sidebar for everybody who is signed in, the office for administrators alone.
struct PageSidebarTests {
    @Test
    func everyPageHasTheShell() async throws {
        let harness = try await ServerHarness()
        let fund = harness.people.fund.id
        let ann = try await BrowserSession(harness.people.ann, harness)
        for path in [
            "/library", "/library/latest", "/library/archive", "/library/favourites", "/library/sent", "/library/trash",
            "/library/search", "/account",
            "/library/funds/\(fund)", "/library/funds/\(fund)/mail", "/library/funds/\(fund)/notes",
            "/library/funds/\(fund)/manage", "/library/funds/\(fund)/new-note",
        ] {
            let page = try await ann.get(path, harness).text
            #expect(page.contains("<nav class=\"side\"") && page.contains("<nav class=\"tabbar\""), "\(path)")
            #expect(page.contains("action=\"/library/search\" role=\"search\""), "\(path)")
            #expect(!page.contains("href=\"/office/audit\""), "\(path)")
        }
        // Without a session there is one column.
        let stranger = try await harness.send("GET", "/sign-in")
        #expect(stranger.status == 200 && !stranger.text.contains("class=\"side\""))
        try await harness.stop()
    }

    /// A page that the sidebar does not have leaves no link that looks like its own.
    @Test
    func saysWhereOneIs() async throws {
        let harness = try await ServerHarness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        let fund = harness.people.fund.id
        let here = "<a class=\"fund\" href=\"/library/funds/\(fund)/all\" aria-current=\"page\">"
        #expect(try await ann.get("/library/funds/\(fund)", harness).text.contains(here))
        let trash = try await ann.get("/library/trash", harness).text
        #expect(!trash.contains(here) && trash.contains("href=\"/library/trash\" aria-current=\"page\""))
        try await harness.stop()
    }
}
