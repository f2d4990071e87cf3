internal import MailConnection
import FundCore

/// The times at which a feed is fetched: as often as it has something new, within bounds, and less often after
/// failures.
enum FetchPace {
    static let shortest = Duration.seconds(1800)
    static let longest = Duration.seconds(86_400)
    /// Upper bound of the pause that a server asks for.
    static let longestAsked = Duration.seconds(2 * 86_400)
    /// Items by whose times the pace of a feed is estimated: the latest.
    private static let countedItems = 10

    /// Interval after a document that differs from the one before: half of the usual time between two items.
    /// - Parameter asked: the time for which feed or server ask to be left alone.
    static func interval(of feed: ParsedFeed, before: Duration, asked: Duration?, at now: Timestamp) -> Duration {
        let times = feed.items.compactMap(\.publishedAt).filter { $0 <= now }.sorted(by: >).prefix(countedItems)
        guard times.count >= 3, let first = times.first, let last = times.last else {
            return bounded(before / 2, asked)
        }
        // The time since the latest item counts, too: a feed may have gone to sleep.
        let usual = (first - last) / (times.count - 1)
        return bounded(max(usual, (now - first) / 4) / 2, asked)
    }

    /// Interval after an answer that nothing has changed.
    static func intervalWhenUnchanged(before: Duration, asked: Duration?) -> Duration {
        bounded(before + before / 4, asked)
    }

    private static func bounded(_ interval: Duration, _ asked: Duration?) -> Duration {
        min(max(interval, shortest, asked ?? .zero), longest)
    }

    /// Pause after a number of failures in a row.
    /// - Parameter asked: `Retry-After` of the server.
    static func pause(failures: Int, asked: Duration?) -> Duration {
        let pause = min(shortest * (1 << min(max(failures - 1, 0), 10)), longest)
        return max(pause, min(asked ?? .zero, longestAsked))
    }

    /// A factor of each pause, so that feeds that were added together are not fetched together for good.
    static let jitter = Backoff.jitter

    /// The time of the next fetch: never earlier than `pause` where a server asked for that.
    static func next(after pause: Duration, at now: Timestamp, isAsked: Bool, jitter: Double) -> Timestamp {
        now + pause * (isAsked ? max(jitter, 1) : jitter)
    }
}
