/// The certificate of a mail server, as a connection saw it.
package struct SeenCertificate: Sendable, Hashable {
    package var expiresAt: Timestamp
    package var seenAt: Timestamp

    package init(expiresAt: Timestamp, seenAt: Timestamp) {
        (self.expiresAt, self.seenAt) = (expiresAt, seenAt)
    }

    /// With less time left a certificate is to be renewed.
    package static let leastTime = Duration.seconds(14 * 86_400)
}
