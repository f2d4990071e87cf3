/// What a scanner for malware says of a content. Only `infected` keeps it from people.
package enum Verdict: Sendable, Hashable {
    case clean
    /// - Parameter name: of the malware, as the scanner calls it.
    case infected(name: String)
    /// Too large for the scanner, or for its settings: not all of it was looked at.
    case limit
    /// It has a password, so nobody but its reader sees what is in it.
    case encrypted
    /// The scanner could not be asked; it is asked again.
    /// - Parameter problem: in words for an administrator.
    case unscanned(problem: String)
}

/// Looks for malware.
package protocol ContentScanner: Sendable {
    /// Looks at the bytes of an open file, from 0 to its end. Blocks for seconds at most. What fails is `unscanned`.
    func verdict(of descriptor: Int32, size: Int64) async -> Verdict
    /// The version of the signatures, which grows; nil when the scanner cannot be asked.
    func signatures() async -> ScannerSignatures?
}

/// The signatures of a scanner.
package struct ScannerSignatures: Sendable, Hashable {
    /// Of the scanner and its signatures, as it says itself.
    package var text: String
    package var version: Int64

    package init(text: String, version: Int64) {
        self.text = text
        self.version = version
    }
}

/// A content that is kept from people because malware was found in it.
package struct QuarantinedContent: Sendable, Hashable {
    package var digest: ContentDigest
    /// Of the malware.
    package var malware: String
    package var foundAt: Timestamp
    /// Set when an administrator gave it free.
    package var releasedAt: Timestamp?
    /// The administrator.
    package var releasedBy: String?
    /// Where people meet it, at most a few.
    package var places: [Place] = []

    package struct Place: Sendable, Hashable {
        /// A user's email address.
        package var owner: String
        package var fund: String
        /// Of the file or attachment.
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

/// The part of the store that knows which contents are kept from people. It holds for all who have the content, over
/// every interface: `FileLibrary.content` throws `quarantined` for it, and for each message that carries it. Errors are
/// `StoreError`.
package protocol QuarantineRegister: Sendable {
    /// From now on nobody gets it. Does nothing for one that was given free with the same name of malware.
    func quarantine(_ content: ContentDigest, malware: String, at time: Timestamp) async throws
    /// A later look found nothing: it is free again.
    func clear(_ content: ContentDigest) async throws
    /// An administrator gives it free, which the audit trail names. `notFound` for one that is not kept.
    func release(_ content: ContentDigest, actor: String) async throws
    /// Kept ones first, the latest first, then those that were given free.
    func quarantined(_ page: PageQuery) async throws -> Page<QuarantinedContent>
    func isQuarantined(_ content: ContentDigest) async throws -> Bool
    /// How many are kept.
    func quarantineCount() async throws -> Int
}
