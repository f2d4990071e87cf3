internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// A person's own news.
    static let newsPath = "/library/news"

    static let newsRoutes: [PageRoute] = [
        .get(newsPath) { call in try await newsPage(.own, head: nil, call) }.live.marking,
        .post("\(newsPath)/read") { call, form in try await markNews(.own, form, call) },
        .get("/library/funds/{fund}/news") { call in
            let head = try await FundHead(try call.id("fund"), .news, call)
            return try await newsPage(.fund(head.fund.id), head: head, call)
        }.live.marking,
        .post("/library/funds/{fund}/news/read") { call, form in
            try await markNews(try await call.newsList(of: try call.id("fund")), form, call)
        },
    ]

    /// Marks what a list shows as read, up to the item that its page knew.
    private static func markNews(_ list: NewsList, _ form: FieldText, _ call: PageCall) async throws -> Response {
        guard let latest = form["upto"].flatMap(QueryText.number), latest > 0 else {
            throw RequestError.invalid("upto must be a number")
        }
        let feed = form["feed"].flatMap { $0.isEmpty ? nil : QueryText.number($0) }.map { NewsSubscription.ID($0) }
        let folder = form["folder"].flatMap { $0.isEmpty ? nil : $0 }
        try await call.news.markAllRead(
            NewsFilter(list: list, folder: folder, subscription: feed), upTo: NewsItem.ID(latest),
            of: try call.userID)
        let back = call.localPath(form["back"]) ?? NewsShelf.path(of: list)
        return call.redirect(to: LibraryPaths.with(back, "done=news-read"))
    }

    /// - Parameter head: of the fund whose news are shown; nil for a person's own.
    private static func newsPage(_ list: NewsList, head: FundHead?, _ call: PageCall) async throws -> Response {
        let user = try call.userID
        let shelf = try NewsShelf(list, call)
        let opened = try await OpenedNews(in: shelf, call)
        if let answer = try opened?.alone() { return answer }
        let name = "news \(shelf.path)" + PageQueryText.text(shelf.fields)
        let section = try call.section(of: name)
        // Before the list is read: what comes meanwhile stays unread.
        let latest = try await call.news.latestItem(of: user)
        let page = try await call.news.items(shelf.filter, of: user, section)
        let feeds = try await call.news.feeds(in: list, of: user)
        let choices = NewsChoices(feeds, in: shelf, call.words)
        let isEmpty = page.items.isEmpty && section.cursor == nil
        var model: PageModel = [
            "atNews": head == nil, "hasNewsStyle": true, "fund": (head?.model).orAbsent, "here": shelf.address,
            "path": shelf.path, "words": shelf.filter.words ?? "",
            "hiddenFields": shelf.fields.compactMap { field -> PageModel? in
                guard field.name != "q", let value = field.value else { return nil }
                return ["name": field.name, "value": value]
            },
            "readAction": "\(shelf.path)/read", "states": choices.states, "choices": choices.feeds,
            "hasChoices": feeds.count > 1, "chosenFeed": choices.chosen.orAbsent,
            "rows": page.items.map { NewsRow.model($0, in: shelf, isOpen: opened?.item.id == $0.id, call) },
            "isEmpty": isEmpty, "emptyText": emptyText(shelf, hasFeeds: !feeds.isEmpty, call.words),
            "emptyLink": emptyLink(shelf, hasFeeds: !feeds.isEmpty, call.words).orAbsent,
            "keepsRows": shelf.filter.state == .unread,
            "readFeed": (shelf.filter.subscription?.description).orAbsent, "readFolder": shelf.filter.folder.orAbsent,
            "upto": false,
        ]
        model["paging"] = try call.paging(shelf.path, shelf.fields, next: page.next, of: name)
        // With words or stars the list shows some of what would be marked.
        let isWhole = shelf.filter.words == nil && shelf.filter.state != .starred
        if choices.unreadCount > 0, isWhole, section.cursor == nil, let latest {
            model["upto"] = "\(latest)"
        }
        let title = head.map { "\($0.fund.name) · \(call.words("feeds.title"))" } ?? call.words("feeds.title")
        if let opened { (model["openedItem"], model["listTitle"]) = (opened.model, title) }
        return call.page("news", model, title: opened?.title ?? title)
    }

    private static func emptyText(_ shelf: NewsShelf, hasFeeds: Bool, _ words: Words) -> String {
        guard hasFeeds else {
            return words(shelf.list == .own ? "feeds.empty" : "feeds.empty.fund")
        }
        guard shelf.filter.words == nil else { return words("feeds.empty.words") }
        return switch shelf.filter.state {
        case .unread: words("feeds.empty.unread")
        case .starred: words("feeds.empty.starred")
        case .all: words("feeds.empty.items")
        }
    }

    private static func emptyLink(_ shelf: NewsShelf, hasFeeds: Bool, _ words: Words) -> PageModel? {
        guard hasFeeds else { return ["address": "\(shelf.path)/feeds", "text": words("feeds.add.first")] }
        guard shelf.isNarrow else { return nil }
        return ["address": shelf.path, "text": words("feeds.all")]
    }
}

