internal import FundHTTP
internal import FundCore
internal import HTTPTypes
internal import Hummingbird

/// One request by a person outside, with the token of a link in its path.
struct SharedCall: Sendable {
    private static let secureCookie = "__Secure-fundmail-link"
    /// On plain HTTP, where browsers refuse `__Secure-`.
    private static let plainCookie = "fundmail-link"

    /// The call for a page, without a session.
    let page: PageCall
    let token: String
    /// Nil as long as the link was not opened in this browser.
    let grant: LinkGrant?

    var links: ShareLinks { page.parts.links }
    var store: any ShareLinkStore { links.store }
    var now: Timestamp { page.parts.authenticator.now() }
    var words: Words { page.words }
    /// The network from which it comes.
    var network: ClientAddress { ClientAddress(page.context.peer) }
    /// The address of the link's first page.
    var base: String { "\(SharedRoute.root)/\(token)" }

    /// Nil when the path names no token.
    init?(_ request: Request, _ context: ServerContext, _ pages: PageParts) {
        guard let token = context.parameters.get("token"), ShareLinkKey.isToken(token) else { return nil }
        self.init(request, context, pages, token: token)
    }

    init(_ request: Request, _ context: ServerContext, _ pages: PageParts, token: String) {
        var page = PageCall(request: request, context: context, pages: pages)
        page.sessionToken = nil
        self.page = page
        self.token = token
        let cookie = Cookies.value(of: context.isEncrypted ? Self.secureCookie : Self.plainCookie, in: request)
        grant = pages.web.links.grants.open(cookie, of: token, at: pages.web.authenticator.now())
    }

    /// For `Set-Cookie`. The browser sends it with the addresses of this link alone; a link in a mail leads to an
    /// opened link (`SameSite=Lax`), since reading changes nothing.
    func cookie(_ grant: LinkGrant) throws -> String {
        let isSecure = page.context.isEncrypted
        let value = try links.grants.seal(grant, of: token)
        return "\(isSecure ? Self.secureCookie : Self.plainCookie)=\(value); Path=\(base); HttpOnly; SameSite=Lax; "
            + "Max-Age=\(LinkGrant.lifetime.components.seconds)\(isSecure ? "; Secure" : "")"
    }

    /// Throws 403 for a form that another site sent. Browsers that do not tell where a form comes from (Fetch Metadata)
    /// send `Origin: null` from a page without a referrer; what they send does nothing that a person who knows the
    /// link cannot do.
    func checkOrigin() throws {
        let headers = page.request.headers
        if headers[.secFetchSite] == nil, [nil, "null"].contains(headers[.origin]) { return }
        try page.pages.sessions.checkOrigin(of: page.request, page.context)
    }

    /// The grant of the browser. Throws 404 without one.
    func granted() throws -> LinkGrant {
        guard let grant else { throw RequestError.notFound }
        return grant
    }

    /// The link that was opened. Throws 404 when it has ended.
    func opened() async throws -> OpenedLink { try await store.openedLink(try granted().link, at: now) }

    /// The number of this path parameter. Throws 404 for other text.
    func id<Entity>(_ name: String) throws -> ID<Entity> { try page.id(name) }

    // MARK: Answers

    /// One page.
    /// - Parameter title: in the reader's language.
    func page(
        _ template: String, _ model: PageModel, title: String, status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> Response {
        var model = model
        // A form of the page leads to an address of this link alone.
        (model["base"], model["address"]) = (base, base)
        return page.page(template, model, title: title, status: status, headers: headers, isKept: false)
    }

    /// One page for a link that never was, one that has ended, and one that is used up.
    var gonePage: Response {
        page("sharedgone", [:], title: words("shared.gone.title"), status: .notFound)
    }

    /// A page that says what went wrong.
    func page(_ failure: RequestError) -> Response {
        var headers = failure.headers
        headers[.wwwAuthenticate] = nil
        return page(
            "sharedfailure", ["detail": words.sentence(failure), "isRead": page.isRead],
            title: words("error.title"), status: failure.status, headers: headers)
    }

    /// Sends a response that goes on for long, until the link ends or does not give this any more.
    /// - Parameter isAllowed: throws 404 when it does not.
    func transferring(
        _ response: Response, _ isAllowed: @escaping @Sendable () async throws -> Void
    ) throws -> Response {
        let (transfers, link, connection) = (links.transfers, try granted().link, page.context.connection)
        let body = response.body
        var response = response
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            try await transfers.run(of: link, isAllowed: { await Self.holds(isAllowed) }, cut: connection.close) {
                try await body.write(writer)
            }
        }
        return response
    }

    /// False only where the store says so: one that is busy says nothing.
    static func holds(_ isAllowed: () async throws -> Void) async -> Bool {
        do { try await isAllowed() } catch { return RequestError(error).status != .notFound }
        return true
    }
}
