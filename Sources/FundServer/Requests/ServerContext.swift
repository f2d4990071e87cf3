internal import FundHTTP
internal import Hummingbird
internal import FundCore
internal import Synchronization

/// A request's sender and connection, and its place in the log.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The client's IP address; behind a trusted proxy, the address that the proxy names. Empty when unknown.
    var peer: String
    /// Whether the request came over TLS, to this server or to the trusted proxy.
    var isEncrypted = false
    /// Whether this is a demo, whose passwords are published.
    var hasNoSecrets = false
    /// The connection of HTTP/1, or the stream of HTTP/2.
    let connection: RequestConnection
    private let requestID = RequestID()
    /// Shared by all copies of this value: the access log has one from before the authentication.
    private let sender = RequestSender()

    /// Identifies the request in the log and in failure responses. Not the logger's own id: a logger without metadata
    /// has none.
    var id: String { requestID.description }

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        connection = RequestConnection(source)
        peer = connection.peer
    }

    /// Accounts for the memory of the response; nil without a connection.
    var sends: StreamSends? { connection.sends }
    /// Whether the request is a stream of HTTP/2.
    var isMultiplexed: Bool { connection.isMultiplexed }

    func noteUser(_ user: User.ID) {
        sender.user.withLock { $0 = user }
        sends?.noteSender(SenderID(user.rawValue))
    }

    /// The authenticated user; nil as long as none is known.
    var notedUser: User.ID? { sender.user.withLock { $0 } }

    /// The user, or the network of a client without one: who shares what is scarce.
    var origin: String { notedUser.map { "user \($0)" } ?? ClientAddress(peer).site.description }

    /// Whether passwords may be sent: over TLS, on this machine, or where they are no secret.
    var keepsSecrets: Bool { isEncrypted || hasNoSecrets || PeerAddress.isLoopback(peer) }

    /// Reserves memory for a response that is made in memory, see `StreamSends.takeForAnswer`. Call it once the body of
    /// the request is read: a client that sends slowly must not hold the room of others.
    /// - Parameter count: bytes of the response where they are known.
    func reserveResponse(of count: Int? = nil) async throws { try await sends?.takeForAnswer(of: count) }

    /// Reads the body of a sender who is not authenticated yet, see `UnprovenBodies.read`.
    func readUnproven<Value>(
        _ request: Request, in room: UnprovenBodies, upTo maxCount: Int, _ use: ([UInt8]) async throws -> Value
    ) async throws -> Value {
        try await room.read(request, over: connection, from: peer, upTo: maxCount, use)
    }

    /// Call it before reading a password. Throws `RequestError.insecure`.
    func requireSecrecy() throws {
        guard keepsSecrets else { throw RequestError.insecure }
    }
}

private final class RequestSender: Sendable {
    let user = Mutex<User.ID?>(nil)
}
