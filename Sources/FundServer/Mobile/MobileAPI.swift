internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// The API of the tablet clients (docs/programs.md): a login gives a token, which signs calls and is not sent again.
struct MobileAPI: ServerInterface {
    private static let words: Set<Substring> = ["login", "funds", "notes", "emails", "attachments"]

    let accounts: any AccountStore
    let library: any FileLibrary & MailLibrary
    let authenticator: Authenticator
    let downloads: Downloads
    /// For the bodies of signed calls.
    var unproven = UnprovenBodies()
    var logins = UnprovenBodies()
    var readers = BodyReaders()

    var signCheck: MobileSignCheck {
        MobileSignCheck(
            authenticator: authenticator, store: accounts, unproven: unproven, logins: logins, readers: readers)
    }

    func addRoutes(to router: some RouterMethods<ServerContext>) {
        router.on("/login", method: .post, use: logIn)
        let signCheck = signCheck
        for route in signedRoutes {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                let call = try await signCheck.verify(request, context, maxBodyBytes: route.maxBodyBytes)
                if !route.isStreamed { try await context.reserveResponse() }
                return try await route.answer(call, request)
            }
        }
    }

    /// All routes but the login.
    var signedRoutes: [MobileRoute] { fundRoutes + noteRoutes + emailRoutes + attachmentRoutes }

    private var attachmentRoutes: [MobileRoute] {
        [HTTPRequest.Method.get, .head].map { method in
            MobileRoute(method, "/attachments/{1}/{2}/{3}", isStreamed: true) { call, request in
                let attachment = try await library.attachment(call.id(0), of: call.user.id)
                return try await downloads.response(ServedContent(attachment), to: request, over: call.sends)
            }
        }
    }

    func owns(path: String) -> Bool { path.split(separator: "/").first.map(Self.words.contains) ?? false }

    func response(to failure: RequestError, _ request: Request, _ context: ServerContext) -> Response {
        // A path without a sign matches no route.
        let isUnsigned = failure.status == .notFound && MobileTarget(request.head.path ?? "") == nil
        return MobileReply.failure(isUnsigned && request.uri.path != "/login" ? .unauthenticated : failure)
    }
}

extension MobileAPI {
    @Sendable func logIn(_ request: Request, _ context: ServerContext) async throws -> Response {
        try context.requireSecrecy()
        let fields = try await signCheck.fields(of: request, context)
        guard let name = fields["username"], let password = fields["password"] else {
            throw RequestError.invalid("username and password are needed")
        }
        let (user, token) = try await authenticator.logIn(
            .mobile, name: name, password: password, code: fields["code"], label: request.headers[.userAgent] ?? "",
            context)
        context.noteUser(user.id)
        return MobileReply.ok { json in
            json.field("token", token.characters)
            json.field("expire", token.record.expiresAt)
            json.field("user_id", user.id)
        }
    }

    var fundRoutes: [MobileRoute] {
        [
            MobileRoute(.get, "/funds/{1}/{2}") { call, _ in
                let user = call.user.id
                @Sendable func page(_ cursor: String?) async throws -> ListPage<FundEntry> {
                    try await library.funds(of: user, PageQuery(cursor: cursor))
                }
                let first = try await page(nil)
                return MobileReply.list("funds", first, write: { $0.mobileFund($1) }) { cursor in
                    try await call.sends?.takeForAnswer(within: nil)
                    return try await page(cursor)
                }
            },
            MobileRoute(.post, "/funds/{1}/{2}") { call, _ in
                Self.reply(try await library.addFund(call.text("name"), of: call.user.id))
            },
            MobileRoute(.put, "/funds/{1}/{2}/{3}") { call, _ in
                let (id, user): (Fund.ID, User.ID) = (try call.id(0), call.user.id)
                let fund = try await library.changeFund(
                    id, name: try call.text("name"), aliases: nil, if: nil, of: user)
                return Self.reply(fund)
            },
            MobileRoute(.delete, "/funds/{1}/{2}/{3}") { call, _ in
                try await library.delete(.fund(call.id(0)), if: nil, of: call.user.id)
                return MobileReply.ok()
            },
        ]
    }

    private static func reply(_ fund: FundEntry) -> Response {
        MobileReply.ok { json in
            json.field("id", fund.id)
            json.key("fund")
            json.mobileFund(fund)
            if let former = fund.tookNameFrom { json.field("took_name_from", former) }
        }
    }

    private static let maxEmails = 500

    var emailRoutes: [MobileRoute] {
        [
            MobileRoute(.get, "/emails/{1}/{2}/{3}") { call, _ in
                var query = EmailQuery()
                query.fund = try await library.fund(call.id(0), of: call.user.id).id
                query.since = try call.time("since")
                query.limit = Int(min(max(try call.number("limit") ?? Int64(Self.maxEmails), 1), Int64(Self.maxEmails)))
                query.cursor = call.fields["cursor"]
                let page = try await library.emails(query, of: call.user.id)
                return MobileReply.ok { json in
                    json.field("emails", page.items) { $0.mobileEmail($1) }
                    if let next = page.next { json.field("cursor", next) }
                }
            },
            MobileRoute(.get, "/emails/{1}/{2}/{3}/{4}") { call, _ in
                let email = try await library.email(call.id(0), of: call.user.id)
                guard email.summary.fund == (try call.id(1)) else { throw RequestError.notFound }
                let text = try await email.withPlainText { $0 }
                return MobileReply.ok { json in
                    json.key("email")
                    json.mobileEmail(email, text: text)
                }
            },
        ]
    }
}

/// A route of the mobile API. The sign is checked before its handler runs.
struct MobileRoute: Sendable {
    /// Bytes of most bodies.
    private static let maxBodyBytes = 64 * 1024
    /// Bytes of the body of a note, which holds a text of any kind.
    static let maxNoteBytes = 1024 * 1024

    let method: HTTPRequest.Method
    /// Ends with the user's id and the sign. Parameters are numbered: the router allows one name for a position.
    let path: String
    let maxBodyBytes: Int
    /// Whether the response is sent while it is read, and reserves room itself. Other responses are made in memory.
    let isStreamed: Bool
    let answer: @Sendable (MobileCall, Request) async throws -> Response

    init(
        _ method: HTTPRequest.Method, _ path: String, maxBodyBytes: Int = MobileRoute.maxBodyBytes,
        isStreamed: Bool = false, _ answer: @escaping @Sendable (MobileCall, Request) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.maxBodyBytes = maxBodyBytes
        self.isStreamed = isStreamed
        self.answer = answer
    }
}