/// The chips above a list of news: what is read, and which feed it is of.
struct NewsChoices {
    let states: [PageModel]
    /// Folders, each before its feeds, and the feeds without one.
    let feeds: [PageModel]
    /// The name of the folder or feed that is chosen.
    let chosen: String?
    /// Unread items of what is chosen.
    let unreadCount: Int

    init(_ subscriptions: [NewsSubscription], in shelf: NewsShelf, _ words: Words) {
        let filter = shelf.filter
        states = NewsFilter.State.allCases.map { state in
            [
                "text": words("feeds.state.\(state.rawValue)"), "address": shelf.address { $0.state = state },
                "isChosen": filter.state == state,
            ]
        }
        func row(
            _ text: String, isFolder: Bool, isInFolder: Bool, unread: Int, isChosen: Bool,
            _ change: (inout NewsFilter) -> Void
        ) -> PageModel {
            [
                "text": text, "isFolder": isFolder, "isInFolder": isInFolder, "isChosen": isChosen,
                "unread": (unread > 0 ? "\(unread)" : nil).orAbsent, "address": shelf.address(change),
            ]
        }
        let isAll = filter.subscription == nil && filter.folder == nil
        let all = subscriptions.reduce(0) { $0 + $1.unreadCount }
        var rows = [
            row(words("feeds.all"), isFolder: false, isInFolder: false, unread: all, isChosen: isAll) {
                ($0.folder, $0.subscription) = (nil, nil)
            }
        ]
        var folder = ""
        for subscription in subscriptions {
            if subscription.folder != folder {
                folder = subscription.folder
                let unread = subscriptions.filter { $0.folder == folder }.reduce(0) { $0 + $1.unreadCount }
                let name = folder
                rows.append(
                    row(
                        folder, isFolder: true, isInFolder: false, unread: unread,
                        isChosen: filter.folder == folder && filter.subscription == nil
                    ) { ($0.folder, $0.subscription) = (name, nil) })
            }
            rows.append(
                row(
                    Words.shown(subscription.title), isFolder: false, isInFolder: !subscription.folder.isEmpty,
                    unread: subscription.unreadCount, isChosen: filter.subscription == subscription.id
                ) { ($0.folder, $0.subscription) = (nil, subscription.id) })
        }
        feeds = rows
        let one = subscriptions.first { $0.id == filter.subscription }
        chosen = one.map { Words.shown($0.title) } ?? filter.folder
        unreadCount =
            one?.unreadCount
            ?? subscriptions.filter { filter.folder == nil || $0.folder == filter.folder }
            .reduce(0) { $0 + $1.unreadCount }
    }
}

/// A row of a list of news.
enum NewsRow {
    static func model(_ item: NewsItem, in shelf: NewsShelf, isOpen: Bool, _ call: PageCall) -> PageModel {
        [
            "id": "\(item.id)", "name": title(of: item, call.words), "address": shelf.link(to: item.id),
            "feedName": Words.shown(item.feedTitle), "face": Initials.text(of: item.feedTitle),
            "faceHue": Initials.hue(of: item.feedTitle),
            "excerpt": (item.excerpt.isEmpty ? nil : item.excerpt).orAbsent,
            "time": call.formats.time(item.publishedAt), "isNew": !item.isRead, "isStarred": item.isStarred,
            "isOpen": isOpen,
        ]
    }

    /// The title of an item for a row; the beginning of its text for one that has none.
    static func title(of item: NewsItem, _ words: Words) -> String {
        if !item.title.isEmpty { return Words.shown(item.title) }
        return item.excerpt.isEmpty ? words("feed.untitled") : item.excerpt.prefix(bytes: 100) + "…"
    }
}
