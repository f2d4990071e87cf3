internal import Foundation
internal import HTTPTypes

/// Which items of news a list shows.
public struct NewsFilter: Sendable, Hashable {
    /// Limits the list to the feeds of a fund; nil shows one's own.
    public var fund: FundID?
    /// Limits the list to a feed.
    public var feed: NewsFeedID?
    /// Limits the list to items that are not read.
    public var isUnread: Bool
    /// Limits the list to starred items.
    public var isStarred: Bool
    /// Words that must all occur.
    public var words: String?

    /// Creates a filter; a nil part matches every item. Of unread and starred the latter counts.
    public init(
        fund: FundID? = nil, feed: NewsFeedID? = nil, isUnread: Bool = false, isStarred: Bool = false,
        words: String? = nil
    ) {
        self.fund = fund
        self.feed = feed
        self.isUnread = isUnread
        self.isStarred = isStarred
        self.words = words
    }
}

/// The form in which an item of news is kept in a fund.
public enum KeptNewsForm: String, Sendable, CaseIterable {
    /// A note with its text, address and date.
    case note
    /// A text file of the same.
    case file
    /// A PDF with the item's layout.
    case pdf
}

extension Session {
    private struct ItemList: Decodable {
        var items: [NewsItem]
        var next: String?
    }

    private struct FeedList<Feed: Decodable>: Decodable { var feeds: [Feed] }

    private struct MarkBody: Encodable {
        var isRead: Bool?
        var isStarred: Bool?
    }

    private struct KeepBody: Encodable {
        var fund: FundID
        var form: String

        enum CodingKeys: String, CodingKey {
            case fund
            case form = "as"
        }
    }

    private struct KeptItem: Decodable { var id: Int64 }

    private struct FeedBody: Encodable {
        var address: String
        var fund: FundID?
        var title: String?
        var folder: String?
    }

    private struct ReadBody: Encodable {
        var fund: FundID?
        var feed: NewsFeedID?
    }

    private struct Marked: Decodable { var marked: Int }

    /// The result of an import.
    private struct Imported: Decodable {
        var added: Int
        var leftOut: Int
    }

    /// A page of items, the latest first.
    /// - Parameter limit: 1 to `maxPageSize`.
    public func news(
        _ filter: NewsFilter = NewsFilter(), after cursor: PageCursor? = nil, limit: Int = 100
    ) async throws(ClientError) -> Page<NewsItem> {
        let state = filter.isStarred ? "starred" : filter.isUnread ? "unread" : nil
        let list = try await value(
            ItemList.self,
            .get(
                "/api/v1/news",
                [
                    ("fund", filter.fund.map { "\($0)" }), ("feed", filter.feed.map { "\($0)" }), ("state", state),
                    ("q", filter.words), ("limit", "\(limit)"), ("cursor", cursor?.text),
                ]))
        return Page(list.items, next: list.next.map(PageCursor.init))
    }

    private struct HitList: Decodable {
        var hits: [NewsHit]
        var next: String?
    }

    /// A page of the items of all one's lists, those of funds included, that hold all words; what came last first.
    /// - Parameters:
    ///   - words: not empty.
    ///   - filter: of it fund and times count.
    ///   - limit: 1 to `maxPageSize`.
    public func searchNews(
        _ words: String, _ filter: SearchFilter = SearchFilter(), after cursor: PageCursor? = nil, limit: Int = 100
    ) async throws(ClientError) -> Page<NewsHit> {
        let query = [("q", words), ("limit", "\(limit)"), ("cursor", cursor?.text)] + filter.fundAndTimes
        let list = try await value(HitList.self, .get("/api/v1/news/search", query))
        return Page(list.hits, next: list.next.map(PageCursor.init))
    }

    /// One item with its body.
    public func newsArticle(_ id: NewsItemID) async throws(ClientError) -> NewsArticle {
        try await value(.get("/api/v1/news/items/\(id)"))
    }

    /// Marks an item as read or unread, and stars it or not; nil leaves a mark.
    @discardableResult
    public func markNews(
        _ id: NewsItemID, isRead: Bool? = nil, isStarred: Bool? = nil
    ) async throws(ClientError) -> NewsItem {
        let body = MarkBody(isRead: isRead, isStarred: isStarred)
        return try await value(.sending(.patch, "/api/v1/news/items/\(id)", body, isRepeatable: true))
    }

    /// Marks all items of a list, or of one feed of it, as read.
    /// - Returns: the number of items that were unread.
    @discardableResult
    public func markAllNewsRead(fund: FundID? = nil, feed: NewsFeedID? = nil) async throws(ClientError) -> Int {
        let body = ReadBody(fund: fund, feed: feed)
        return try await value(Marked.self, .sending(.post, "/api/v1/news/read", body)).marked
    }

    /// Keeps an item in a fund.
    /// - Returns: the number of the note or file.
    public func keepNews(
        _ id: NewsItemID, in fund: FundID, as form: KeptNewsForm
    ) async throws(ClientError) -> Int64 {
        let body = KeepBody(fund: fund, form: form.rawValue)
        return try await value(KeptItem.self, .sending(.post, "/api/v1/news/items/\(id)/keep", body)).id
    }

    /// The feeds of a list, by folder and name.
    /// - Parameter fund: nil for one's own.
    public func newsFeeds(of fund: FundID? = nil) async throws(ClientError) -> [NewsFeed] {
        let fund = fund.map { "\($0)" }
        return try await value(FeedList<NewsFeed>.self, .get("/api/v1/news/feeds", [("fund", fund)])).feeds
    }

    /// The feeds at an address, or that the page there names.
    public func findNewsFeeds(at address: String) async throws(ClientError) -> [FoundFeed] {
        try await value(FeedList<FoundFeed>.self, .get("/api/v1/news/found", [("address", address)])).feeds
    }

    /// Adds the feed at an address, or that of the page there. Throws `conflict` when the page names several.
    public func addNewsFeed(
        at address: String, to fund: FundID? = nil, folder: String? = nil
    ) async throws(ClientError) -> NewsFeed {
        let body = FeedBody(address: address, fund: fund, folder: folder)
        return try await value(.sending(.post, "/api/v1/news/feeds", body))
    }

    /// Removes a feed from its list.
    public func removeNewsFeed(_ id: NewsFeedID) async throws(ClientError) {
        try await deleted(Call(.delete, "/api/v1/news/feeds/\(id)", isRepeatable: true))
    }

    /// Adds the feeds of an OPML file to a list, with their folders.
    /// - Returns: how many were added, and how many were left out, since their addresses cannot be fetched.
    public func importNewsFeeds(
        _ file: [UInt8], to fund: FundID? = nil
    ) async throws(ClientError) -> (added: Int, leftOut: Int) {
        var call = Call(.post, "/api/v1/news/opml", isRepeatable: true)
        if let fund { call.query = [("fund", "\(fund)")] }
        call.body = .bytes(file)
        call.headers[.contentType] = "text/x-opml"
        let result = try await value(Imported.self, call)
        return (result.added, result.leftOut)
    }

    /// The feeds of a list as an OPML file.
    public func exportNewsFeeds(of fund: FundID? = nil) async throws(ClientError) -> [UInt8] {
        try await bytes(.get("/api/v1/news/opml", [("fund", fund.map { "\($0)" })]))
    }
}
