internal import FundHTTP
internal import FundCore
internal import Hummingbird

/// News, as pages and web API read and change them.
extension UserCall {
    var news: any NewsLibrary { parts.store.news }

    /// The items that the query asks for by `folder`, `feed`, `state` and `q`. Throws 400 for another state.
    func newsFilter(_ query: QueryText, in list: NewsList) throws -> NewsFilter {
        let word = query.word("state")
        guard let state = word.map(NewsFilter.State.init(rawValue:)) ?? .all else {
            let states = NewsFilter.State.allCases.map(\.rawValue).joined(separator: ", ")
            throw RequestError.invalid("state must be one of \(states)")
        }
        return NewsFilter(
            list: list, folder: query["folder"], subscription: try query.id("feed"), state: state, words: query["q"])
    }

    /// The list of news of a fund of the user, or their own without one. Throws 404 for another's fund.
    func newsList(of fund: Fund.ID?) async throws -> NewsList {
        guard let fund else { return .own }
        return .fund(try await library.fund(fund, of: try userID).id)
    }

    /// The feeds at an address that a person typed: the one that stands there, or those that its page names. Without a
    /// part that asks other servers the address itself is taken at its word.
    ///
    /// Throws `NewsError`, also when there is none.
    func findFeeds(at text: String) async throws -> [FoundFeed] {
        guard let address = NewsAddress(text) else { throw NewsError(.address) }
        guard let source = parts.newsSource else { return [FoundFeed(address: address, title: "")] }
        guard let permit = parts.newsSearches.permit(for: try userID) else { throw RequestError.busy }
        defer { withExtendedLifetime(permit) {} }
        let found = try await source.findFeeds(at: address)
        guard !found.isEmpty else { throw NewsError(.noFeed) }
        return found
    }

    /// Puts feeds into a list, and has them fetched at once. Throws `invalid` with a problem for those that cannot be
    /// taken, and `NewsError` for an address that is never asked.
    /// - Parameter leavesOut: takes as many as the list has room for.
    func addFeeds(
        _ feeds: [NewNewsFeed], to list: NewsList, leavesOut: Bool = false
    ) async throws -> [NewsSubscription] {
        guard feeds.allSatisfy({ mayAsk($0.address) }) else { throw NewsError(.privateAddress) }
        let added = try await news.addFeeds(feeds, to: list, of: try userID, leavesOut: leavesOut)
        parts.newsSource?.hurry()
        return added
    }

    private func mayAsk(_ address: NewsAddress) -> Bool { parts.newsSource?.mayAsk(address) ?? true }

    /// Reads a list of feeds (OPML) and adds those whose addresses can be fetched, as many
    /// as the list has room for. Their titles are this reader's names for them.
    /// - Returns: the feeds that the list has now, and the number of those that were left out.
    func importFeeds(_ file: [UInt8], to list: NewsList) async throws -> (added: [NewsSubscription], leftOut: Int) {
        guard let parser = parts.feedParser else { throw RequestError.noFeedList }
        guard case .outlines(let outlines) = try await parser.readFeed(FeedDocument(bytes: file)) else {
            throw RequestError.noFeedList
        }
        let forbidden = ForbiddenSites(try await news.forbiddenHosts())
        let feeds = outlines.compactMap { outline -> NewNewsFeed? in
            guard let address = NewsAddress(outline.address), !forbidden.contains(host: address.host), mayAsk(address)
            else { return nil }
            let folder = outline.folder.prefix(bytes: NewsLimits.maxNameBytes)
            let title = outline.title.prefix(bytes: NewsLimits.maxNameBytes)
            return NewNewsFeed(address: address, ownTitle: title.isEmpty ? nil : title, folder: folder)
        }
        guard !feeds.isEmpty else { throw RequestError.noFeedList }
        let added = try await addFeeds(feeds, to: list, leavesOut: true)
        guard !added.isEmpty else { throw StoreError("import feeds", NewsLimits.isFull) }
        let addresses = Set(added.map(\.feed.address))
        let taken = feeds.count { addresses.contains($0.address.text) }
        return (added, outlines.count - taken)
    }

