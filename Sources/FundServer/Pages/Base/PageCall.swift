internal import FundHTTP
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import FundCore
internal import Logging

/// One request for a page.
struct PageCall: UserCall {
    private static let maxFormBytes = 2 << 20

    let request: Request
    let context: ServerContext
    let pages: PageParts
    /// Nil without a live session.
    var signedIn: SignedIn?
    /// The point in the feed of changes from before anything on the page was read: live updates go on from here.
    var changeCursor: ChangeCursor?
    /// Values of the shell beside the page, by the id of the fund that the page is of; nil without a session, and for
    /// answers that are no pages.
    var sidebar: HeldPage.Sidebar?
    /// Holds the page of an act; nil where the shell is read before the page is made.
    var held: HeldPage?
    let language: Language
    /// Token of the cookie, live or not.
    var sessionToken: String?

    init(request: Request, context: ServerContext, pages: PageParts) {
        self.request = request
        self.context = context
        self.pages = pages
        language = Language(of: request)
        sessionToken = PageSessions.token(of: request, context)
    }

    var parts: ApplicationParts { pages.web }
    var words: Words { Words(language: language) }
    var formats: Formats { Formats(words: words, now: parts.authenticator.now()) }

    func authenticate() async throws -> SignedIn {
        guard let sessionToken else { throw RequestError.unauthenticated }
        return try await parts.authenticator.user(bearing: sessionToken)
    }

    /// Whether a script does something with the answer.
    var wantsJSON: Bool { request.headers[.accept] == "application/json" }

    var isRead: Bool { request.method == .get || request.method == .head }

    /// Path and query, as the browser asked.
    var address: String { request.head.path ?? "/" }

    /// Seconds after which a page that waits for something loads itself again, as its model says by `refresh`.
    static let refreshSeconds = "3"

    /// Bytes of a page for people without a session, besides what it gives back of their form.
    private static let strangersPageBytes = 64 * 1024

    /// The body as a form. Reserves room for the answer. Throws 415 for other bodies.
    /// - Parameters:
    ///   - isLogin: whether it is one, for which there is a room that no other form takes.
    ///   - maxUnproven: bytes of a form that comes without a session; nil for those of a login.
    func form(isLogin: Bool = false, maxUnproven: Int? = nil) async throws -> FieldText {
        let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard type == "application/x-www-form-urlencoded" else {
            throw RequestError(.unsupportedMediaType, "not-form", "the body must be a form")
        }
        guard signedIn != nil else {
            let room = isLogin ? parts.logins : parts.forms
            let most = maxUnproven ?? parts.limits.maxLoginBytes
            let (fields, count) = try await context.readUnproven(request, in: room, upTo: most) { body in
                (try await self.fields(of: body), body.count)
            }
            try await context.reserveResponse(of: Self.strangersPageBytes + count)
            return fields
        }
        let fields = try await parts.bodies.read(request, of: try userID, upTo: Self.maxFormBytes) { bytes in
            try await self.fields(of: bytes)
        }
        try await context.reserveResponse()
        return fields
    }

    /// Bytes of the body of a one-click request: a form with one field, or the same in parts.
    private static let maxOneClickBytes = 4096

    /// Reads the body of a one-click request, whatever it says. Reserves room for the answer.
    func readOneClick() async throws {
        let count = try await context.readUnproven(request, in: parts.forms, upTo: Self.maxOneClickBytes) { $0.count }
        guard signedIn == nil else { return try await context.reserveResponse() }
        try await context.reserveResponse(of: Self.strangersPageBytes + count)
    }

    private func fields(of form: [UInt8]) async throws -> FieldText {
        try await parts.readers.read(form.count, of: context.origin) {
            try FieldText(formBytes: form).withoutLongRuns(except: PageDraft.textFields)
        }
    }

    /// Reserves room for a page that shows long texts. Call it before the page is made.
    func reservePage(of model: PageModel) async throws {
        try await context.reserveResponse(of: Self.strangersPageBytes + model.escapedCount)
    }

    /// Throws 403 unless it is the token of a form of this session. Without a session there is none to check: nothing
    /// but signing in is open then, and `PageSessions.checkOrigin` has looked at where the form came from.
    func checkToken(_ token: String?) throws {
        guard signedIn != nil, let sessionToken else { return }
        guard let token, pages.sessions.isFormToken(token, of: sessionToken) else { throw RequestError.foreignForm }
    }

    /// A token for the forms of a page, another text each time; nil without a session.
    var csrf: String? { signedIn == nil ? nil : sessionToken.map(pages.sessions.formToken) }

