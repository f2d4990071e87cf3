/// An item of a feed in a list, as one user sees it.
package struct NewsItem: Sendable, Hashable {
    package typealias ID = FundCore.ID<NewsItem>

    package var id: ID
    package var feed: NewsFeed.ID
    /// Title of the feed, or the name that its reader gave it.
    package var feedTitle: String
    /// Visible text on one line; empty for an item without a title.
    package var title: String
    /// The page of the item: `http` or `https`. Nil for an item without one.
    package var link: String?
    package var author: String?
    /// First words of the body as text on one line.
    package var excerpt: String
    /// The time that the feed gives; for an item without one, or with a later one, when it was fetched first.
    package var publishedAt: Timestamp
    package var isRead: Bool
    package var isStarred: Bool

    package init(
        id: ID, feed: NewsFeed.ID, feedTitle: String, title: String, link: String?, author: String?, excerpt: String,
        publishedAt: Timestamp, isRead: Bool, isStarred: Bool
    ) {
        self.id = id
        self.feed = feed
        self.feedTitle = feedTitle
        self.title = title
        self.link = link
        self.author = author
        self.excerpt = excerpt
        self.publishedAt = publishedAt
        self.isRead = isRead
        self.isStarred = isStarred
    }
}

/// An item with its body.
package struct NewsArticle: Sendable, Hashable {
    package var item: NewsItem
    /// HTML as it came, which no browser gets before `MailSanitizer` has written it anew. Empty for none.
    package var html: String
    package var enclosures: [NewsEnclosure]
    /// Title of the feed as it gives it itself.
    package var source: String

    package init(item: NewsItem, html: String, enclosures: [NewsEnclosure], source: String) {
        self.item = item
        self.html = html
        self.enclosures = enclosures
        self.source = source
    }
}

/// A file that comes with an item, such as a recording. It is named, and never fetched by the server.
package struct NewsEnclosure: Sendable, Hashable {
    /// `http` or `https`.
    package var address: String
    /// `type/subtype` in lower case; nil when the feed does not say.
    package var contentType: String?
    /// Bytes, as the feed says.
    package var size: Int64?

    package init(address: String, contentType: String? = nil, size: Int64? = nil) {
        self.address = address
        self.contentType = contentType
        self.size = size
    }
}

/// The wanted items of a user's news.
package struct NewsFilter: Sendable, Hashable {
    /// Items by what their reader did with them.
    package enum State: String, Sendable, Hashable, CaseIterable {
        case all, unread, starred
    }

    package var list: NewsList
    /// A folder of the list, by its name; nil for all feeds.
    package var folder: String?
    /// One feed of the list; nil for all.
    package var subscription: NewsSubscription.ID?
    package var state: State
    /// Words that all occur in title, author or body, the last one at the beginning of a word; nil for any.
    package var words: String?

    package init(
        list: NewsList = .own, folder: String? = nil, subscription: NewsSubscription.ID? = nil, state: State = .all,
        words: String? = nil
    ) {
        self.list = list
        self.folder = folder
        self.subscription = subscription
        self.state = state
        self.words = words
    }
}

/// A change to the marks of items; nil leaves one.
package struct NewsMark: Sendable, Hashable {
    package var isRead: Bool?
    package var isStarred: Bool?

    package init(isRead: Bool? = nil, isStarred: Bool? = nil) { (self.isRead, self.isStarred) = (isRead, isStarred) }
}
