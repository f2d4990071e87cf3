/// The part of the store that knows which feeds are fetched when, and keeps what comes of it. Errors are `StoreError`.
package protocol NewsRegister: Sendable {
    /// Makes this process the one that fetches feeds, until the lease or its process ends; nil while another process
    /// is.
    func newsLease() async throws -> (any MailboxLease)?
    /// Feeds that are due and that a list has. People take turns, each with the feed that is due longest; feeds that
    /// failed come behind the rest. A feed that is due later than any pause counts as due: the clock was wrong.
    /// - Parameter others: feeds that are left out.
    func dueFeeds(at now: Timestamp, atMost count: Int, besides others: Set<NewsFeed.ID>) async throws -> [DueFeed]
    /// Time at which the next feed is due, `now` for one that is due later than any pause; nil when there is none.
    func nextDueFeed(at now: Timestamp) async throws -> Timestamp?
    /// The feed of an address, due or not, when a list has it; nil otherwise.
    func dueFeed(_ address: NewsAddress) async throws -> DueFeed?
    /// Keeps the result of a fetch, with its items, in one transaction. Items that are known by their key take over
    /// what is new of them and keep their marks. Items of an address beyond `maxItems` and `maxFeedBytes` go, but for
    /// starred ones, those first that were seen longest ago. Where the feed moved for good to the address of another
    /// one, that one takes over lists, items and marks, and is due at once in place of the result. Returns the numbers
    /// of new and of changed items.
    @discardableResult
    func noteFetch(_ result: FeedFetch, of feed: NewsFeed.ID) async throws -> NewsFetchCounts
    /// Takes new and changed items into the index of words, as many as one transaction is to hold. Returns their
    /// number; to be called until it is 0.
    @discardableResult
    func indexNews() async throws -> Int
    /// Removes items last seen before `time` that no user has starred, and feeds that no list has, as many as one
    /// transaction is to hold. Returns the number of removed items; to be called until it is 0.
    func removeOldNews(before time: Timestamp) async throws -> Int
    /// Feeds that fail, those with most failures first.
    func failingFeeds(atMost count: Int) async throws -> [NewsFeed]
    /// The state of all feeds, for operators. Takes milliseconds.
    func newsFigures(at now: Timestamp) async throws -> NewsFigures
    /// Sites from which no feed is fetched now.
    func forbiddenSites() async throws -> ForbiddenSites
}

/// Finds feeds for people, and fetches them at once.
package protocol NewsSource: Sendable {
    /// The feeds at an address: the one that stands there, or those that a web page there names. Throws `NewsError`.
    func findFeeds(at address: NewsAddress) async throws -> [FoundFeed]
    /// Whether an address may be asked, as far as its text tells: false for a numeric one that is not on the public
    /// internet.
    func mayAsk(_ address: NewsAddress) -> Bool
    /// Fetches feeds that are due soon, such as those that were just added. Returns before they are there.
    func hurry()
}

/// Takes feeds, web pages and OPML apart, outside this process.
package protocol FeedParser: Sendable {
    /// Nil when the document broke the process that read it. Throws when no such process can be had.
    func readFeed(_ document: FeedDocument) async throws -> FeedReading?
}
