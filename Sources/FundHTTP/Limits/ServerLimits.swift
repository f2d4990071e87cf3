/// Upper bounds for what clients may use of this process.
package struct ServerLimits: Sendable {
    /// Open connections of all clients.
    package var maxConnections = 4096
    /// Open connections from one network: an IPv4 address, or a /64 of IPv6. Not applied behind a proxy.
    package var maxConnectionsOfClient = 1024
    /// Connections kept for networks from which a user signed in within the last day, and for this machine.
    package var keptConnections = 512
    /// Bytes of responses in memory that clients have not read yet, of all connections; one network may have a quarter.
    /// Beyond it, connections go on in small pieces.
    package var maxUnsentBytes = 256 * 1024 * 1024
    package var maxUnsentBytesOfConnection = 4 * 1024 * 1024
    /// Number of fields of a request. Browsers send about 20.
    package var maxHeaderFields = 100
    /// Bytes of all fields of a request.
    package var maxHeaderBytes = 32 * 1024
    /// A connection on which no request header, or no TLS handshake, is complete after this time is closed.
    package var idleTimeout = Duration.seconds(60)
    /// Time for a body, and one second more for each `minBodyBytesPerSecond` that came.
    package var bodyGrace = Duration.seconds(30)
    package var minBodyBytesPerSecond = 1024
    /// A client that reads nothing of a response for this long is disconnected.
    package var sendStall = Duration.seconds(120)
    /// Bytes of a body that is read whole: JSON and forms.
    package var maxBodyBytes = 1024 * 1024
    /// Bytes in memory of such bodies from users, until they are read. One user may have a quarter.
    package var maxUserBytes = 128 * 1024 * 1024
    /// Bytes of the body of a login.
    package var maxLoginBytes = 16 * 1024
    /// Bytes in memory of bodies from senders that are not authenticated yet: of logins, and as much again of signed
    /// calls. One network may have a quarter.
    package var maxUnprovenBytes = 64 * 1024 * 1024
    /// Time within which such a body must be complete, at any speed.
    package var unprovenBodyTime = Duration.seconds(60)
    /// Bytes of an uploaded file.
    package var maxUploadBytes: Int64 = 16 * 1024 * 1024 * 1024
    /// Time for requests under way to end once the server is told to stop.
    package var shutdownDeadline = Duration.seconds(30)

    package init() {}
}
