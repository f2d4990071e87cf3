internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// An item of news that is opened beside its list. Opening it marks it as read.
struct OpenedNews {
    /// Funds in the menu that keeps an item.
    private static let maxFunds = 200

    let item: NewsItem
    let title: String
    /// For the template `detail`.
    let model: PageModel
    private let call: PageCall

    /// Nil when nothing is open. Throws 404 for what the reader may not see.
    init?(in shelf: NewsShelf, _ call: PageCall) async throws {
        let (query, user) = (try call.query(), try call.userID)
        guard let id = try shelf.openedItem(query) else { return nil }
        let article = try await call.news.article(id, of: user)
        if call.request.method == .get, !article.item.isRead {
            try await call.news.mark([id], NewsMark(isRead: true), of: user)
        }
        item = article.item
        title = NewsRow.title(of: item, call.words)
        let funds = try await call.library.funds(of: user, PageQuery(limit: Self.maxFunds)).items
        var model: PageModel = [
            "newsItem": true, "type": "news", "id": "\(id)", "key": "news-\(id)", "name": title,
            "hue": Initials.hue(of: item.feedTitle), "close": shelf.address, "here": shelf.address(of: id),
            "csrf": call.csrf ?? "", "isStarred": item.isStarred, "original": item.link.orAbsent,
            "feedName": Words.shown(item.feedTitle), "face": Initials.text(of: item.feedTitle),
            "faceHue": Initials.hue(of: item.feedTitle), "feedAddress": shelf.path,
            "author": item.author.map(Words.shown).orAbsent,
            "published": call.formats.exactTime(item.publishedAt), "hasFunds": !funds.isEmpty,
            "makesPDF": call.parts.newsPDFs?.isPossible ?? false,
            "funds": funds.map { fund in
                PageModel.choice("\(fund.id)", "[\(fund.name)]", isChosen: shelf.list == .fund(fund.id))
            },
            "enclosures": article.enclosures.map(Self.enclosure), "hasEnclosures": !article.enclosures.isEmpty,
            "beside": try await Self.beside(id, in: shelf, call).orAbsent,
        ]
        model.merge(try await NewsView(article, call).model())
        try await call.reservePage(of: model)
        (self.model, self.call) = (model, call)
    }

    /// The opened item without its list; nil when the whole page is asked for.
    func alone() throws -> Response? {
        guard try OpenedItem.isAskedAlone(call) else { return nil }
        return call.page("opened", ["openedItem": model], title: title)
    }

    private static func beside(_ id: NewsItem.ID, in shelf: NewsShelf, _ call: PageCall) async throws -> PageModel? {
        let found = try await call.news.neighbours(of: id, in: shelf.filter, of: try call.userID)
        guard found.previous != nil || found.next != nil else { return nil }
        func link(_ item: NewsItem?) -> PageModel? {
            item.map { ["address": shelf.link(to: $0.id), "name": NewsRow.title(of: $0, call.words)] }
        }
        return ["previous": link(found.previous).orAbsent, "following": link(found.next).orAbsent]
    }

    private static func enclosure(_ enclosure: NewsEnclosure) -> PageModel {
        let size = enclosure.size.map { ByteSize.text($0) }
        return [
            "address": enclosure.address,
            "text": enclosure.address.split(separator: "/").last.map { String($0.prefix { $0 != "?" }) } ?? "",
            "kind": [enclosure.contentType, size].compactMap { $0 }.joined(separator: " · "),
        ]
    }
}

/// The body of an item: its HTML in a frame, or its text where there is no HTML that can be shown.
struct NewsView {
    private let article: NewsArticle
    private let call: PageCall

    init(_ article: NewsArticle, _ call: PageCall) { (self.article, self.call) = (article, call) }

    func model() async throws -> PageModel {
        var model: PageModel = [:]
        if !article.html.isEmpty, call.parts.sanitizer != nil {
            if let frame = try await frame() { return ["frame": frame] }
            model["isUnreadable"] = true
        }
        let html = article.html
        model.merge(
            TextLinks.model(of: try await BlockingThreads.run { TextLinks.parts(of: VisibleText.of(html: html)) }, call)
        )
        return model
    }

    /// Nil when the HTML cannot be shown.
    private func frame() async throws -> PageModel? {
        let (id, user) = (article.item.id, try call.userID)
        let token = try call.query()["pictures"]
        let isGranted = call.pages.pictureGrants.isGood(token, for: .news(id), of: user)
        let document = MailDocument(news: article, showsRemotePictures: isGranted)
        guard let mail = try await document.sanitized(by: call.pages.sanitizedMails, for: user) else { return nil }
        var model: PageModel = [
            "address": "\(PageRoute.newsPath)/items/\(id)/frame"
                + PageQueryText.text([("pictures", isGranted ? token : nil)]),
            "width": MailDocument.width(of: mail).map { "\($0)" }.orAbsent,
            "isCut": mail.isCut, "isDark": mail.hasDarkColours, "canShow": !isGranted && mail.blockedPictures > 0,
            "blocked": false,
        ]
        if mail.blockedPictures > 0 {
            model["blocked"] = ["text": call.words.count("pictures", mail.blockedPictures)] as PageModel
        }
        return model
    }
}
