internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// The sender's news: feeds of their own list and of their funds, and the items of these.
extension WebRoute {
    private struct FeedBody: Decodable, Sendable {
        var address: String
        var fund: Fund.ID?
        var title: String?
        var folder: String?
    }

    private struct FeedChange: Decodable, Sendable {
        /// Empty for the feed's own title.
        var title: String?
        var folder: String?
    }

    private struct MarkBody: Decodable, Sendable {
        var isRead: Bool?
        var isStarred: Bool?

        private enum CodingKeys: String, CodingKey { case isRead = "is_read", isStarred = "is_starred" }
    }

    private struct ReadBody: Decodable, Sendable {
        var fund: Fund.ID?
        var feed: NewsSubscription.ID?
        var folder: String?
        var upTo: NewsItem.ID?

        private enum CodingKeys: String, CodingKey {
            case fund, feed, folder
            case upTo = "up_to"
        }
    }

    private struct KeepBody: Decodable, Sendable {
        var fund: Fund.ID
        var form: String

        private enum CodingKeys: String, CodingKey {
            case fund
            case form = "as"
        }
    }

    static let newsRoutes: [WebRoute] = [
        .get("/v1/news") { call in
            let query = try call.query()
            let list = try await call.newsList(of: try query.id("fund"))
            let page = try await call.news.items(
                try call.newsFilter(query, in: list), of: try call.userID, try call.page(query, default: 100))
            return try call.list("items", page) { $0.field($1) }
        },
        .get("/v1/news/search") { call in
            let text = try call.query()
            var query = try text.search()
            if case .fund(let fund) = try await call.newsList(of: query.fund) { query.fund = fund }
            query.limit = try text.limit()
            query.cursor = try call.cursor(text)
            let page = try await call.news.newsHits(query, of: try call.userID)
            return try call.list("hits", page) { $0.field($1) }
        },
        .get("/v1/news/counts") { call in
            let counts = try await call.news.newsCounts(of: try call.userID)
            return call.json { $0.field(counts) }
        },
        .post("/v1/news/read") { call in
            let body: ReadBody = try await call.body()
            guard body.feed?.rawValue ?? 1 > 0, body.upTo?.rawValue ?? 1 > 0 else {
                throw RequestError.invalid("feed and up_to must be numbers from 1 on")
            }
            let list = try await call.newsList(of: body.fund)
            let count = try await call.news.markAllRead(
                NewsFilter(list: list, folder: body.folder, subscription: body.feed), upTo: body.upTo,
                of: try call.userID)
            return call.json { $0.field("marked", count) }
        },
        .get("/v1/news/items/{item}") { call in
            let article = try await call.news.article(try call.id("item"), of: try call.userID)
            let text = try await BlockingThreads.run { VisibleText.of(html: article.html) }
            try await call.context.reserveResponse(of: 2 * (article.html.utf8.count + text.utf8.count))
            return call.json { $0.field(article, text: text) }
        },
        .patch("/v1/news/items/{item}") { call in
            let id: NewsItem.ID = try call.id("item")
            let body: MarkBody = try await call.body()
            let mark = NewsMark(isRead: body.isRead, isStarred: body.isStarred)
            guard try await !call.news.mark([id], mark, of: try call.userID).isEmpty else {
                throw RequestError.notFound
            }
            let article = try await call.news.article(id, of: try call.userID)
            return call.json { $0.field(article.item) }
        },
        .post("/v1/news/items/{item}/keep") { call in
            let id: NewsItem.ID = try call.id("item")
            let body: KeepBody = try await call.body()
            guard let form = KeptNewsForm(rawValue: body.form) else {
                throw RequestError.invalid("as must be note, file or pdf")
            }
            let item = try await call.keepNews(id, as: form, in: body.fund)
            return call.json(.created) { $0.field(item) }
        },
    ]

    static let newsFeedRoutes: [WebRoute] = [
        .get("/v1/news/feeds") { call in
            let list = try await call.newsList(of: try call.query().id("fund"))
            let feeds = try await call.news.feeds(in: list, of: try call.userID)
            return call.json(reserving: 512 * (feeds.count + 1)) { json in
                json.objects("feeds", feeds) { $0.field($1) }
            }
        },
        .post("/v1/news/feeds") { call in
            let body: FeedBody = try await call.body()
            let list = try await call.newsList(of: body.fund)
            let found = try await call.findFeeds(at: body.address)
            guard found.count == 1, let feed = found.first else {
                throw RequestError(
                    .conflict, "several-feeds", "the page names several feeds: add one of them by its own address")
            }
            let new = NewNewsFeed(address: feed.address, ownTitle: body.title, folder: body.folder ?? "")
            let added = try await call.addFeeds([new], to: list)
            guard let first = added.first else { throw RequestError.internalError }
            return call.json(.created, headers: [.location: "/api/v1/news/feeds/\(first.id)"]) { $0.field(first) }
        },
        .get("/v1/news/found") { call in
            let found = try await call.findFeeds(at: try call.query()["address"] ?? "")
            return call.json { json in json.objects("feeds", found) { $0.field($1) } }
        },
        .get("/v1/news/offered") { call in
            let feeds = try await call.news.offeredFeeds()
            return call.json { json in json.objects("feeds", feeds) { $0.field($1) } }
        },
        .get("/v1/news/opml") { call in
            try await call.feedExport(of: try await call.newsList(of: try call.query().id("fund")))
        },
        .post("/v1/news/opml") { call in
            let list = try await call.newsList(of: try call.query().id("fund"))
            let permit = try call.importPermit()
            defer { withExtendedLifetime(permit) {} }
            let buffer = try await call.request.body.collect(upTo: NewsLimits.maxOutlineBytes)
            try await call.requireSender(for: .user)
            try await call.context.reserveResponse()
            let result = try await call.importFeeds(Array(buffer.readableBytesView), to: list)
            return call.json { json in
                json.field("added", result.added.count)
                json.field("left_out", result.leftOut)
            }
        },
        .get("/v1/news/feeds/{feed}") { call in
            let feed = try await call.news.feed(try call.id("feed"), of: try call.userID)
            return call.json { $0.field(feed) }
        },
        .patch("/v1/news/feeds/{feed}") { call in
            let id: NewsSubscription.ID = try call.id("feed")
            let body: FeedChange = try await call.body()
            let feed = try await call.news.changeFeed(
                id, NewsSubscriptionChange(ownTitle: body.title, folder: body.folder), of: try call.userID)
            return call.json { $0.field(feed) }
        },
        .act(.delete, "/v1/news/feeds/{feed}") { call in
            try await call.news.removeFeed(try call.id("feed"), of: try call.userID)
        },
    ]
}
