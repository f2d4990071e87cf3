/// A feed that is to be fetched.
package struct DueFeed: Sendable, Hashable {
    package var id: NewsFeed.ID
    package var address: NewsAddress
    package var validators: FeedValidators
    /// Digest of the document that was read last; nil before the first.
    package var digest: ContentDigest?
    package var health: NewsFeedHealth
    /// Current interval between two fetches of the feed.
    package var interval: Duration
    /// The person whose turn the fetch is: one of those who have the feed.
    package var reader: User.ID

    package init(
        id: NewsFeed.ID, address: NewsAddress, validators: FeedValidators, digest: ContentDigest?,
        health: NewsFeedHealth, interval: Duration, reader: User.ID
    ) {
        self.id = id
        self.address = address
        self.validators = validators
        self.digest = digest
        self.health = health
        self.interval = interval
        self.reader = reader
    }
}

/// `ETag` and `Last-Modified` of one answer, as they came: they are sent back as a pair (RFC 9110 §13.1).
package struct FeedValidators: Sendable, Hashable {
    package var etag: String?
    package var lastModified: String?

    package init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
    }
}

/// The result of one fetch of a feed.
package struct FeedFetch: Sendable, Equatable {
    /// The content of an answer.
    package enum Outcome: Sendable, Equatable {
        case changed(ParsedFeed, FeedValidators, digest: ContentDigest)
        /// The server says so (304).
        case unchanged
        case failed(NewsProblem, detail: String?)
    }

    package var outcome: Outcome
    package var at: Timestamp
    /// Time of the next fetch; nil for never.
    package var nextAt: Timestamp?
    /// Interval from now on.
    package var interval: Duration
    /// Address at which the feed stands for good from now on (301, 308); nil for the one that it has.
    package var movedTo: NewsAddress?

    package init(
        outcome: Outcome, at: Timestamp, nextAt: Timestamp?, interval: Duration, movedTo: NewsAddress? = nil
    ) {
        self.outcome = outcome
        self.at = at
        self.nextAt = nextAt
        self.interval = interval
        self.movedTo = movedTo
    }
}

/// Items that a fetch brought.
package struct NewsFetchCounts: Sendable, Hashable {
    package var new: Int
    package var changed: Int

    package init(new: Int = 0, changed: Int = 0) { (self.new, self.changed) = (new, changed) }
}

/// The state of all feeds that a list has.
package struct NewsFigures: Sendable, Hashable {
    package var feeds: Int
    /// Feeds that people should look after, see `NewsFeedHealth.isFailing`.
    package var failingFeeds: Int
    /// Items of all feeds, those of no list included.
    package var items: Int
    /// Time for which the feed has been due that is due longest; zero when none is.
    package var behind: Duration

    package init(feeds: Int = 0, failingFeeds: Int = 0, items: Int = 0, behind: Duration = .zero) {
        self.feeds = feeds
        self.failingFeeds = failingFeeds
        self.items = items
        self.behind = behind
    }
}
