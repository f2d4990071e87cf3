internal import FundHTTP
internal import Hummingbird
internal import FundCore
internal import Ingest

/// One request to a library, by a program or from a page: which user it is of, and what the path and the query name.
/// What both do in the same way stands here once.
protocol UserCall: Sendable {
    var request: Request { get }
    var context: ServerContext { get }
    var parts: ApplicationParts { get }
    /// Nil without an authenticated user.
    var signedIn: SignedIn? { get }

    /// Authenticates the sender again, while a long request or response goes on. Throws when that fails.
    func authenticate() async throws -> SignedIn
}

extension UserCall {
    func isStillSignedIn() async -> Bool { (try? await authenticate())?.lacksSecondFactor == false }

    func isStillAdministrator() async -> Bool {
        guard let sender = try? await authenticate(), !sender.lacksSecondFactor else { return false }
        return sender.user.isAdministrator
    }

    var library: any FileLibrary & MailLibrary { parts.store.library }
    var archive: any FundLibrary & FileReading & MailLibrary { parts.store.archive }
    var administration: any Administration & Desk { parts.store.administration }
    var accounts: any AccountStore { parts.store.accounts }

    /// The authenticated user.
    var user: User {
        get throws {
            guard let signedIn else { throw RequestError.unauthenticated }
            return signedIn.user
        }
    }

    var userID: User.ID { get throws { try user.id } }

    /// A permit to read a file of the user whole, which ends with its last reference. Throws 503 while they have one.
    func importPermit() throws -> UserPermits.Permit {
        guard let permit = parts.fileImports.permit(for: try userID) else { throw RequestError.busy }
        return permit
    }

    /// Ends the session of the sender. False without one.
    @discardableResult
    func endSession() async throws -> Bool {
        guard let signedIn, let token = signedIn.token else { return false }
        try await accounts.revokeToken(token.id, of: signedIn.user.id, actor: signedIn.user.email)
        return true
    }

    /// Ends all sessions of a user, but the one that asks; app passwords stay. Throws 404.
    func endSessions(of id: User.ID) async throws {
        try await accounts.revokeTokens(
            [.mobile, .web], of: id, keeping: signedIn?.token?.id, actor: try user.email)
    }

    /// The number of this path parameter. Throws 404 for other text.
    func id<Entity>(_ name: String) throws -> ID<Entity> {
        guard let text = context.parameters.get(name), let id = QueryText.number(text), id > 0 else {
            throw RequestError.notFound
        }
        return ID(id)
    }

    /// The name of the mailbox in the path. Names of mailboxes need no percent coding.
    func mailbox() throws -> String {
        guard let name = context.parameters.get("mailbox") else { throw RequestError.notFound }
        return name
    }

    /// The item whose kind and number stand in the path as `type` and `id`.
    func item() throws -> LibraryItemID {
        guard let kind = context.parameters.get("type").flatMap(ItemKind.init(name:)) else {
            throw RequestError.notFound
        }
        let id: ID<LibraryItem> = try id("id")
        return LibraryItemID(kind, id.rawValue)
    }

    /// The fields of the query. Throws 400 when it is malformed or names a field twice.
    func query() throws -> QueryText { try QueryText(request.uri.query ?? "") }

    /// Opens a cursor that this server sealed for this user and list; nil stays nil. Throws 400 for other text.
    func opened(_ cursor: String?, of list: String) throws -> String? {
        guard let cursor else { return nil }
        guard let opened = parts.cursors.open(cursor, of: list, for: try userID) else {
            throw RequestError.invalid("there is no such cursor")
        }
        return opened
    }

    func sealed(_ cursor: String?, of list: String) throws -> String? {
        try cursor.map { try parts.cursors.seal($0, of: list, for: userID) }
    }

    /// How the server has been doing within the period of the query, the last hour when it names none. Throws 400 for
    /// other periods.
    func health() async throws -> (period: HealthPeriod, state: HealthOverview.State) {
        let name = try query().word("period") ?? HealthPeriod.hour.rawValue
        guard let period = HealthPeriod(rawValue: name) else {
            throw RequestError.invalid("period is hour, day or week")
        }
        let now = parts.authenticator.now()
        return (period, try await parts.health.state(of: period, now: now, logger: context.logger))
    }

