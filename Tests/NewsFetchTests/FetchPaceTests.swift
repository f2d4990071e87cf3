import FundCore
import TestSupport
import Testing

@testable import NewsFetch

/// The times of fetches.
struct FetchPaceTests {
    private static let now = Timestamp(1_700_000_000)

    /// A feed with an item every so many hours, the latest of `age` hours.
    private static func feed(every hours: Int64, age: Int64 = 0, count: Int64 = 12) -> ParsedFeed {
        ParsedFeed(items: (0..<count).map { ParsedFeedItem(publishedAt: now - .seconds(3600 * (age + hours * $0))) })
    }

    private static func interval(_ feed: ParsedFeed, before: Int64 = 7200, asked: Int64? = nil) -> Duration {
        FetchPace.interval(
            of: feed, before: .seconds(before), asked: asked.map { .seconds($0) }, at: now)
    }

    @Test
    func followsTheFeed() {
        #expect(Self.interval(Self.feed(every: 4)) == .seconds(7200))
        #expect(Self.interval(Self.feed(every: 0)) == FetchPace.shortest)
        #expect(Self.interval(Self.feed(every: 24 * 7)) == FetchPace.longest)
        // Nothing came for long.
        #expect(Self.interval(Self.feed(every: 1, age: 80)) == .seconds(36_000))
        // Without times half of the interval before.
        #expect(Self.interval(ParsedFeed(items: [ParsedFeedItem()])) == .seconds(3600))
        #expect(Self.interval(Self.feed(every: 1), asked: 3600 * 5) == .seconds(3600 * 5))
        #expect(Self.interval(Self.feed(every: 1), asked: 3600 * 500) == FetchPace.longest)
        #expect(FetchPace.intervalWhenUnchanged(before: .seconds(4000), asked: nil) == .seconds(5000))
        #expect(FetchPace.intervalWhenUnchanged(before: FetchPace.longest, asked: nil) == FetchPace.longest)
    }

    @Test
    func waitsLongerAfterEachFailure() {
        let pauses = (1...8).map { FetchPace.pause(failures: $0, asked: nil) }
        #expect(pauses.prefix(4).map { $0.components.seconds } == [1800, 3600, 7200, 14_400])
        #expect(pauses.last == FetchPace.longest)
        #expect(FetchPace.pause(failures: 1, asked: .seconds(9000)) == .seconds(9000))
        #expect(FetchPace.pause(failures: 1, asked: .seconds(1 << 40)) == FetchPace.longestAsked)
        #expect(FetchPace.pause(failures: .max, asked: nil) == FetchPace.longest)
        #expect(
            FetchPace.next(after: .seconds(100), at: Self.now, isAsked: false, jitter: 0.9) == Self.now + .seconds(90))
        #expect(
            FetchPace.next(after: .seconds(100), at: Self.now, isAsked: true, jitter: 0.9) == Self.now + .seconds(100))
    }
}
