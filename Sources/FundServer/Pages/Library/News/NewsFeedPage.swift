internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// One feed of a list: how it does, its name and folder, and its end.
    static let newsFeedPageRoutes: [PageRoute] = [
        .get("\(newsPath)/feeds/{feed}") { call in
            let feed = try await call.news.feed(try call.id("feed"), of: try call.userID)
            return try await feedPage(feed, call)
        },
        .post("\(newsPath)/feeds/{feed}") { call, form in
            let feed = try await call.news.feed(try call.id("feed"), of: try call.userID)
            let change = NewsSubscriptionChange(
                ownTitle: (form["name"] ?? "").trimmed, folder: feed.list == .own ? (form["folder"] ?? "").trimmed : nil
            )
            do {
                _ = try await call.news.changeFeed(feed.id, change, of: try call.userID)
                return call.redirect(to: "\(NewsShelf.path(of: feed.list))/feeds?done=feed-saved")
            } catch let failure as StoreError where failure.code == .invalid {
                return try await feedPage(feed, typed: change, failure: failure.requestError, call)
            }
        },
        .post("\(newsPath)/feeds/{feed}/remove") { call, _ in
            let feed = try await call.news.feed(try call.id("feed"), of: try call.userID)
            try await call.news.removeFeed(feed.id, of: try call.userID)
            return call.redirect(to: "\(NewsShelf.path(of: feed.list))/feeds?done=feed-removed")
        },
    ]

    private static func feedPage(
        _ subscription: NewsSubscription, typed: NewsSubscriptionChange? = nil, failure: RequestError? = nil,
        _ call: PageCall
    ) async throws -> Response {
        let (feed, health) = (subscription.feed, subscription.feed.health)
        let feeds = try await call.news.feeds(in: subscription.list, of: try call.userID)
        let path = "\(newsPath)/feeds/\(subscription.id)"
        let problem = health.problem
        let state =
            problem.map { call.words("feed.problem.\($0.rawValue)") }
            ?? call.words(health.fetchedAt == nil ? "feeds.state.waiting" : "feeds.state.well")
        var model: PageModel = [
            "atNews": subscription.list == .own, "here": path, "action": path, "removeAction": "\(path)/remove",
            "back": "\(NewsShelf.path(of: subscription.list))/feeds", "ofFund": subscription.list != .own,
            "feedURL": feed.address, "site": feed.siteAddress.orAbsent, "state": state,
            "problemDetail": (problem == nil ? nil : health.detail).orAbsent,
            "fetched": health.fetchedAt.map(call.formats.exactTime).orAbsent,
            "next": health.nextAt.map(call.formats.exactTime).orAbsent,
            "givenName": typed?.ownTitle ?? subscription.ownTitle ?? "", "ownName": feed.title,
            "folder": typed?.folder ?? subscription.folder,
            "folders": Set(feeds.map(\.folder)).subtracting([""]).sorted().map {
                PageModel.choice($0, $0, isChosen: false)
            },
        ]
        if let failure { model.fail(call.words.sentence(failure), at: "name") }
        return call.page(
            "newsfeed", model, title: Words.shown(subscription.title),
            status: failure == nil ? .ok : .unprocessableContent)
    }
}
