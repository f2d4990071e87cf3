import FundCore

/// The feeds of one round: those that wait, those under way, and the choice of the next. People take turns, a host is
/// asked for one feed at a time, and neither one person nor feeds that failed before have more than half of the places.
struct FetchQueue {
    /// Time for which a round waits for one host: the host's other feeds are left to a later round.
    static let hostBudget = Duration.seconds(60)

    /// Age from which on the waiting feeds are stale: others were added meanwhile.
    private static let freshness = Duration.seconds(5)

    private let places: Int
    private var waiting: [DueFeed] = []
    private var active: [DueFeed] = []
    /// Feeds that this round does not take again.
    private var done: Set<NewsFeed.ID> = []
    private var startCounts: [User.ID: Int] = [:]
    private var used: [String: Duration] = [:]

    private var readAt: ContinuousClock.Instant?
    /// Whether the register had no more than what was read.
    private var hasAll = false
    /// Whether one of those that were read has started.
    private var hasStarted = false
    /// Whether feeds were left to a later round.
    private(set) var hasLeftOvers = false

    init(places: Int) { self.places = places }

    /// Feeds that are under way or done with; what is due besides them may wait here.
    var taken: Set<NewsFeed.ID> { done.union(active.lazy.map(\.id)) }

    var hasPlace: Bool { active.count < places }

    var isIdle: Bool { active.isEmpty }

    /// Whether the register would hardly give others than those that wait. To read is not for each fetch that ends:
    /// with a long backlog it takes a second.
    func isFresh(at now: ContinuousClock.Instant = .now) -> Bool {
        guard let readAt, now - readAt < Self.freshness else { return false }
        // With none under way the round would end, unless another follows the one that ended.
        if isIdle { return hasStarted && best != nil }
        return hasAll || !waiting.isEmpty
    }

    mutating func expire() { readAt = nil }

    /// Puts feeds in the place of those that wait, in the order in which the register gives them. Feeds of a host whose
    /// time is used up are left to a later round.
    /// - Parameter isAll: false when the register may have more.
    /// - Returns: whether some were left.
    mutating func replaceWaiting(with feeds: [DueFeed], isAll: Bool) -> Bool {
        let left = feeds.filter { isUsedUp($0.address.host) }
        done.formUnion(left.lazy.map(\.id))
        let taken = taken
        waiting = feeds.filter { !taken.contains($0.id) }
        (readAt, hasAll, hasStarted) = (.now, isAll, false)
        hasLeftOvers = hasLeftOvers || !left.isEmpty
        return !left.isEmpty
    }

    /// Takes the feed that is to be fetched next; nil when none may start now.
    mutating func next() -> DueFeed? {
        guard let best else { return nil }
        let feed = waiting.remove(at: best)
        active.append(feed)
        startCounts[feed.reader, default: 0] += 1
        hasStarted = true
        return feed
    }

    /// The place of the feed that is to be fetched next.
    private var best: Int? {
        guard hasPlace else { return nil }
        let hosts = Set(active.lazy.map(\.address.host))
        let hasFailedPlace = active.count { Self.hasFailed($0) } < half
        let readers = Dictionary(active.lazy.map { ($0.reader, 1) }, uniquingKeysWith: +)
        return waiting.indices.filter { index in
            let feed = waiting[index]
            return !hosts.contains(feed.address.host) && !isUsedUp(feed.address.host)
                && (hasFailedPlace || !Self.hasFailed(feed)) && readers[feed.reader] ?? 0 < half
        }.min { rank($0) < rank($1) }
    }

    /// Ends a fetch that took `time`.
    mutating func end(_ feed: DueFeed, after time: Duration) {
        active.removeAll { $0.id == feed.id }
        done.insert(feed.id)
        used[feed.address.host, default: .zero] += time
    }

    private var half: Int { max(places / 2, 1) }

    private func rank(_ index: Int) -> (Int, Int, Int) {
        let feed = waiting[index]
        return (Self.hasFailed(feed) ? 1 : 0, startCounts[feed.reader] ?? 0, index)
    }

    private func isUsedUp(_ host: String) -> Bool { used[host] ?? .zero >= Self.hostBudget }

    private static func hasFailed(_ feed: DueFeed) -> Bool { feed.health.failureCount > 0 }
}
