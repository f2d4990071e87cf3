internal import FundCore

extension JSONWriter {
    mutating func field(_ subscription: NewsSubscription) {
        let (feed, health) = (subscription.feed, subscription.feed.health)
        field("id", subscription.id)
        if case .fund(let fund) = subscription.list { field("fund", fund) } else { field("fund", Fund.ID?.none) }
        field("address", feed.address)
        field("title", subscription.title)
        field("own_title", subscription.ownTitle)
        field("folder", subscription.folder)
        field("site", feed.siteAddress)
        field("unread", subscription.unreadCount)
        field("fetched_at", health.fetchedAt)
        field("succeeded_at", health.succeededAt)
        field("next_at", health.nextAt)
        field("is_failing", health.isFailing)
        field("problem", health.problem?.rawValue)
        field("detail", health.problem?.text)
    }

    mutating func field(_ item: NewsItem) {
        field("id", item.id)
        field("feed_title", item.feedTitle)
        field("title", item.title)
        field("link", item.link)
        field("author", item.author)
        field("excerpt", item.excerpt)
        field("published_at", item.publishedAt)
        field("is_read", item.isRead)
        field("is_starred", item.isStarred)
    }

    mutating func field(_ hit: NewsHit) {
        field(hit.item)
        if case .fund(let fund) = hit.list { field("fund", fund) } else { field("fund", Fund.ID?.none) }
    }

    /// - Parameter text: the visible text of the body.
    mutating func field(_ article: NewsArticle, text: String) {
        field(article.item)
        field("html", article.html)
        field("text", text)
        objects("enclosures", article.enclosures) { json, enclosure in
            json.field("address", enclosure.address)
            json.field("content_type", enclosure.contentType)
            json.field("size", enclosure.size)
        }
    }

    mutating func field(_ counts: NewsCounts) {
        field("own", counts.own)
        objects("funds", counts.funds.sorted { $0.key.rawValue < $1.key.rawValue }) { json, count in
            json.field("fund", count.key)
            json.field("unread", count.value)
        }
    }

    mutating func field(_ feed: FoundFeed) {
        field("address", feed.address.text)
        field("title", feed.title)
    }

    mutating func field(_ feed: OfferedFeed) {
        field("id", feed.id)
        field("address", feed.address)
        field("title", feed.title)
        field("folder", feed.folder)
    }

    /// A feed of anybody's list, for administrators.
    mutating func field(_ feed: NewsFeed) {
        field("id", feed.id)
        field("address", feed.address)
        field("title", feed.title)
        field("fetched_at", feed.health.fetchedAt)
        field("succeeded_at", feed.health.succeededAt)
        field("next_at", feed.health.nextAt)
        field("failures", feed.health.failureCount)
        field("is_failing", feed.health.isFailing)
        field("problem", feed.health.problem?.rawValue)
        field("detail", feed.health.detail ?? feed.health.problem?.text)
    }
}
