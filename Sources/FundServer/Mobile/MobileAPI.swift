package import Hummingbird
package import Ingest

/// The API that tablet clients were designed for, see docs/mobile-api.md: a login gives a token, which signs every call and
/// never travels again.
package struct MobileAPI: ServerFace {
    /// Of most bodies.
    static let maxBodyBytes = 64 * 1024
    /// Of notes.
    static let maxNoteBytes = 1024 * 1024
    private static let words: Set<Substring> = ["login", "funds", "notes", "emails", "attachments"]

    let authenticator: Authenticator
    let library: any FileLibrary & MailLibrary
    private let gate: MobileGate

    package init(store: any ServerStore, authenticator: Authenticator) {
        self.authenticator = authenticator
        library = store
        gate = MobileGate(authenticator: authenticator, store: store)
    }

    package func addRoutes(to router: some RouterMethods<ServerContext>) {
        router.on("/login", method: .post, use: logIn)
        addFundRoutes(to: router)
        addNoteRoutes(to: router)
        addEmailRoutes(to: router)
    }

    package func owns(path: String) -> Bool {
        path.split(separator: "/").first.map(Self.words.contains) ?? false
    }

    package func response(to failure: RequestFailure, _ request: Request, _ context: ServerContext) -> Response {
        MobileReply.failure(failure)
    }

    /// Adds a route whose calls are signed. Its path ends with `/{user}/{sign}`; the ids before have the names of their places,
    /// not of what they mean, since the router knows one name for each place.
    func on(
        _ path: RouterPath, _ method: HTTPRequest.Method, in router: some RouterMethods<ServerContext>,
        maxBodyBytes: Int = MobileAPI.maxBodyBytes,
        _ answer: @escaping @Sendable (MobileCall) async throws -> Response
    ) {
        let gate = gate
        router.on(path, method: method) { request, _ in
            try await answer(try await gate.open(request, maxBodyBytes: maxBodyBytes))
        }
    }
}
