package import Hummingbird
package import FundCore
internal import NIOCore

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

    /// Call it before reading a password. Throws `RequestError.insecure`.
    func requireSecrecy() throws {
        guard keepsSecrets else { throw RequestFailure.insecure }
    }
}
