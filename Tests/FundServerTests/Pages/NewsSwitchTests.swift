import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// News that is turned off, and on again.
struct NewsSwitchTests {
    /// Without it a route would stay when news is turned off.
    @Test func everyRouteOfNewsSaysSo() {
        let calls = WebAPI.routes.map { ($0.path, $0.isOfNews) }
        for (path, isOfNews) in calls + Pages.routes.map({ ($0.path, $0.isOfNews) }) {
            #expect(isOfNews == path.split(separator: "/").contains("news"), "\(path)")
        }
    }

    @Test func newsThatIsOffIsNotThere() async throws {
        let isOn = Mutex(true)
        var options = ServerHarness.Options()
        options.newsIsOn = { isOn.withLock { $0 } }
        let harness = try await ServerHarness(options)
        let (news, root, fund) = (harness.store.news, harness.people.root, harness.people.fund.id)
        let session = try await BrowserSession(root, harness)
        let ann = try await BrowserSession(harness.people.ann, harness)
        let sample = try await news.addSample("https://news.example/feed", of: root.id)
        _ = try await news.addSample("https://news.example/feed", to: .fund(fund), of: harness.people.ann.id)
        while try await news.indexNews() > 0 {}
        let token = try await harness.token(of: root)
        func statuses() async throws -> [UInt] {
            var found: [UInt] = []
            for path in [
                "/library/news", "/library/news?open=w\(sample.items[0])", "/library/news/feeds", "/office/news",
            ] {
                found.append(UInt(try await session.get(path, harness).status))
            }
            found.append(UInt(try await ann.get("/library/funds/\(fund)/news", harness).status))
            for path in ["", "/search?q=words", "/items/\(sample.items[0])", "/feeds"] {
                found.append(UInt(try await harness.send("GET", "/api/v1/news\(path)", token: token).status))
            }
            return found
        }
        func mentions() async throws -> Bool {
            var pages = ""
            for path in [
                "/library", "/library/latest", "/library/search?q=words", "/library/find?q=news", "/office/people",
            ] {
                let page = try await session.get(path, harness)
                #expect(page.status == 200)
                pages += page.text
            }
            pages += try await ann.get("/library/funds/\(fund)", harness).text
            return pages.contains("/news") || pages.contains("value=\"news\"")
        }
        #expect(try await Set(statuses()) == [200])
        #expect(try await mentions())
        isOn.withLock { $0 = false }
        #expect(try await Set(statuses()) == [404])
        #expect(try await !mentions())
        let refused = try await harness.send("GET", "/api/v1/news", token: token)
        #expect(refused.text.contains("news-off"), "\(refused.text)")
        #expect(try await session.get("/library/news", harness).text.contains("News is turned off"))
        #expect(try await session.get("/library/search?q=words&type=news", harness).status == 200)
        isOn.withLock { $0 = true }
        #expect(try await Set(statuses()) == [200])
        try await harness.stop()
    }
}
