/// Limits of news: more than people read, and little enough for pages to be quick.
package enum NewsLimits {
    /// Feeds of one list.
    package static let maxFeeds = 1000
    /// Items that are kept of one address.
    package static let maxItems = 10_000
    /// Bytes of the bodies that are kept of one address: 10 KB for each of `maxItems`, twice of what whole articles
    /// usually have.
    package static let maxFeedBytes = 100 << 20
    /// Starred items of a user, which are kept for good.
    package static let maxStars = 10_000
    /// Items of one document; the rest is left out.
    package static let maxDocumentItems = 2000
    /// Bytes of an item's key; of a longer one a digest is kept.
    package static let maxKeyBytes = 500
    /// Time for which an item is kept that no user has starred, counted from when it was last seen in its feed.
    package static let retention = Duration.seconds(90 * 86_400)
    /// Upper bound of the time between two fetches of a feed: more than the longest pause with its jitter. A time of
    /// the next fetch beyond it was written while the clock was wrong.
    package static let longestPause = Duration.seconds(3 * 86_400)
    /// Bytes of a folder's name and of a feed's own title.
    package static let maxNameBytes = 255
    /// Bytes of an item's title, and of its author.
    package static let maxTitleBytes = 1000
    /// Bytes of an item's body as HTML.
    package static let maxBodyBytes = 256 << 10
    /// Bytes of an item's excerpt.
    package static let maxExcerptBytes = 300
    /// Files that are named with an item.
    package static let maxEnclosures = 10
    /// Feeds of one OPML file.
    package static let maxOutlines = 2000
    /// Bytes of an OPML file.
    package static let maxOutlineBytes = 5 << 20

    /// The problem of a list that takes no more feeds.
    package static let isFull = InputProblem(.tooManyFeeds, "the list has \(maxFeeds) feeds: remove some first")
    /// The problem of a star too many.
    package static let hasAllStars = InputProblem(
        .tooManyStars, "\(maxStars) items are starred: take stars away first, or keep the item in a fund")
    /// The problem of a long name.
    package static let nameTooLong = InputProblem(
        .newsNameTooLong, "the name is too long: it may have \(maxNameBytes) bytes")
}
