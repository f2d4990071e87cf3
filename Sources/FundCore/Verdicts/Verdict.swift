/// What a scanner for malware says of a content. `infected` keeps it from people, and `limit` and `unscanned` do where
/// the store holds what was not scanned.
package enum Verdict: Sendable, Hashable {
    case clean
    /// - Parameter name: of the malware, as the scanner calls it.
    case infected(name: String)
    /// Above limits of the scanner: not all of it was looked at, or nothing.
    case limit
    /// It has a password, without which its contents cannot be looked at.
    case encrypted
    /// The scanner cannot be asked; it is asked again.
    /// - Parameter problem: in words for an administrator.
    case unscanned(problem: String)

    /// Its name in the store and in metrics.
    package var word: String {
        switch self {
        case .clean: "clean"
        case .infected: "infected"
        case .limit: "limit"
        case .encrypted: "encrypted"
        case .unscanned: "unscanned"
        }
    }
}

/// Looks for malware.
package protocol ContentScanner: Sendable {
    /// Looks at the bytes of an open file, from 0 to its end, which may take minutes. What fails is `unscanned`, as is
    /// what is cancelled.
    func verdict(of descriptor: Int32, size: Int64) async -> Verdict
    /// The same without a file, for what there is no room to copy. Throws what reading the content throws.
    func verdict(of content: any StoredContent) async throws -> Verdict
    /// The version of the signatures, which grows; nil when the scanner cannot be asked, or what it last said does not
    /// count.
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
    /// Set when an administrator released it.
    package var releasedAt: Timestamp?
    /// The administrator.
    package var releasedBy: String?
    /// Files of users that have it, and mails that carry it; at most ten.
    package var places: [Place] = []

    /// Where the content is: a file, or mail that carries it.
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
    /// From now on it is refused to all users. Does nothing for one that was released with the same name of malware.
    func quarantine(_ content: ContentDigest, malware: String, at time: Timestamp) async throws
    /// A later look found nothing: it is not refused any more. What was released stays so.
    func clear(_ content: ContentDigest) async throws
    /// An administrator releases it, which the audit trail names: also one that is held because it was not scanned.
    /// `notFound` for one that is not kept from people.
    func release(_ content: ContentDigest, actor: String) async throws
    /// The quarantined ones, the latest first, then those that were released.
    func quarantined(_ page: PageQuery) async throws -> Page<QuarantinedContent>
    /// Whether malware was found in it, and it was not released.
    func isQuarantined(_ content: ContentDigest) async throws -> Bool
    /// Why it would be refused at this moment; nil for one that is given.
    func refusal(of content: ContentDigest) async throws -> ContentRefusal?
    /// How many are quarantined.
    func quarantineCount() async throws -> Int
}
