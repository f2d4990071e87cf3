/// A document that came from a web server, or from a person's file.
package struct FeedDocument: Sendable {
    package var bytes: [UInt8]
    /// The address from which it came after redirects; nil for a file.
    package var address: String?
    /// `Content-Type` of the answer; nil for none.
    package var contentType: String?

    package init(bytes: [UInt8], address: String? = nil, contentType: String? = nil) {
        self.bytes = bytes
        self.address = address
        self.contentType = contentType
    }
}

/// The meaning of a document.
package enum FeedReading: Sendable, Equatable {
    case feed(ParsedFeed)
    /// A web page, with the feeds that it names (`link rel=alternate`).
    case page([FoundFeed])
    /// A list of feeds (OPML).
    case outlines([FeedOutline])
    /// None of these.
    case other
}

/// A feed as it was read. Its texts are visible text on one line, its addresses whole.
package struct ParsedFeed: Sendable, Equatable {
    package var title: String
    package var siteAddress: String?
    /// Period for which the feed asks to be left alone (RSS 2.0 `ttl`, `syn:updatePeriod`); nil for none.
    package var minInterval: Duration?
    package var items: [ParsedFeedItem]

    package init(
        title: String = "", siteAddress: String? = nil, minInterval: Duration? = nil, items: [ParsedFeedItem] = []
    ) {
        self.title = title
        self.siteAddress = siteAddress
        self.minInterval = minInterval
        self.items = items
    }
}

/// An item of a feed as it was read.
package struct ParsedFeedItem: Sendable, Equatable {
    /// Differs for all items of the feed, and stays when an item is changed: its guid where that is unique, else its
    /// link, else a digest of its content.
    package var key: String
    package var title: String
    package var link: String?
    package var author: String?
    package var publishedAt: Timestamp?
    /// HTML, whole addresses in place of relative ones where the feed has a base.
    package var html: String
    package var enclosures: [NewsEnclosure]

    package init(
        key: String = "", title: String = "", link: String? = nil, author: String? = nil,
        publishedAt: Timestamp? = nil, html: String = "", enclosures: [NewsEnclosure] = []
    ) {
        self.key = key
        self.title = title
        self.link = link
        self.author = author
        self.publishedAt = publishedAt
        self.html = html
        self.enclosures = enclosures
    }
}

/// A feed that a web page names, or that stands at an address.
package struct FoundFeed: Sendable, Hashable {
    package var address: NewsAddress
    /// Empty when nothing names it.
    package var title: String

    package init(address: NewsAddress, title: String) { (self.address, self.title) = (address, title) }
}

/// A feed in a list that programs exchange (OPML).
package struct FeedOutline: Sendable, Equatable {
    package var address: String
    /// Empty for none.
    package var title: String
    /// Empty for none.
    package var folder: String

    package init(address: String, title: String = "", folder: String = "") {
        self.address = address
        self.title = title
        self.folder = folder
    }
}