    // MARK: Answers

    /// One page.
    /// - Parameters:
    ///   - title: in the reader's language; without brackets or names of this program.
    ///   - isKept: false for a page with something private that no cache may keep.
    func page(
        _ template: String, _ model: PageModel, title: String, status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:], isKept: Bool = true
    ) -> Response {
        if let held {
            held.keep { [self] sidebar in
                var call = self
                (call.held, call.sidebar) = (nil, sidebar)
                return call.page(template, model, title: title, status: status, headers: headers, isKept: isKept)
            }
            return Response(status: status)
        }
        var model = model
        model["title"] = title
        model["lang"] = language.tag
        model["theme"] = Theme(of: request).rawValue
        model["assets"] = pages.assets.path
        // A page that our scripts fetch is taken apart without its head.
        model["isOpened"] = request.headers[.secFetchDest] == "document"
        // The path of an act is no page that one could come back to.
        let here = isRead ? nil : localPath(model.text("here"))
        model["address"] = model["address"] ?? here ?? address
        if let signedIn, let csrf {
            model["user"] = signedIn.user.email
            model["isAdministrator"] = signedIn.user.isAdministrator
            model["csrf"] = csrf
            model["userID"] = "\(signedIn.user.id)"
            model["side"] = sidebar.map { $0(model.model("fund")?.text("id")) }
            model["changes"] = changeCursor.map { "\(parts.changeCursors.seal($0, for: signedIn.user.id))" }
        }
        if let query = try? query(), let done = query["done"], let text = outcome(query) {
            model["done"] = text
            model["undo"] = UndoOffer(query["undo"], self)?.model
            model["kept"] =
                query["kept"].flatMap { LibraryItemID(openKey: $0) }.map {
                    "/library/\($0.kind == .note ? "notes" : "files")/\($0.number)"
                }.orAbsent
            model["letter"] = query["letter"].flatMap { QueryText.number($0) }.map { "\($0)" }.orAbsent
            model["isLoss"] = [
                "not-saved", "nothing", "nothing-there", "notes-stay", "texts-stay", "not-in-trash", "draft-foreign",
                "unmoved",
                "skipped", "changed-since", "changed-partly", "factor-taken", "confirm-first", "no-factors",
                "alias-known", "alias-gone", "contact-gone", "letter-changed", "letter-known", "too-many",
            ].contains(done)
            if done == "deleted-many" { model["trash"] = "/library/trash" }
            if done == "deleted-texts" { model["trash"] = "/library/trash?of=mail" }
        }
        if var opened = model.model("openedItem") {
            // It has no name of the list around it: a name that is missing is missing.
            opened["assets"] = pages.assets.path
            model["openedItem"] = opened.apart
            model["hasPaper"] = true
        }
        let text: [UInt8]
        do { text = try pages.templates.render(template, model, in: language) } catch { return unmade(error) }
        var headers = headers
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.cacheControl] = isKept ? "private, no-cache" : "no-store"
        headers[.contentSecurityPolicy] = PagePolicy.pages
        headers[.referrerPolicy] = "same-origin"
        headers[.crossOriginOpenerPolicy] = "same-origin"
        headers[.vary] = "Accept-Language, Cookie"
        return Response(status: status, headers: headers, text: ByteBuffer(bytes: text), to: request)
    }

    /// The answer in place of a page that lacks a value: a mistake of this program, which ends nothing but this page.
    /// It takes no template.
    private func unmade(_ error: PageTemplateError) -> Response {
        context.logger.error("\(error)", metadata: ["request": "\(context.id)"])
        let headers: HTTPFields = [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"]
        let text = ByteBuffer(string: words("error.internal") + "\n")
        return Response(status: .internalServerError, headers: headers, text: text, to: request)
    }

    /// 303: the browser gets another page (RFC 9110 §15.4.4).
    func redirect(to path: String, headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.location] = path
        headers[.cacheControl] = "no-store"
        return Response(status: .seeOther, headers: headers)
    }

    /// A path of this server from a text that came with a request; nil for anything that leads elsewhere.
    func localPath(_ text: String?) -> String? {
        guard let text, text.utf8.count <= 2048, text.hasPrefix("/"), !text.hasPrefix("//"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
        else { return nil }
        return text
    }

    func localPath(ofReferrer text: String) -> String? {
        guard let url = URL(string: text) else { return nil }
        return localPath(url.path + (url.query.map { "?" + $0 } ?? ""))
    }
}
