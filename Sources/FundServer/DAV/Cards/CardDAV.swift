internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// A user's contacts and the company's directory as address books for devices (CardDAV, RFC 6352), for reading alone:
/// below `/carddav/`, and below `/dav/contacts/` for users without a fund of that name.
struct CardDAV: ServerInterface {
    static let root = "/carddav"
    /// RFC 6764 §5.
    static let wellKnown = "/.well-known/carddav"
    static let aliasName = "contacts"
    static let alias = "/dav/contacts"

    static let methods: [HTTPRequest.Method] = [
        .options, .get, .head, .propfind, .report, .put, .delete, .proppatch, .mkcol, .copy, .move, .lock, .unlock,
    ]
    private static let readingMethods: [HTTPRequest.Method] = [.options, .get, .head, .propfind, .report]

    let contacts: any ContactStore
    let library: any FileLibrary
    let authenticator: Authenticator
    /// Nil without a directory.
    let directory: @Sendable () -> CompanyDirectory?

    func owns(path: String) -> Bool {
        path == Self.root || path.hasPrefix(Self.root + "/") || path == Self.wellKnown
    }

    /// Whether a path of the funds is one of the address books' other name, byte by byte: a fund `Contacts` is another.
    static func isOfAlias(_ path: DAVPath) -> Bool { path.names.first?.utf8.elementsEqual(aliasName.utf8) == true }

    func addRoutes(to router: some RouterMethods<ServerContext>) {
        for method in Self.methods {
            for path in ["carddav", "carddav/**"] as [RouterPath] {
                router.on(path, method: method) { request, context in
                    let user = try await sender(of: request, context)
                    return try await response(to: request, context, of: user, at: Self.root)
                }
            }
            router.on(".well-known/carddav", method: method) { _, _ in
                Response(
                    status: .movedPermanently,
                    headers: [.location: Self.root + "/", .cacheControl: "no-store", .contentLength: "0"])
            }
        }
        // The funds have no reports. Their paths stand here as they stand there: of a path of its own the router would
        // give no other method to the funds.
        for path in ["dav", "dav/**"] as [RouterPath] {
            router.on(path, method: .report) { request, context in
                let user = try await sender(of: request, context)
                let path = request.uri.path
                guard path == Self.alias || path.hasPrefix(Self.alias + "/"),
                    try await library.items(along: [Self.aliasName], of: user.id).isEmpty
                else { throw RequestError.methodNotAllowed(allow: WebDAVMethods.names) }
                return try await response(to: request, context, of: user, at: Self.alias)
            }
        }
    }

    private func sender(of request: Request, _ context: ServerContext) async throws -> User {
        let user = try await authenticator.davSender(of: request, context).user
        context.noteUser(user.id)
        return user
    }

    func response(to failure: RequestError, _ request: Request, _ context: ServerContext) -> Response {
        var failure = failure
        if failure.status == .unauthorized {
            failure.headers[.wwwAuthenticate] = #"Basic realm="Fundmail", charset="UTF-8""#
        }
        if failure.status == .notFound, !Self.methods.contains(request.method) {
            failure = .methodNotAllowed(allow: Self.readingMethods.map(\.rawValue))
        }
        return DAVError(failure.status, failure.detail, headers: failure.headers).response
    }

    /// Answers a request of a user who was authenticated.
    /// - Parameter base: the path below which the address books stand for this request, without a slash at its end.
    func response(
        to request: Request, _ context: ServerContext, of user: User, at base: String
    ) async throws -> Response {
        do {
            let call = CardCall(request: request, context: context, user: user, base: base)
            switch request.method {
            case .options: return Self.options
            case .get, .head: return try await get(call)
            case .propfind: return try await propfind(call)
            case .report: return try await report(call)
            default:
                throw DAVError(
                    .forbidden, "contacts are changed on the pages: here they are for reading alone")
            }
        } catch let error as any DAVResponseError {
            return error.response
        }
    }

    private static let options = Response(
        status: .ok,
        headers: [
            .dav: "1, 3, addressbook", .allow: readingMethods.map(\.rawValue).joined(separator: ", "),
            .contentLength: "0",
        ])
}

/// Methods of the funds, for the `Allow` field of a request that they refuse.
private enum WebDAVMethods {
    static let names = [
        "OPTIONS", "GET", "HEAD", "PUT", "DELETE", "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK",
    ]
}
