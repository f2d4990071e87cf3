package import FundCore
package import MailConnection
internal import Synchronization

/// Fetches the feeds of all lists when they are due, and finds feeds for people. Of several processes that run it on a
/// store one fetches, and another takes its place when that ends.
package final class NewsFetcher: NewsSource {
    /// Fetches of the schedule at a time. A fetch waits for its server nearly all the time.
    private static let concurrency = 8
    /// Searches of people at a time, which never wait for the schedule.
    private static let searchConcurrency = 4
    /// Feeds that wait in memory at most.
    private static let batch = 256
    /// Time after which a round takes no more feeds, so that hosts that used up theirs have another turn.
    private static let longestRound = Duration.seconds(300)
    /// Longest wait until it is looked whether feeds are due: other processes add some without telling this one.
    private static let tick = Duration.seconds(60)
    /// Time between two looks for items that are too old.
    private static let removalPeriod = Duration.seconds(86_400)

    private let register: any NewsRegister
    private let parser: any FeedParser
    private let searchParser: any FeedParser
    private let fetchers: ResourcePool<FeedFetcher>
    private let searchers: ResourcePool<FeedFetcher>
    private let reach: FetchReach
    private let cancellation: Cancellation
    private let isOn: @Sendable () -> Bool
    private let observe: @Sendable (NewsEvent) -> Void
    private let woken = Signal()
    private let jitter: @Sendable () -> Double

    /// - Parameters:
    ///   - searchParser: reads what people search; nil for the parser of the schedule.
    ///   - isOn: asked before each fetch of the schedule, which rests while it says false.
    ///   - observe: hears what happens, on any thread.
    package convenience init(
        _ register: any NewsRegister, _ parser: any FeedParser, searchParser: (any FeedParser)? = nil,
        reach: FetchReach = .publicInternet, cancellation: Cancellation,
        isOn: @escaping @Sendable () -> Bool = { true },
        observe: @escaping @Sendable (NewsEvent) -> Void = { _ in }
    ) {
        self.init(
            register, parser, searchParser: searchParser, reach: reach, cancellation: cancellation,
            jitter: { Double.random(in: FetchPace.jitter) }, isOn: isOn, observe: observe)
    }

    init(
        _ register: any NewsRegister, _ parser: any FeedParser, searchParser: (any FeedParser)? = nil,
        reach: FetchReach, cancellation: Cancellation, jitter: @escaping @Sendable () -> Double,
        isOn: @escaping @Sendable () -> Bool = { true },
        observe: @escaping @Sendable (NewsEvent) -> Void = { _ in }
    ) {
        self.searchParser = searchParser ?? parser
        (self.register, self.parser, self.reach, self.cancellation) = (register, parser, reach, cancellation)
        (self.jitter, self.isOn, self.observe) = (jitter, isOn, observe)
        func pool(_ numbers: ClosedRange<Int>) -> ResourcePool<FeedFetcher> {
            ResourcePool(
                numbers.map { number in
                    FeedFetcher(reach, number: number, cancellation: cancellation) {
                        try await register.forbiddenSites()
                    }
                })
        }
        fetchers = pool(1...Self.concurrency)
        searchers = pool(Self.concurrency + 1...Self.concurrency + Self.searchConcurrency)
    }

    // MARK: The schedule

    /// Fetches what is due, until the task is cancelled.
    package func run() async {
        var lease: (any MailboxLease)?
        var removedAt: ContinuousClock.Instant?
        while !Task.isCancelled {
            let known = woken.count
            var wait = Self.tick
            do {
                if lease == nil { lease = try await register.newsLease() }
                if lease != nil, isOn() {
                    let round = try await round(at: .now, until: .now + Self.longestRound)
                    if removedAt.map({ .now - $0 >= Self.removalPeriod }) ?? true {
                        try await removeOld(at: .now)
                        removedAt = .now
                    }
                    // Feeds of a host whose time is used up stay due.
                    if !round.hasLeftOvers { wait = try await timeUntilDue() }
                }
            } catch is CancellationError {
                break
            } catch {
                observe(.storeFailed(error))
            }
            await woken.wait(after: known, atMost: wait)
        }
        lease?.end()
    }

    private func timeUntilDue() async throws -> Duration {
        guard let next = try await register.nextDueFeed(at: .now) else { return Self.tick }
        return min(max(next - .now, .seconds(1)), Self.tick)
    }

    /// Fetches the feeds that are due, once each, and takes their words into the index. Feeds of a host that takes too
    /// much time stay due.
    /// - Returns: what became of each.
    @discardableResult
    package func fetchDue(at now: Timestamp = .now) async throws -> [NewsReport] {
        try await round(at: now, until: nil).reports
    }

    private struct Round {
        var reports: [NewsReport]
        /// Whether feeds that are due were left to a later round.
        var hasLeftOvers: Bool
    }

    private enum Step {
        case fetched(DueFeed, NewsReport, Duration)
        /// Feeds were added.
        case woken(Int)
    }

    /// - Parameter end: takes no more feeds from then on; nil for no end.
    private func round(at now: Timestamp, until end: ContinuousClock.Instant?) async throws -> Round {
        let start = ContinuousClock.now
        var (reports, queue) = ([NewsReport](), FetchQueue(places: Self.concurrency))
        try await withThrowingTaskGroup(of: Step.self) { group in
            group.addTask { [woken, known = woken.count] in .woken(try await woken.count(after: known)) }
            while true {
                let isOpen = !Task.isCancelled && !cancellation.isCancelled && isOn() && end.map { .now < $0 } ?? true
                while isOpen, let feed = try await next(&queue, at: time(now, since: start)) {
                    group.addTask { [self] in
                        let begin = ContinuousClock.now
                        return .fetched(feed, try await fetch(feed), ContinuousClock.now - begin)
                    }
                }
                guard !queue.isIdle, let step = try await group.next() else { break }
                switch step {
                case .woken(let known):
                    queue.expire()
                    group.addTask { [woken] in .woken(try await woken.count(after: known)) }
                case .fetched(let feed, let report, let time):
                    queue.end(feed, after: time)
                    reports.append(report)
                    if report.counts != NewsFetchCounts() { try await register.indexNews() }
                }
            }
            group.cancelAll()
        }
        while try await register.indexNews() > 0 {}
        return Round(reports: reports, hasLeftOvers: queue.hasLeftOvers)
    }

    /// The time, by the second that began last or by the one after it: `now` is without its fraction, and a feed that
    /// was added in this second is due, too.
    private func time(_ now: Timestamp, since start: ContinuousClock.Instant) -> Timestamp {
        now + (ContinuousClock.now - start) + .seconds(1)
    }

    /// The feed that is to be fetched next; nil when none may start now.
    private func next(_ queue: inout FetchQueue, at now: Timestamp) async throws -> DueFeed? {
        guard queue.hasPlace else { return nil }
        if queue.isFresh() { return queue.next() }
        while true {
            let due = try await register.dueFeeds(at: now, atMost: Self.batch, besides: queue.taken)
            let hasLeft = queue.replaceWaiting(with: due, isAll: due.count < Self.batch)
            if let feed = queue.next() { return feed }
            guard hasLeft else { return nil }
        }
    }

    /// Fetches one feed now, due or not, and keeps what comes.
    package func fetch(_ feed: DueFeed) async throws -> NewsReport {
        let fetcher = try await fetchers.acquire()
        let result: FeedFetch
        do {
            defer { fetchers.release(fetcher) }
            result = try await self.result(of: feed, by: fetcher)
        }
        let counts = try await register.noteFetch(result, of: feed.id)
        let report = NewsReport(address: feed.address.text, result: result, counts: counts)
        observe(.fetched(report))
        return report
    }

    private func result(of feed: DueFeed, by fetcher: FeedFetcher) async throws -> FeedFetch {
        let now = Timestamp.now
        do {
            let fetched = try await fetcher.fetch(feed.address, unlessLike: feed.validators, now: now)
            guard case .document(let document) = fetched.content else { return unchanged(feed, fetched, now) }
            let digest = ContentDigest.of(document.bytes)
            guard digest != feed.digest else { return unchanged(feed, fetched, now) }
            switch try await parser.readFeed(document) {
            case .feed(let parsed)?:
                let asked = [parsed.minInterval, fetched.maxAge].compactMap { $0 }.max()
                let interval = FetchPace.interval(of: parsed, before: feed.interval, asked: asked, at: now)
                return FeedFetch(
                    outcome: .changed(parsed, fetched.validators, digest: digest), at: now,
                    nextAt: FetchPace.next(after: interval, at: now, isAsked: false, jitter: jitter()),
                    interval: interval, movedTo: fetched.movedTo)
            case nil: return failure(feed, NewsError(.unreadable), nil, now)
            default: return failure(feed, NewsError(.noFeed), nil, now)
            }
        } catch let failure as FetchFailure {
            return self.failure(feed, failure.error, failure.retryAfter, now)
        }
    }

    private func unchanged(_ feed: DueFeed, _ fetched: FetchedDocument, _ now: Timestamp) -> FeedFetch {
        let interval = FetchPace.intervalWhenUnchanged(before: feed.interval, asked: fetched.maxAge)
        return FeedFetch(
            outcome: .unchanged, at: now,
            nextAt: FetchPace.next(after: interval, at: now, isAsked: false, jitter: jitter()), interval: interval,
            movedTo: fetched.movedTo)
    }

    private func failure(
        _ feed: DueFeed, _ error: NewsError, _ asked: Duration?, _ now: Timestamp
    ) -> FeedFetch {
        let pause = FetchPace.pause(failures: feed.health.failureCount + 1, asked: asked)
        let next = FetchPace.next(after: pause, at: now, isAsked: asked != nil, jitter: jitter())
        return FeedFetch(
            outcome: .failed(error.problem, detail: error.detail), at: now,
            nextAt: error.problem == .gone ? nil : next, interval: feed.interval)
    }

    private func removeOld(at now: Timestamp) async throws {
        while try await register.removeOldNews(before: now - NewsLimits.retention) > 0 {}
    }

    // MARK: For people

    package func hurry() { woken.raise() }

    package func mayAsk(_ address: NewsAddress) -> Bool {
        guard let numbers = IPAddress(host: address.host), let port = UInt16(exactly: address.port) else { return true }
        return reach.isAllowed(DialledAddress(bytes: numbers.bytes, port: port))
    }

    package func findFeeds(at address: NewsAddress) async throws -> [FoundFeed] {
        let fetcher = try await searchers.acquire()
        defer { searchers.release(fetcher) }
        do {
            guard case .document(let document) = try await fetcher.fetch(address).content else {
                throw NewsError(.server, "status 304")
            }
            switch try await searchParser.readFeed(document) {
            case .feed(let feed)?: return [FoundFeed(address: address, title: feed.title)]
            case .page(let feeds)? where !feeds.isEmpty: return feeds
            case nil: throw NewsError(.unreadable)
            default: throw NewsError(.noFeed)
            }
        } catch let failure as FetchFailure { throw failure.error }
    }
}

/// The result of one fetch, for a log.
package struct NewsReport: Sendable {
    package var address: String
    package var result: FeedFetch
    package var counts: NewsFetchCounts
}

/// An event of the fetching of feeds.
package enum NewsEvent: Sendable {
    case fetched(NewsReport)
    /// The store cannot be read or written; it is tried again.
    case storeFailed(any Error)
}
