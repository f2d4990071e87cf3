internal import HTTPTypes
package import Hummingbird
package import FundCore

/// The API of the tablet clients, see docs/mobile-api.md: a login gives a token, which signs every call and is not sent
/// again.
package struct MobileAPI: ServerInterface {
    private static let words: Set<Substring> = ["login", "funds", "notes", "emails", "attachments"]

    let authenticator: Authenticator
    let library: any FileLibrary & MailLibrary
    private let downloads: Downloads
    let signCheck: MobileSignCheck

    package init(
        accounts: any AccountStore, library: any FileLibrary & MailLibrary, authenticator: Authenticator,
        downloads: Downloads,
        unproven: UnprovenBodies = UnprovenBodies(), logins: UnprovenBodies = UnprovenBodies()
    ) {
        self.authenticator = authenticator
        self.library = library
        self.downloads = downloads
        signCheck = MobileSignCheck(authenticator: authenticator, store: accounts, unproven: unproven, logins: logins)
    }

    package func addRoutes(to router: some RouterMethods<ServerContext>) {
        router.on("/login", method: .post, use: logIn)
        let signCheck = signCheck
        for route in signedRoutes {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                let call = try await signCheck.verify(request, context, maxBodyBytes: route.maxBodyBytes)
                context.noteUser(call.user.id)
                if !route.isStreamed { try await context.reserveResponse(to: request) }
                return try await route.answer(call, request)
            }
        }
    }

    /// All routes but the login.
    var signedRoutes: [MobileRoute] { fundRoutes + noteRoutes + emailRoutes + attachmentRoutes }

    private var attachmentRoutes: [MobileRoute] {
        let (library, downloads) = (library, downloads)
        return [HTTPRequest.Method.get, .head].map { method in
            MobileRoute(method, "/attachments/{1}/{2}/{3}", isStreamed: true) { call, request in
                let attachment = try await library.attachment(call.id(0), of: call.user.id)
                return try await downloads.response(ServedContent(attachment), to: request, over: call.sends)
            }
        }
    }

    package func owns(path: String) -> Bool {
        path.split(separator: "/").first.map(Self.words.contains) ?? false
    }

    package func response(to failure: RequestError, _ request: Request, _ context: ServerContext) -> Response {
        // A path without a sign matches no route.
        let isUnsigned = failure.status == .notFound && MobileTarget(request.head.path ?? "") == nil
        return MobileReply.failure(isUnsigned && request.uri.path != "/login" ? .unauthenticated : failure)
    }
}
