/// A list of feeds: a person's own, or the one of a fund.
package enum NewsList: Sendable, Hashable {
    case own
    case fund(Fund.ID)
}

/// A feed in a list.
package struct NewsSubscription: Sendable, Hashable {
    package typealias ID = FundCore.ID<NewsSubscription>

    package var id: ID
    package var list: NewsList
    package var feed: NewsFeed
    /// A name that its reader gave it; nil for the feed's own title.
    package var ownTitle: String?
    /// The folder of the list in which it stands; empty for none.
    package var folder: String
    package var unreadCount: Int

    /// The name under which lists show it.
    package var title: String { ownTitle ?? feed.title }

    package init(
        id: ID, list: NewsList, feed: NewsFeed, ownTitle: String? = nil, folder: String = "", unreadCount: Int = 0
    ) {
        self.id = id
        self.list = list
        self.feed = feed
        self.ownTitle = ownTitle
        self.folder = folder
        self.unreadCount = unreadCount
    }
}

/// A feed to be put into a list.
package struct NewNewsFeed: Sendable, Hashable {
    package var address: NewsAddress
    /// A name that its reader gives it; nil for the feed's own title, which comes with its first document alone.
    package var ownTitle: String?
    /// Empty for none.
    package var folder: String

    package init(address: NewsAddress, ownTitle: String? = nil, folder: String = "") {
        self.address = address
        self.ownTitle = ownTitle
        self.folder = folder
    }
}

/// A change to a feed of a list; nil leaves a field.
package struct NewsSubscriptionChange: Sendable, Hashable {
    /// Empty for the feed's own title.
    package var ownTitle: String?
    /// Empty for none.
    package var folder: String?

    package init(ownTitle: String? = nil, folder: String? = nil) {
        self.ownTitle = ownTitle
        self.folder = folder
    }
}

/// The numbers of unread items of a user.
package struct NewsCounts: Sendable, Hashable {
    /// Items of the user's own list.
    package var own: Int
    /// Items of the lists of funds; funds without unread items are left out.
    package var funds: [Fund.ID: Int]

    package init(own: Int = 0, funds: [Fund.ID: Int] = [:]) { (self.own, self.funds) = (own, funds) }
}

/// A feed that administrators offer to everybody.
package struct OfferedFeed: Sendable, Hashable {
    package typealias ID = FundCore.ID<OfferedFeed>

    package var id: ID
    package var address: String
    package var title: String
    /// The folder into which it comes when a user takes it; empty for none.
    package var folder: String

    package init(id: ID, address: String, title: String, folder: String) {
        self.id = id
        self.address = address
        self.title = title
        self.folder = folder
    }
}
