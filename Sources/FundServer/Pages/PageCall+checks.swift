internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

extension PageCall: RoutedCall {
    /// A cookie may have ended: who has one is a stranger then.
    func sender(for access: RouteAccess) async throws -> SignedIn? {
        guard sessionToken != nil else { return nil }
        do { return try await authenticate() } catch is AuthenticationError { return nil }
    }

    func checkOrigin() throws { try pages.sessions.checkOrigin(of: request, context) }

    /// A link from a mail reaches a browser without the cookie when it comes from another site (`SameSite=Strict`): the
    /// page that loads itself again is asked for by this site.
    var detour: Response? {
        guard sessionToken == nil, isRead, request.headers[.secFetchSite] == "cross-site" else { return nil }
        return page("again", ["address": address], title: "fundmail")
    }

    /// Leads to the page where one signs in, and back. What a form sent is not kept, which is said there; a note is
    /// carried along. Throws 401 to a script that listens to changes: `EventSource` would follow to a page, which is no
    /// stream.
    func responseToStranger(on route: PageRoute) async throws -> Response {
        guard !wantsEvents else { throw RequestError.unauthenticated }
        if let draft = route.draft, let page = try await PageRoute.signInPage(self, keeping: draft) { return page }
        if isRead {
            return redirect(to: "/sign-in" + PageQueryText.text([("next", address)]), headers: clearingOldPages)
        }
        let page = request.headers[.referer].flatMap(localPath(ofReferrer:))
        return redirect(to: "/sign-in" + PageQueryText.text([("next", page), ("done", "not-saved")]))
    }

    /// Leads to the page where a second factor is set up, and back.
    func responseBeforeSecondFactor() throws -> Response {
        guard isRead, !wantsEvents, !wantsJSON else { throw RequestError.secondFactorMissing }
        return redirect(to: PageRoute.factorPath + PageQueryText.text([("next", address)]))
    }

    /// Leads to the page where one confirms that it is oneself, and back to the page of the form.
    func responseBeforeProof() throws -> Response {
        guard !wantsJSON else { throw RequestError.confirmFirst }
        return confirmFirst(next: request.headers[.referer].flatMap(localPath(ofReferrer:)))
    }

    mutating func prepare(for route: PageRoute) async throws {
        guard !route.isStreamed else { return }
        // Forms do once they are read.
        if request.method == .get { try await context.reserveResponse() }
        // Before anything is read: what changes after it is shown by the stream.
        if route.isLive, let signedIn { changeCursor = try await library.latestChange(of: signedIn.user.id) }
        guard !wantsJSON, let signedIn, !signedIn.lacksSecondFactor else { return }
        switch route.method {
        case .get where !route.marksRead: sidebar = try await shell(of: signedIn.user)
        case .get, .post: held = HeldPage()
        default: break
        }
    }

    private func shell(of user: User) async throws -> HeldPage.Sidebar {
        let (summary, hasKeys) = (try await pages.sidebars.summary(of: user), PageKeys(of: request) == .on)
        let (mailboxes, hasDrives) = (parts.mailboxes.names, hasDrives)
        let room = try await pages.sidebars.room(of: user)
        let roomText = StorageText(words: words, formats: formats).model(room.used, of: room.limit)
        let isLetterTroubled = try await pages.sidebars.troubledLetters(of: user) > 0
        // Before the number is read: what changes after it is shown by the stream.
        let newsVersion = try await news.newsVersion(of: user.id)
        let newsIsOn = parts.newsIsOn()
        let unreadNews = newsIsOn ? try await pages.sidebars.unreadNews(of: user) : 0
        return { fund in
            var model = PageSidebar.model(summary, of: user, mailboxes: mailboxes, at: fund, hasKeys: hasKeys)
            model["isLetterTroubled"] = isLetterTroubled
            model["newsIsOn"] = newsIsOn
            model["scarceRoom"] = room.isNearlyFull ? PageValue.model(roomText) : .flag(false)
            model["hasDrives"] = hasDrives
            model["newsVersion"] = "\(newsVersion)"
            model["newsUnread"] = PageSidebar.count(unreadNews, upTo: PageSidebar.maxUnreadNews)
            return model
        }
    }

    /// The answer of a route, with the shell beside the page of an act.
    func finished(_ response: Response) async throws -> Response {
        guard let held, response.headers[.location] == nil else { return response }
        let made = try await held.response {
            guard let user = signedIn?.user else { return nil }
            return try await shell(of: user)
        }
        guard var page = made else { return response }
        // The act may have changed the status of its answer, and added fields such as a cookie.
        page.status = response.status
        for field in response.headers where field.name != .contentLength { page.headers.append(field) }
        return page
    }
}