    /// The feeds of a list as a file that programs exchange (OPML).
    func feedExport(of list: NewsList) async throws -> Response {
        let text = OPMLWriter.text(of: try await news.feeds(in: list, of: try userID), titled: "Fundmail")
        try await context.reserveResponse(of: text.utf8.count)
        return Response(
            .ok, "text/x-opml; charset=utf-8", ByteBuffer(string: text),
            headers: [
                .contentDisposition: ContentHeaders.disposition("attachment", name: "feeds.opml"),
                .cacheControl: "no-store", .contentSecurityPolicy: "default-src 'none'; sandbox",
            ])
    }

    /// Keeps an item in a fund of the user, as a note, a text file or a PDF. Throws 404 for what is not theirs, and
    /// what `NewsPDFs.pdf` throws.
    func keepNews(_ id: NewsItem.ID, as form: KeptNewsForm, in fund: Fund.ID) async throws -> LibraryItemID {
        let user = try userID
        let article = try await news.article(id, of: user)
        // Before anything is written.
        _ = try await library.fund(fund, of: user)
        switch form {
        case .note:
            let text = try await BlockingThreads.run { article.note }
            return .note(try await library.addNote(text, in: fund, of: user).id)
        case .file:
            let file = try await BlockingThreads.run { article.textFile }
            return .file(
                try await keepNews(
                    ByteBuffer(string: file.content), named: file.name, "text/plain; charset=utf-8", in: fund))
        case .pdf:
            guard let pdfs = parts.newsPDFs else { throw RequestError.noNewsPDF("off") }
            let pdf = try await pdfs.pdf(of: article, for: user)
            let name = try await BlockingThreads.run { "\(article.fileStem).pdf" }
            return .file(try await keepNews(ByteBuffer(bytes: pdf), named: name, "application/pdf", in: fund))
        }
    }

    private func keepNews(
        _ bytes: ByteBuffer, named name: String, _ contentType: String, in fund: Fund.ID
    ) async throws -> FileEntry.ID {
        var rest: ByteBuffer? = bytes
        let upload = try await parts.uploads.receive(
            named: name, announcing: Int64(bytes.readableBytes), contentType: contentType,
            next: {
                defer { rest = nil }
                return rest
            }, checkUser: { try await requireNewsReader() })
        let target = FileTarget(name, in: LibraryPlace(fund: fund), ifTaken: .number)
        return try await library.addFile(upload, at: target, of: try userID).id
    }

    /// Offers a feed to everybody. Throws `NewsError` for what is no address.
    func offerFeed(at text: String, titled title: String?, in folder: String?) async throws -> OfferedFeed {
        guard let address = NewsAddress(text) else { throw NewsError(.address) }
        guard mayAsk(address) else { throw NewsError(.privateAddress) }
        let feed = NewNewsFeed(address: address, ownTitle: title, folder: folder ?? "")
        return try await news.offerFeed(feed, by: try user.email)
    }

    private func requireNewsReader() async throws {
        guard await isStillSignedIn() else { throw RequestError.unauthenticated }
    }
}

/// The form in which an item of news is kept in a fund.
enum KeptNewsForm: String, Sendable, CaseIterable {
    case note, file, pdf
}

extension RequestError {
    /// 404.
    static let newsIsOff = RequestError(.notFound, "news-off", "news is turned off on this server")

    /// 400.
    static var noFeedList: RequestError {
        var error = RequestError.invalid("the file is no list of feeds (OPML), or names none that can be fetched")
        error.problem = "no-feed-list"
        return error
    }
}

extension NewsError: RequestErrorConvertible {
    var requestError: RequestError {
        var error = RequestError.invalid(problem.text)
        error.problem = "feed-\(problem.rawValue)"
        error.cause = detail
        return error
    }
}
