import FundClient
import TestSupport
import Testing

/// A session with a real server.
struct SignedIn {
    let server: FundmailServer
    let store = MemoryStore()
    let transport: AsyncHTTPTransport
    let session: Session

    init(
        _ server: FundmailServer, url: String? = nil, authorityFile: String? = nil, retries: RetryPolicy = RetryPolicy()
    ) async throws {
        self.server = server
        transport = try AsyncHTTPTransport(AsyncHTTPTransport.Configuration(authorityFile: authorityFile))
        session = try await Session.signIn(
            to: try address(url ?? server.url), email: FundmailServer.user, password: FundmailServer.password,
            label: "fund on a test", transport: transport, store: store, retries: retries)
    }
}

/// A session with a server that speaks TLS, which ends with the body.
func withSession(
    retries: RetryPolicy = RetryPolicy(), settings: [String] = [], messages: [CrashMail.Message] = [],
    _ body: (Session) async throws -> Void
) async throws {
    let server = try await FundmailServer(.valid, settings: settings, messages: messages)
    let signedIn = try await SignedIn(server, authorityFile: try TestAuthority.shared.get().caFile, retries: retries)
    do {
        try await body(signedIn.session)
    } catch {
        Issue.record("\(error); the server says: \(server.log)")
    }
    await signedIn.transport.shutdown()
    try await server.kill()
}

/// Throws for text that is no address.
func address(_ text: String) throws -> ServerAddress {
    guard let address = ServerAddress(text) else { throw ServerFailure("\(text) is no address") }
    return address
}

/// Code of the error that a body must throw.
func code(of body: () async throws -> Void) async -> ClientError.Code? {
    do {
        try await body()
        return nil
    } catch let error as ClientError {
        return error.code
    } catch {
        return nil
    }
}

extension RequestBody {
    /// A number of pieces of the same bytes, as a file gives them.
    static func pieces(_ piece: [UInt8], count: Int) -> RequestBody {
        .stream(length: Int64(piece.count * count)) {
            let left = Countdown(count)
            return AsyncThrowingStream { left.next() ? piece : nil }
        }
    }
}