    func json(
        _ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], reserving capacity: Int = 1024,
        _ body: (inout JSONWriter) -> Void
    ) -> Response {
        var text = JSONWriter(reserving: capacity)
        text.object(body)
        return Response(status, "application/json; charset=utf-8", ByteBuffer(bytes: text.bytes), headers: headers)
    }

    /// Sends a content of this user, whole or in ranges, as the request asks.
    func download(_ content: ServedContent) async throws -> Response {
        try await parts.downloads.response(content, to: request, over: context.sends)
    }

    /// The file of the path parameter `file`. Throws 404.
    func fileContent() async throws -> ServedContent { try await parts.contents.file(try id("file"), of: try userID) }

    /// The file of the path parameter `file`, which the trash lists. Throws 404.
    func deletedFileContent() async throws -> ServedContent {
        try await parts.contents.deletedFile(try id("file"), of: try userID)
    }

    /// The file of the path parameter `file`, which lies in an archived fund. Throws 404.
    func archivedFileContent() async throws -> ServedContent {
        try await parts.contents.archivedFile(try id("file"), of: try userID)
    }

    /// The attachment of the path parameter `attachment`. Throws 404.
    func attachmentContent() async throws -> ServedContent {
        try await parts.contents.attachment(try id("attachment"), of: try userID)
    }

    /// The message of the path parameter `email`, as it came.
    func rawMessage() async throws -> Response {
        let id: EmailSummary.ID = try id("email")
        let raw = try await library.rawMessage(of: id, of: try userID)
        return try await download(ServedContent(message: "\(id)", digest: raw.digest, size: raw.size))
    }

    /// Changes the user's own password; only this session stays. Throws `wrongCredentials` when `current` is not
    /// theirs. The caller has called `ServerContext.requireSecrecy`, and `Password.problem` for the new one.
    func changePassword(from current: String, to new: String) async throws {
        guard let token = signedIn?.token else { throw RequestError.unauthenticated }
        try await parts.authenticator.changePassword(
            of: try user, from: current, to: new, keeping: token.id, at: ClientAddress(context.peer))
    }

    /// Whether the person proved lately that it is they who sit there.
    func isFresh() throws -> Bool {
        guard let token = signedIn?.token else { throw RequestError.unauthenticated }
        return parts.authenticator.freshProofs.isFresh(token, at: parts.authenticator.now())
    }

    /// False when the user has a second factor, and proved long ago that it is they who sit there.
    func isProven() async throws -> Bool {
        if try isFresh() { return true }
        return try await !accounts.secondFactors(of: try userID).areAsked
    }

    /// A link by which another person sets their password. Throws `conflict` for oneself, who knows the one before it.
    func makePasswordReset(for other: User.ID) async throws -> (characters: String, expiresAt: Timestamp) {
        guard try userID != other else {
            throw StoreError(.conflict, "make a link for a password", "one changes one's own with the one before it")
        }
        return try await parts.authenticator.makePasswordReset(for: other, actor: try user.email)
    }

    /// Throws 401 when the session ended while the request came; 403 when the user has a second factor, which an app
    /// password does without, and proved it long ago.
    func addAppPassword(_ label: String, reach: TokenReach) async throws -> IssuedToken {
        let user = try user
        guard try await isProven() else { throw RequestError.confirmFirst }
        do {
            return try await Accounts(store: accounts).addAppPassword(
                label, reach: reach, for: user, at: parts.authenticator.now(), actor: user.email,
                grantedBy: signedIn?.token?.id)
        } catch let failure as StoreError where failure.code == .conflict {
            throw RequestError.unauthenticated
        }
    }

    /// Ends the token of the path parameter `token`. Throws 404 when the user has no such token that is live.
    func revokeToken() async throws {
        let user = try user
        guard try await accounts.revokeToken(try id("token"), of: user.id, actor: user.email) else {
            throw RequestError.notFound
        }
    }
}
