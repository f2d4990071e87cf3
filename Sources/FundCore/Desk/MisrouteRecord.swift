/// A message that could not be filed, as the report shows it.
package struct MisrouteRecord: Sendable, Hashable {
    package typealias ID = FundCore.ID<MisrouteRecord>

    /// The end of a kept message.
    package enum Resolution: Sendable, Hashable {
        /// Filed later, by hand, by retry, or because another copy found its fund.
        case filed(emailID: EmailSummary.ID)
        /// Looked at by an administrator and put aside.
        case rejected(note: String)

        package var isRejection: Bool { if case .rejected = self { true } else { false } }
    }

    package var id: ID
    /// Digest of the raw message.
    package var digest: ContentDigest
    package var receivedAt: Timestamp
    package var reference: SourceReference
    package var outcome: Outcome
    package var reason: Reason
    /// For people: which limit, what the parser said.
    package var detail: String?
    /// The first `From` address as sent, or the field as it reads.
    package var sender: String?
    package var user: User.ID?
    package var userEmail: String?
    package var subject: String?
    package var tag: String?
    package var suggestions: [String]
    /// True when the message waits for another reason than `unverifiedSender`, and the trust check did not confirm the
    /// address.
    package var isUnverified: Bool
    /// The service that passed on the mail of others, where the sender is unknown and such a service.
    package var relay: RelayedMail?
    /// Bytes of the raw message.
    package var size: Int64
    /// Number of files that it brings; nil when it was not read, or was kept by a version that did not count them.
    package var fileCount: Int?
    /// Number of times that it was routed.
    package var attempts: Int
    /// It need not be shown before.
    package var putOffUntil: Timestamp?
    package var resolution: Resolution?
    package var resolvedAt: Timestamp?
    package var resolvedBy: String?

    /// True when the sender may be another than `From` says: the trust check of the mailbox did not confirm it. To file
    /// such mail takes a confirmation that it is genuine.
    package var isSenderUnproven: Bool { isUnverified || reason == .unverifiedSender }

    /// True when the message waits for a fund alone, and its sender is proven: they may say which of their funds they
    /// meant.
    package var isForSender: Bool { resolution == nil && user != nil && !isSenderUnproven && reason.isAboutFund }

    /// True when it need not be shown at that time.
    package func isPutOff(at now: Timestamp) -> Bool { putOffUntil.map { $0 > now } ?? false }

    package init(
        id: ID, digest: ContentDigest, receivedAt: Timestamp, reference: SourceReference, outcome: Outcome,
        reason: Reason, detail: String? = nil, sender: String? = nil, user: User.ID? = nil, userEmail: String? = nil,
        subject: String? = nil, tag: String? = nil, suggestions: [String], isUnverified: Bool, size: Int64,
        attempts: Int, putOffUntil: Timestamp? = nil, resolution: Resolution? = nil, resolvedAt: Timestamp? = nil,
        resolvedBy: String? = nil
    ) {
        self.id = id
        self.digest = digest
        self.receivedAt = receivedAt
        self.reference = reference
        self.outcome = outcome
        self.reason = reason
        self.detail = detail
        self.sender = sender
        self.user = user
        self.userEmail = userEmail
        self.subject = subject
        self.tag = tag
        self.suggestions = suggestions
        self.isUnverified = isUnverified
        self.size = size
        self.attempts = attempts
        self.putOffUntil = putOffUntil
        self.resolution = resolution
        self.resolvedAt = resolvedAt
        self.resolvedBy = resolvedBy
    }
}
