/// How the connection is protected.
package enum TLSPolicy: Sendable, Hashable {
    /// TLS with a verified certificate, or no connection. `caFile`: PEM of a private authority, instead of the system's.
    case required(caFile: String? = nil)
    /// Plain text on the `imap` and `pop3` schemes; written out by the administrator.
    case off
}
