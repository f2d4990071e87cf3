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

    /// A letter that a person wrote stands with that person, and one that was given up needs no look any more.
    @Test
    func marksLettersThatDidNotGoOut() async throws {
        let mark = "aria-label=\"a letter did not go out\""
        let harness = try await ServerHarness(ServerHarness.Options().sendingLetters)
        let (people, library) = (harness.people, harness.store.library)
        let items = try await library.children(of: LibraryPlace(fund: people.fund.id), of: people.ann.id)
        let file = try #require(items.compactMap { if case .file(let file) = $0 { file.id } else { nil } }.first)
        _ = try await harness.writtenLetter(.file(file))
        let letter = try harness.letter(.failed, note: "550 no")
        let root = try await BrowserSession(harness.people.root, harness)
        let page = try await root.get("/library", harness).text
        #expect(page.split(separator: mark, omittingEmptySubsequences: false).count == 3)
        let ann = try await BrowserSession(harness.people.ann, harness)
        #expect(try await !ann.get("/library", harness).text.contains(mark))
        let token = try await harness.token(of: harness.people.root)
        let drop = try await harness.send("POST", "/api/v1/admin/outbox/\(letter)/drop", token: token)
        #expect(drop.status == 200)
        #expect(try await !root.get("/library", harness).text.contains(mark))
        try await harness.stop()
    }
}
