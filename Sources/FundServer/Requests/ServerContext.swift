package import Hummingbird
package import FundCore
internal import NIOCore
internal import Synchronization

/// What the server knows of a request beside its bytes.
package struct ServerContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The client's IP address; behind a trusted proxy, the address that the proxy names. Empty when unknown.
    package var peer: String
    /// Whether the request came over TLS, to this server or to the trusted proxy.
    package var isEncrypted = false
    /// Whether it is a stream of HTTP/2, where `Connection` has no meaning.
    let isMultiplexed: Bool
    /// The connection of HTTP/1, or the stream of HTTP/2.
    let channel: any Channel
    /// Accounts for the memory of the response; nil without a connection.
    let sends: StreamSends?
    private let number = RequestNumber.next()
    private let sender = RequestSender()

    /// Identifies the request in the log and in failure responses.
    package var id: String { number.text }

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        sends = ConnectionGuard.sends(of: source.channel)
        peer = PeerAddress.text(source.channel.remoteAddress)
        // A stream's parent is its connection, whose parent is the listening socket.
        isMultiplexed = source.channel.parent?.parent != nil
    }

    /// Notes the authenticated user for the access log, which does not see later changes of this value.
    package func noteUser(_ user: User.ID) { sender.note(user) }

    var notedUser: User.ID? { sender.user }

    /// Whether passwords may be sent: over TLS, or on this machine.
    package var keepsSecrets: Bool { isEncrypted || PeerAddress.isLoopback(peer) }

    /// Reserves memory for the response to a GET that is made in memory, see `StreamSends.takeForAnswer`.
    func reserveResponse(to request: Request) async throws {
        if request.method == .get { try await sends?.takeForAnswer() }
    }

    /// Call it before reading a password. Throws `RequestError.insecure`.
    func requireSecrecy() throws {
        guard keepsSecrets else { throw RequestError.insecure }
    }
}

/// An identifier of a request, unique over all runs of the server.
private struct RequestNumber: Sendable {
    private static let run = UInt32.random(in: .min ... .max)
    private static let last = Atomic<UInt64>(0)

    private let value: UInt64

    static func next() -> RequestNumber {
        RequestNumber(value: last.add(1, ordering: .relaxed).newValue)
    }

    var text: String { String(Self.run, radix: 36) + "-" + String(value, radix: 36) }
}

/// The user of a request, noted once they are authenticated.
private final class RequestSender: Sendable {
    /// An id, or 0 as long as none is known: ids begin at 1.
    private let id = Atomic<Int64>(0)

    var user: User.ID? {
        let id = id.load(ordering: .relaxed)
        return id == 0 ? nil : User.ID(id)
    }

    func note(_ user: User.ID) { id.store(user.rawValue, ordering: .relaxed) }
}
