internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// Acts on one item of news.
    static let newsItemRoutes: [PageRoute] = [
        .post("\(newsPath)/items/{item}/star") { call, form in
            guard let on = form["on"], on == "1" || on == "0" else {
                throw RequestError.invalid("on must be 1 or 0")
            }
            try await call.markNews(NewsMark(isStarred: on == "1"))
            if call.wantsJSON { return Response(status: .noContent, headers: [.cacheControl: "no-store"]) }
            return call.redirect(to: call.localPath(form["back"]) ?? newsPath)
        },
        .post("\(newsPath)/items/{item}/unread") { call, form in
            try await call.markNews(NewsMark(isRead: false))
            return call.redirect(to: LibraryPaths.with(call.localPath(form["back"]) ?? newsPath, "done=news-unread"))
        },
        .post("\(newsPath)/items/{item}/keep") { call, form in
            guard let kind = form["as"].flatMap(KeptNewsForm.init(rawValue:)),
                let fund = form["fund"].flatMap(QueryText.number)
            else { throw RequestError.invalid("the form names no fund, or nothing to make of the item") }
            let item = try await call.keepNews(try call.id("item"), as: kind, in: Fund.ID(fund))
            let back = LibraryPaths.with(call.localPath(form["back"]) ?? newsPath, "done=news-\(kind.rawValue)")
            return call.redirect(to: back + (item.openKey.map { "&kept=\($0)" } ?? ""))
        },
        .post("\(newsPath)/items/{item}/pictures") { call, form in
            let id: NewsItem.ID = try call.id("item")
            _ = try await call.news.article(id, of: try call.userID)
            let token = call.pages.pictureGrants.make(for: .news(id), of: try call.userID)
            let back =
                call.localPath(form["back"])
                ?? newsPath + PageQueryText.text([(ShownList.openField, NewsShelf.key(of: id))])
            return call.redirect(to: LibraryPaths.with(back, "pictures=\(token)"))
        },
    ]

    /// The body of an item, for its frame.
    static let newsFrameRoutes: [PageRoute] = [
        .get("\(newsPath)/items/{item}/frame") { call in
            let (id, user) = (try call.id("item"), try call.userID) as (NewsItem.ID, User.ID)
            let article = try await call.news.article(id, of: user)
            // On its own it would be a page of this site that says what a feed wants.
            guard call.request.headers[.secFetchDest] == "iframe" else {
                return call.redirect(to: newsPath + PageQueryText.text([(ShownList.openField, NewsShelf.key(of: id))]))
            }
            // A look at the head uses no address up, and is worth no run of the sanitizer.
            guard call.request.method == .get else { return MailFrame.response(nil, remotePictures: false) }
            let isGranted = call.pages.pictureGrants.use(try call.query()["pictures"], for: .news(id), of: user)
            let document = MailDocument(news: article, showsRemotePictures: isGranted)
            return try await MailFrame.response(of: document, remotePictures: isGranted, call)
        }.streamed
    ]
}

extension PageCall {
    /// Changes the marks of the item of the path. Throws 404.
    fileprivate func markNews(_ mark: NewsMark) async throws {
        guard try await !news.mark([try id("item")], mark, of: try userID).isEmpty else { throw RequestError.notFound }
    }
}
