/// The access token (RFC 6749 §1.4) that a login at a mail server used, without the token itself.
package struct SeenToken: Sendable, Hashable {
    /// Nil when it is not known.
    package var expiresAt: Timestamp?
    package var fetchedAt: Timestamp
    /// True when a command fetches the next one: then an expiry within the hour is as it should be. A token in a file
    /// or an environment variable stays the same until another program or a person replaces it.
    package var isRenewed: Bool

    package init(expiresAt: Timestamp?, fetchedAt: Timestamp, isRenewed: Bool) {
        (self.expiresAt, self.fetchedAt, self.isRenewed) = (expiresAt, fetchedAt, isRenewed)
    }

    /// False when it is not known.
    package func isExpired(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }
}
