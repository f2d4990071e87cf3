import FundCore
import FundServer
import FundStore
import NewsFetch
import Synchronization

/// Figures about feeds, for `/metrics`.
final class NewsMetrics: Sendable {
    private static let results = ["changed", "unchanged"] + NewsProblem.allCases.map(\.rawValue)

    private let store: FundStore
    private let isOn: @Sendable () -> Bool
    /// Fetches by their result.
    private let counts = Mutex<[String: Int]>([:])

    /// - Parameter isOn: without news there is nothing to be told about it.
    init(store: FundStore, isOn: @escaping @Sendable () -> Bool) { (self.store, self.isOn) = (store, isOn) }

    func note(_ event: NewsEvent) {
        guard case .fetched(let report) = event else { return }
        let result =
            switch report.result.outcome {
            case .changed: "changed"
            case .unchanged: "unchanged"
            case .failed(let problem, _): problem.rawValue
            }
        counts.withLock { $0[result, default: 0] += 1 }
    }

    func families(at now: Timestamp = .now) async -> [MetricFamily] {
        guard isOn() else { return [] }
        let counts = counts.withLock { $0 }
        let fetches = MetricFamily(
            "fundmail_news_fetches_total", .counter, "Fetches of feeds, by their result.",
            Self.results.map { .init(Double(counts[$0] ?? 0), [("result", $0)]) })
        // A store that cannot be read has no figures, which is not the same as no feeds.
        guard let figures = try? await store.news.newsFigures(at: now) else { return [fetches] }
        return [
            fetches,
            MetricFamily("fundmail_news_feeds", .gauge, "Feeds that a list has.", Double(figures.feeds)),
            MetricFamily(
                "fundmail_news_failing_feeds", .gauge, "Feeds of these that fail, or are gone.",
                Double(figures.failingFeeds)),
            MetricFamily("fundmail_news_items", .gauge, "Items of all feeds.", Double(figures.items)),
            MetricFamily(
                "fundmail_news_behind_seconds", .gauge, "Time for which a feed has been due at most.",
                Double(figures.behind.components.seconds)),
        ]
    }
}
