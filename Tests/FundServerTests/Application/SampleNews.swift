import FundCore
import TestSupport
import Testing

/// A feed of a user, with items that none has read.
struct SampleNews {
    var feed: NewsSubscription
    /// The latest first.
    var items: [NewsItem.ID]
}

extension NewsLibrary where Self: NewsRegister {
    /// Puts a feed into a list, and what a fetch of it would bring.
    /// - Parameter parsed: nil gives it one item.
    func addSample(
        _ address: String, _ parsed: ParsedFeed? = nil, to list: NewsList = .own, of user: User.ID
    ) async throws -> SampleNews {
        let place = try #require(NewsAddress(address))
        let feed = try #require(try await addFeeds([NewNewsFeed(address: place)], to: list, of: user).first)
        let content =
            parsed
            ?? ParsedFeed(
                title: "Sample",
                items: [
                    ParsedFeedItem(
                        key: "1", title: "First", link: "https://news.example/1", publishedAt: 1_700_000_000,
                        html: "<p>Words</p>")
                ])
        let outcome = FeedFetch.Outcome.changed(content, FeedValidators(), digest: .of(Array(address.utf8)))
        try await noteFetch(
            FeedFetch(outcome: outcome, at: .now, nextAt: .now + .seconds(3600), interval: .seconds(3600)),
            of: feed.feed.id)
        let filter = NewsFilter(list: list, subscription: feed.id)
        let items = try await items(filter, of: user, PageQuery(limit: PageQuery.maxLimit)).items
        return SampleNews(feed: try await self.feed(feed.id, of: user), items: items.map(\.id))
    }
}
