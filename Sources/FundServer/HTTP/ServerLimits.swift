/// How much one client may ask of this process.
package struct ServerLimits: Sendable {
    /// At a time, all clients together.
    package var maxConnections = 4096
    /// Of those, for one network: an IPv4 address, or the /64 of an IPv6 address. Not counted behind a proxy.
    package var maxConnectionsOfClient = 1024
    /// Of those, for networks from which users signed in within the last day, and for this machine.
    package var keptConnections = 512
    /// Of answers that clients have not taken yet, of all connections together, a quarter of it for one network. Beyond that
    /// connections get on in small pieces.
    package var maxUnsentBytes = 256 * 1024 * 1024
    package var maxUnsentBytesOfConnection = 4 * 1024 * 1024
    /// Fields of a request; browsers send 20.
    package var maxHeaderFields = 100
    /// Of all fields of a request.
    package var maxHeaderBytes = 32 * 1024
    /// A connection without a whole request header for this long is closed; so is one whose TLS handshake takes longer.
    package var idleTimeout = Duration.seconds(60)
    /// A body may take this long, and another second for every `minBodyBytesPerSecond` that came.
    package var bodyGrace = Duration.seconds(30)
    package var minBodyBytesPerSecond = 1024
    /// A client that takes nothing of what is sent for this long is cut off.
    package var sendStall = Duration.seconds(120)
    /// Of bodies that are read whole: JSON and forms.
    package var maxBodyBytes = 1024 * 1024
    /// Of logins.
    package var maxLoginBytes = 16 * 1024
    /// In memory at a time, of bodies whose senders are not known yet: of logins, and as much again of signed calls. A quarter of
    /// it for those of one network.
    package var maxUnprovenBytes = 64 * 1024 * 1024
    /// Such a body must be there after this time, however fast it began.
    package var unprovenBodyTime = Duration.seconds(60)
    /// Of uploaded files.
    package var maxUploadBytes: Int64 = 16 * 1024 * 1024 * 1024
    /// Requests under way have this long to end once the server is stopped.
    package var shutdownDeadline = Duration.seconds(30)

    package init() {}
}
