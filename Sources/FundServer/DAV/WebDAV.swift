internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// The funds of a user as folders of files over WebDAV (RFC 4918, classes 1, 2 and 3), below `/dav/`.
struct WebDAV: ServerInterface {
    static let methods: [HTTPRequest.Method] = [
        .options, .get, .head, .put, .delete, .propfind, .proppatch, .mkcol, .copy, .move, .lock, .unlock,
    ]

    /// Methods that change nothing. A program is told of no locks that it cannot have: Finder and others then show the
    /// drive as one for reading.
    private static let readingMethods: [HTTPRequest.Method] = [.options, .get, .head, .propfind]

    let library: any FileLibrary
    let authenticator: Authenticator
    let downloads: Downloads
    let uploads: UploadIntake
    let checksums: BlobChecksums
    /// Items along paths that were asked for lately.
    let paths: VersionedValues<DAVResource.Key, [LibraryItem]>
    /// The space that users' files take, and what is left (RFC 4331). Clients ask for it with every listing, and adding
    /// up a hundred thousand files takes a tenth of a second, so that it is kept for some seconds.
    let quotas = FreshValues<User.ID, StorageUse>(lifetime: .seconds(10), maxEntries: 4096)
    /// Further authorities of this server, for `Destination` behind a proxy that changes `Host`.
    let publicAuthorities: [String]
    let cards: CardDAV
    let locks = LockTable()
    /// Serialises changes of a fund, see `changing`.
    let changes = KeyedMutex<ChangeScope>()

    func addRoutes(to router: some RouterMethods<ServerContext>) {
        for method in Self.methods {
            for path in ["dav", "dav/**"] as [RouterPath] {
                router.on(path, method: method) { request, context in try await answer(request, context) }
            }
        }
    }

    /// Clients ask the root before they ask for a folder (RFC 4918 §10.1), without credentials.
    var serverOptions: HTTPFields { [.dav: Self.classes, .msAuthorVia: "DAV"] }

    func owns(path: String) -> Bool { path == DAVPath.prefix || path.hasPrefix(DAVPath.prefix + "/") }

    func response(to failure: RequestError, _ request: Request, _ context: ServerContext) -> Response {
        var failure = failure
        if failure.status == .unauthorized {
            failure.headers[.wwwAuthenticate] = #"Basic realm="Fundmail", charset="UTF-8""#
        }
        // The router has all methods of this interface, so a request without a route has another method.
        if failure.status == .notFound, !Self.methods.contains(request.method) {
            failure = .methodNotAllowed(allow: Self.methods.map(\.rawValue))
        }
        return DAVError(failure.status, failure.detail, headers: failure.headers).response
    }

    private func answer(_ request: Request, _ context: ServerContext) async throws -> Response {
        let sender = try await signIn(request, context)
        let (user, onlyReads) = (sender.user, sender.reach == .read)
        context.noteUser(user.id)
        do {
            guard !onlyReads || Self.readingMethods.contains(request.method) else {
                throw DAVError(.forbidden, RequestError.outOfReach(of: .read).detail)
            }
            let call = try DAVCall(request, context, of: user, authorities: publicAuthorities)
            if let answer = try await contactsAnswer(call) { return answer }
            switch request.method {
            case .options: return onlyReads ? Self.readingOptions : Self.options
            case .get, .head: return try await get(call)
            case .put: return try await put(call)
            case .delete: return try await delete(call)
            case .propfind: return try await propfind(call)
            case .proppatch: return try await proppatch(call)
            case .mkcol: return try await makeCollection(call)
            case .copy: return try await copyOrMove(call, isMove: false)
            case .move: return try await copyOrMove(call, isMove: true)
            case .lock: return try await lock(call)
            case .unlock: return try await unlock(call)
            default: throw RequestError.methodNotAllowed(allow: Self.methods.map(\.rawValue))
            }
        } catch let error as any DAVResponseError {
            return error.response
        } catch let error as StoreError where error.code == .overQuota {
            return DAVError(.insufficientStorage, error.requestError.detail, .quotaNotExceeded).response
        }
    }

    /// The answer of the address books, whose other name is that of a fund `contacts`: such a fund, and what makes one,
    /// goes first.
    private func contactsAnswer(_ call: DAVCall) async throws -> Response? {
        guard CardDAV.isOfAlias(call.path), [.get, .head, .options, .propfind].contains(call.request.method),
            try await !resource(at: DAVPath(names: [CardDAV.aliasName]), of: call.user).isThere
        else { return nil }
        return try await cards.response(to: call.request, call.context, of: call.user, at: CardDAV.alias)
    }

    private static let classes = "1, 2, 3"

    private static let options = options(classes, methods)
    private static let readingOptions = options("1, 3", readingMethods)

    private static func options(_ classes: String, _ methods: [HTTPRequest.Method]) -> Response {
        Response(
            status: .ok,
            headers: [
                .dav: classes, .msAuthorVia: "DAV", .allow: methods.map(\.rawValue).joined(separator: ", "),
                .contentLength: "0",
            ])
    }

    /// Throws unless the sender of a request may still come in. Called when its body was read, which may have been on
    /// its way for long; no query while no account has changed.
    func requireSender(of call: DAVCall) async throws {
        guard try await signIn(call.request, call.context).user.id == call.user.id else {
            throw AuthenticationError.wrongCredentials
        }
    }

    private func signIn(_ request: Request, _ context: ServerContext) async throws -> SignedIn {
        try await authenticator.davSender(of: request, context)
    }
}
