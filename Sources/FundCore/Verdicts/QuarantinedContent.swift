/// A content that is kept from people because malware was found in it.
package struct QuarantinedContent: Sendable, Hashable {
    package var digest: ContentDigest
    /// Name of the malware.
    package var malware: String
    package var foundAt: Timestamp
    /// Set when an administrator released it.
    package var releasedAt: Timestamp?
    /// The administrator.
    package var releasedBy: String?
    /// Files of users that have it, and mails that carry it; at most ten.
    package var places: [Place] = []

    /// A place of the content: a file, or mail that carries it.
    package struct Place: Sendable, Hashable {
        /// A user's email address.
        package var owner: String
        package var fund: String
        /// Name of the file or attachment.
        package var name: String
        /// From whom it came; nil for an upload.
        package var sender: String?

        package init(owner: String, fund: String, name: String, sender: String?) {
            self.owner = owner
            self.fund = fund
            self.name = name
            self.sender = sender
        }
    }

    package init(digest: ContentDigest, malware: String, foundAt: Timestamp) {
        self.digest = digest
        self.malware = malware
        self.foundAt = foundAt
    }
}
