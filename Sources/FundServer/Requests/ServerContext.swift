package import Hummingbird
package import FundCore
internal import NIOCore

/// What is known about one request besides its bytes.
package struct ServerContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The client's numeric IP address; behind a proxy that is trusted, what the proxy says. Empty when it is not known.
    package var peer: String
    /// Came over TLS, here or at a proxy that is trusted.
    package var isEncrypted = false
    /// One of several streams on its connection (HTTP/2): `Connection` means nothing there.
    let isMultiplexed: Bool
    /// Of this request: its connection, or its stream of one.
    let channel: any Channel
    /// What its answer may hold in memory; nil where there is no connection.
    let sends: StreamSends?
    private let number = RequestNumber.next()
    private let sender = RequestSender()

    /// Names this request in the log and in what its sender is told about a failure.
    package var id: String { number.text }

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        sends = ConnectionGuard.sends(of: source.channel)
        peer = PeerAddress.text(source.channel.remoteAddress)
        // A stream's parent is its connection, whose parent is the listening socket.
        isMultiplexed = source.channel.parent?.parent != nil
    }

    /// To be called by whoever authenticated the request. For the access log, which sees the request's end but not this
    /// context's changes.
    package func noteUser(_ user: User.ID) { sender.note(user) }

    var notedUser: User.ID? { sender.user }

    /// Passwords may be asked for: nobody on the way can read them.
    package var keepsSecrets: Bool { isEncrypted || PeerAddress.isLoopback(peer) }

    /// To be called before a password is looked at. Throws `RequestFailure.insecure`.
    func requireSecrecy() throws {
        guard keepsSecrets else { throw RequestFailure.insecure }
    }
}
