/// Limits of the time that connecting takes, by the monotonic clock.
package struct ConnectionDeadlines: Sendable, Hashable {
    /// Name, route and TCP handshake.
    package var connect: Duration = .seconds(20)
    /// One answer of the server during login; libcurl's default of 120 s holds up the others too long.
    package var loginResponse: Duration = .seconds(30)
    /// Connecting, TLS and login together.
    package var login: Duration = .seconds(60)

    package init() {}
}
