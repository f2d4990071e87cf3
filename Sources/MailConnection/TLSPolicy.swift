/// Protection of a connection.
package enum TLSPolicy: Sendable, Hashable {
    /// TLS with a verified certificate, or no connection. `caFile`: PEM of an authority to use instead of the system's.
    case required(caFile: String? = nil)
    /// Plain text; written out by the administrator.
    case off
}
