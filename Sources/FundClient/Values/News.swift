public import Foundation

/// Id of an item of news.
public typealias NewsItemID = Identifier<NewsItem>
/// Id of a feed in a list.
public typealias NewsFeedID = Identifier<NewsFeed>

/// An item of a feed as lists show it.
public struct NewsItem: Sendable, Hashable, Codable, Identifiable {
    /// Id on the server; never reused.
    public var id: NewsItemID
    /// Title of the feed, or the name that its reader gave it.
    public var feedTitle: String
    /// Visible text on one line; empty for an item without a title.
    public var title: String
    /// The page of the item; nil without one.
    public var link: String?
    /// Nil when the feed names none.
    public var author: String?
    /// First words of the body.
    public var excerpt: String
    /// The time that the feed gives.
    public var publishedAt: Date
    /// Whether its reader has opened it.
    public var isRead: Bool
    /// Whether its reader starred it.
    public var isStarred: Bool
}

/// An item in which all words of a search occur.
public struct NewsHit: Sendable, Hashable, Codable, Identifiable {
    /// Item as its list shows it.
    public var item: NewsItem
    /// Fund whose list has the feed; nil where one's own has it.
    public var fund: FundID?

    /// Id of the item.
    public var id: NewsItemID { item.id }

    private enum CodingKeys: String, CodingKey { case fund }

    /// Reads the members of the item and of the hit, which stand side by side.
    public init(from decoder: any Decoder) throws {
        item = try NewsItem(from: decoder)
        fund = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(FundID.self, forKey: .fund)
    }

    /// Writes the members of the item and of the hit side by side.
    public func encode(to encoder: any Encoder) throws {
        try item.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(fund, forKey: .fund)
    }
}

/// An item with its body.
public struct NewsArticle: Sendable, Hashable, Codable, Identifiable {
    /// Id on the server; never reused.
    public var id: NewsItemID
    /// Title of the feed, or the name that its reader gave it.
    public var feedTitle: String
    /// Visible text on one line; empty for an item without a title.
    public var title: String
    /// The page of the item; nil without one.
    public var link: String?
    /// Nil when the feed names none.
    public var author: String?
    /// The time that the feed gives.
    public var publishedAt: Date
    /// Whether its reader has opened it.
    public var isRead: Bool
    /// Whether its reader starred it.
    public var isStarred: Bool
    /// The words of its body.
    public var text: String
    /// Its body as HTML, as the feed has it: not to be shown without care.
    public var html: String
}

/// A feed in a list.
public struct NewsFeed: Sendable, Hashable, Codable, Identifiable {
    /// Id on the server; never reused.
    public var id: NewsFeedID
    /// The fund whose list it is in; nil for one's own.
    public var fund: FundID?
    /// Address at which it is fetched.
    public var address: String
    /// The name under which lists show it.
    public var title: String
    /// Folder of the list; empty for none.
    public var folder: String
    /// Number of items that its reader has not read.
    public var unread: Int64
    /// Whether it could not be read for a while.
    public var isFailing: Bool
    /// The reason of the latest failure in English; nil after a success.
    public var detail: String?
}

/// A feed that stands at an address, or that a page there names.
public struct FoundFeed: Sendable, Hashable, Codable {
    /// Address at which it is fetched.
    public var address: String
    /// Empty when nothing names it.
    public var title: String
}
