internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// The feeds of a list: what it has, what comes into it, and what goes.
    static let newsFeedRoutes: [PageRoute] = [
        .get("\(newsPath)/feeds") { call in try await NewsFeedsPage(.own, call).response() },
        .post("\(newsPath)/feeds") { call, form in try await NewsFeedsPage(.own, call).add(form) },
        .get("/library/funds/{fund}/news/feeds") { call in
            try await NewsFeedsPage(try await call.newsList(of: try call.id("fund")), call).response()
        },
        .post("/library/funds/{fund}/news/feeds") { call, form in
            try await NewsFeedsPage(try await call.newsList(of: try call.id("fund")), call).add(form)
        },
        .get("\(newsPath)/feeds.opml") { call in try await call.feedExport(of: .own) },
        .upload("\(newsPath)/feeds/import") { call in try await importFeeds(call) },
    ]

    private static func importFeeds(_ call: PageCall) async throws -> Response {
        try await call.withFormFile(upTo: NewsLimits.maxOutlineBytes) { _, bytes in
            try await call.requireSender(for: .user)
            let page = NewsFeedsPage(.own, call)
            do {
                let result = try await call.importFeeds(bytes, to: .own)
                let done = result.leftOut == 0 ? "feeds-imported" : "feeds-imported-partly&left=\(result.leftOut)"
                return call.redirect(to: "\(newsPath)/feeds?done=\(done)")
            } catch let failure as any RequestErrorConvertible where failure.requestError.problem != nil {
                return try await page.response(failure: failure.requestError, at: "file")
            }
        }
    }
}

/// The page on which feeds are put into a list.
struct NewsFeedsPage {
    private let list: NewsList
    private let call: PageCall

    init(_ list: NewsList, _ call: PageCall) { (self.list, self.call) = (list, call) }

    private var path: String { "\(NewsShelf.path(of: list))/feeds" }

    /// Adds the feed of `feed`, which was offered by this page, or what stands at the `address` that was typed.
    func add(_ form: FieldText) async throws -> Response {
        let (typed, chosen) = (form["address"] ?? "", form["feed"])
        let folder = list == .own ? form["folder"] ?? "" : ""
        do {
            var found: [FoundFeed] = []
            if let chosen {
                guard let address = NewsAddress(chosen) else { throw NewsError(.address) }
                let offered = try await call.news.offeredFeeds().first { $0.address == address.text }
                return try await done(with: NewNewsFeed(address: address, folder: offered?.folder ?? folder))
            }
            found = try await call.findFeeds(at: typed)
            guard found.count == 1, let feed = found.first else {
                return try await response(typed: typed, folder: folder, found: found)
            }
            return try await done(with: NewNewsFeed(address: feed.address, folder: folder))
        } catch let failure as NewsError {
            return try await response(typed: typed, folder: folder, failure: failure.requestError)
        } catch let failure as StoreError where failure.code == .invalid {
            return try await response(typed: typed, folder: folder, failure: failure.requestError)
        }
    }

    private func done(with feed: NewNewsFeed) async throws -> Response {
        _ = try await call.addFeeds([feed], to: list)
        return call.redirect(to: "\(path)?done=feed-added")
    }

    /// - Parameters:
    ///   - typed: the address in the field.
    ///   - found: feeds of a page, of which one is chosen.
    ///   - field: the field that the failure is about.
    func response(
        typed: String = "", folder: String = "", found: [FoundFeed] = [], failure: RequestError? = nil,
        at field: String = "address"
    ) async throws -> Response {
        let words = call.words
        let feeds = try await call.news.feeds(in: list, of: try call.userID)
        let folders = Set(feeds.map(\.folder)).subtracting([""]).sorted()
        let taken = Set(feeds.map(\.feed.address))
        let offered = list == .own ? try await call.news.offeredFeeds() : []
        var title = words("feeds.manage.title")
        var model: PageModel = [
            "atNews": true, "hasNewsStyle": true, "here": path, "back": NewsShelf.path(of: list), "action": path,
            "ofFund": list != .own,
            "typed": typed, "hasFeeds": !feeds.isEmpty, "hasFolders": !folders.isEmpty,
            "folders": folders.map { PageModel.choice($0, $0, isChosen: $0 == folder) },
            "hasFound": !found.isEmpty,
            "found": found.map { feed -> PageModel in
                ["address": feed.address.text, "text": feed.title.isEmpty ? feed.address.text : feed.title]
            },
            "isEmpty": feeds.isEmpty, "feeds": feeds.map(row), "hasOffered": !offered.isEmpty,
            "offered": offered.map { feed -> PageModel in
                [
                    "name": feed.title, "address": feed.address, "site": feed.address,
                    "face": Initials.text(of: feed.title), "faceHue": Initials.hue(of: feed.title),
                    "isTaken": taken.contains(feed.address),
                ]
            },
        ]
        if case .fund(let fund) = list {
            let name = try await call.library.fund(fund, of: try call.userID).name
            title = words("feeds.manage.fund", words.isolated("[\(name)]"))
            model["atNews"] = false
        }
        if let failure { model = model.failed(words.sentence(failure), at: field) }
        return call.page(
            "newsfeeds", model, title: title, status: failure == nil ? .ok : .unprocessableContent)
    }

    private func row(_ subscription: NewsSubscription) -> PageModel {
        let health = subscription.feed.health
        let problem = health.isFailing ? health.problem : nil
        let shown = NewsShelf.path(of: list) + PageQueryText.text([("feed", "\(subscription.id)")])
        return [
            "id": "\(subscription.id)", "name": Words.shown(subscription.title), "href": shown,
            "edit": "\(PageRoute.newsPath)/feeds/\(subscription.id)", "face": Initials.text(of: subscription.title),
            "faceHue": Initials.hue(of: subscription.title),
            "site": NewsAddress(subscription.feed.siteAddress ?? subscription.feed.address)?.host
                ?? subscription.feed.address,
            "folder": (subscription.folder.isEmpty ? nil : subscription.folder).orAbsent,
            "problem": problem.map { call.words("feed.problem.\($0.rawValue)") }.orAbsent,
            "unread": (subscription.unreadCount > 0 ? "\(subscription.unreadCount)" : nil).orAbsent,
        ]
    }
}
