import FundCore
import FundStore
import Terminal

/// Names the feeds of people's lists that cannot be fetched.
enum NewsCheckup {
    /// Feeds that are named at most.
    private static let maxNamed = 20

    /// Looks at what the fetches said. Asks no server. Throws `StoreError`.
    /// - Parameter isOn: whether feeds are fetched.
    static func findings(_ store: FundStore, isOn: Bool) async throws -> DoctorFindings {
        var findings = DoctorFindings()
        guard isOn else {
            findings.ok(.news, "off: no feed is fetched, and there are no pages of news (`news: off`)")
            return findings
        }
        let failing = try await store.news.failingFeeds(atMost: maxNamed + 1)
        for feed in failing.prefix(maxNamed) { findings.warn(.news, words(feed)) }
        if failing.count > maxNamed {
            findings.warn(.news, "there are more feeds that fail; `fundmail news list --failing` names all")
        }
        if failing.isEmpty, let first = try await store.news.allFeeds(PageQuery(limit: 1)).items.first {
            findings.ok(.news, first.health.problem == nil ? "all feeds can be read" : "no feed fails for long")
        }
        return findings
    }

    private static func words(_ feed: NewsFeed) -> String {
        let health = feed.health
        let error = health.problem.map { NewsError($0, health.detail) }
        let since = health.succeededAt.map { "since \(Clock.local($0))" } ?? "ever"
        let what = "\(TerminalText.clean(feed.address)): \(TerminalText.clean(error.map { "\($0)" } ?? ""))"
        return health.problem == .gone
            ? "\(what); those who have it remove it, or add the feed that took its place"
            : "\(what); \(health.failureCount) attempts failed, none succeeded \(since)"
    }
}
