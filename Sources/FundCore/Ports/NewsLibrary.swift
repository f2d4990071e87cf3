/// News of users: feeds in their own lists and in those of their funds, and the items of these. Each call sees what is
/// one user's; what belongs to another answers `notFound`. Errors are `StoreError`.
package protocol NewsLibrary: Sendable {
    // MARK: Feeds

    /// The feeds of a list, by folder and name, with their unread items.
    func feeds(in list: NewsList, of user: User.ID) async throws -> [NewsSubscription]
    /// Throws `notFound` for the feed of another user's list.
    func feed(_ id: NewsSubscription.ID, of user: User.ID) async throws -> NewsSubscription
    /// Puts feeds into a list, or moves those that are there into the folder and name that are given. The items of the
    /// latest document of a feed that other lists have already come along, as unread.
    ///
    /// Throws `invalid` with a problem for a forbidden host, for a list that is full, and for a name that is too long:
    /// then none is added.
    /// - Parameter leavesOut: adds the first ones, as many as the list has room for, and leaves the others out.
    /// - Returns: the feeds that the list has now.
    func addFeeds(
        _ feeds: [NewNewsFeed], to list: NewsList, of user: User.ID, leavesOut: Bool
    ) async throws -> [NewsSubscription]
    /// Throws `invalid` with a problem for a name that is too long.
    func changeFeed(
        _ id: NewsSubscription.ID, _ change: NewsSubscriptionChange, of user: User.ID
    ) async throws -> NewsSubscription
    /// Removes a feed from its list. Starred items stay among the starred ones.
    func removeFeed(_ id: NewsSubscription.ID, of user: User.ID) async throws
    /// Renames a folder of a list; an empty name puts its feeds at the top. Returns the number of its feeds.
    @discardableResult
    func renameFolder(_ folder: String, to name: String, in list: NewsList, of user: User.ID) async throws -> Int

    // MARK: Items

    /// The items of a filter, the latest first. With words a page may be short although more come: see its cursor.
    func items(_ filter: NewsFilter, of user: User.ID, _ page: PageQuery) async throws -> ListPage<NewsItem>
    /// Items of all lists of a user that hold all words of a search, those that were indexed last first. A page may be
    /// short although more come: see its cursor.
    ///
    /// The fund and the times of the search count, its kind does not. Feeds of archived and deleted funds are left out.
    /// News has no sender: a search for one finds none.
    func newsHits(_ query: SearchQuery, of user: User.ID) async throws -> ListPage<NewsHit>
    /// An item with its body.
    func article(_ id: NewsItem.ID, of user: User.ID) async throws -> NewsArticle
    /// The items before and behind one in the list of a filter, whose words do not matter; an item that the filter
    /// leaves out has those between which it would stand.
    func neighbours(
        of item: NewsItem.ID, in filter: NewsFilter, of user: User.ID
    ) async throws -> Neighbours<NewsItem>
    /// Changes the marks of items. Those that are not there are left out. Throws `invalid` with a problem where more
    /// than `NewsLimits.maxStars` items would be starred: then none is changed. Returns the items that are there.
    @discardableResult
    func mark(_ items: [NewsItem.ID], _ mark: NewsMark, of user: User.ID) async throws -> [NewsItem.ID]
    /// Marks the items of a filter as read, whatever its words.
    /// - Parameter latest: leaves items unread that were fetched after this one; nil marks all.
    /// - Returns: the number of items that were unread.
    @discardableResult
    func markAllRead(_ filter: NewsFilter, upTo latest: NewsItem.ID?, of user: User.ID) async throws -> Int
    /// The item of a user's news that was fetched last; nil without any. Takes microseconds.
    func latestItem(of user: User.ID) async throws -> NewsItem.ID?
    /// The unread items of a user. Takes a millisecond for thousands.
    func newsCounts(of user: User.ID) async throws -> NewsCounts
    /// Number of the latest change of a user's news: other items, marks or feeds. Takes microseconds.
    func newsVersion(of user: User.ID) async throws -> Int64
    /// The users whose news changed after the change of this number; with nil only the number of the latest change.
    func changedNews(after number: Int64?) async throws -> ChangedLibraries

    // MARK: Administrators

    /// Feeds that administrators offer to everybody, by folder and title.
    func offeredFeeds() async throws -> [OfferedFeed]
    /// Offers a feed, or changes title and folder of one that is offered. Throws `invalid` as `addFeeds`.
    func offerFeed(_ feed: NewNewsFeed, by actor: String) async throws -> OfferedFeed
    /// Offers a feed no longer; those who have it keep it. Throws `notFound`.
    func withdrawFeed(_ id: OfferedFeed.ID, by actor: String) async throws
    /// Hosts from which no feed is fetched, by name. A host stands for those below it, too.
    func forbiddenHosts() async throws -> [String]
    /// Replaces the list of forbidden hosts. Throws `invalid` with a problem for what is no host.
    func setForbiddenHosts(_ hosts: [String], by actor: String) async throws
    /// All feeds of all lists, those that fail first, then by address.
    func allFeeds(_ page: PageQuery) async throws -> ListPage<NewsFeed>
}

extension NewsLibrary {
    /// Puts feeds into a list, all or none: see `addFeeds(_:to:of:leavesOut:)`.
    package func addFeeds(
        _ feeds: [NewNewsFeed], to list: NewsList, of user: User.ID
    ) async throws -> [NewsSubscription] {
        try await addFeeds(feeds, to: list, of: user, leavesOut: false)
    }
}
