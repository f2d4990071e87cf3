/// A parsed and routed message that is to be stored.
package struct RoutedMessage: Sendable {
    package var reference: SourceReference
    package var spooled: SpooledMessage
    package var parsed: ParseResult
    package var decision: RoutingDecision
    package var policy: RoutingPolicy
    /// Set when the source refused the message without fetching it: at most its header is in the spool.
    package var refusal: Refusal?
    /// The entry in the misrouted report of a message that is in the store already, and is to be filed now.
    package var kept: MisrouteRecord.ID?
    /// Time at which a message came first that is filed again from the log; nil for one that comes now.
    package var receivedAt: Timestamp?
    /// When the run took it from its source, before its bytes were fetched.
    package var takenAt: ContinuousClock.Instant

    package init(
        reference: SourceReference, spooled: SpooledMessage, parsed: ParseResult, decision: RoutingDecision,
        policy: RoutingPolicy, takenAt: ContinuousClock.Instant = .now
    ) {
        self.reference = reference
        self.spooled = spooled
        self.parsed = parsed
        self.decision = decision
        self.policy = policy
        self.takenAt = takenAt
    }
}

/// A routed message whose bytes stand in the store, are not yet durable and have no row.
package struct StagedMessage: Sendable {
    package var message: RoutedMessage
    /// Bytes written for it; counted against `BatchLimits.maxBytes`.
    package var stagedBytes: Int64
    /// What the store that staged it has to know of it again; nil when no store did.
    package var receipt: (any StagingReceipt)?

    package init(message: RoutedMessage, stagedBytes: Int64) {
        self.message = message
        self.stagedBytes = stagedBytes
    }
}

/// A store's own value about a message that it staged. Opaque to all others.
package protocol StagingReceipt: Sendable {}

/// The place of an email.
package struct FiledPlace: Sendable, Hashable {
    package var email: EmailSummary.ID
    /// The owner's address.
    package var user: String
    /// The name of the fund.
    package var fund: String

    package init(email: EmailSummary.ID, user: String, fund: String) {
        (self.email, self.user, self.fund) = (email, user, fund)
    }
}

/// The durable result for one message.
package struct StoredMessage: Sendable {
    package var message: RoutedMessage
    /// The decision's outcome, or `duplicate`.
    package var outcome: Outcome
    package var reason: Reason?
    /// The email that holds it; for a duplicate of a filed message, the first one.
    package var emailID: EmailSummary.ID?
    /// The entry in the misrouted report; for a duplicate of a kept message, the first one's.
    package var misrouteID: MisrouteRecord.ID?
    /// The place of the copy that a duplicate repeats; for a message that is filed or kept now, of one that an
    /// administrator filed by hand for another owner. Nil when there is none, or it was not filed.
    package var copy: FiledPlace?

    package init(
        message: RoutedMessage, outcome: Outcome, reason: Reason?, emailID: EmailSummary.ID?,
        misrouteID: MisrouteRecord.ID?, copy: FiledPlace? = nil
    ) {
        self.message = message
        self.outcome = outcome
        self.reason = reason
        self.emailID = emailID
        self.misrouteID = misrouteID
        self.copy = copy
    }

    /// It, or for a duplicate what it repeats, is in a fund. Else it is kept for the misrouted report.
    package var isFiled: Bool {
        switch outcome {
        case .filed: true
        case .duplicate: emailID != nil || misrouteID == nil
        case .misrouted, .rejected: false
        }
    }
}

/// What the pipeline needs of the store.
package protocol IngestStore: Sendable {
    /// On the same file system as the store.
    var spool: SpoolDirectory { get }
    /// The present users, addresses and funds. Cheap when nothing changed since the last call.
    func directory() throws -> RoutingDirectory
    /// Writes the raw message and each of its attachments that is needed and that the store does not hold. Blocks;
    /// called on many threads. `readAttachment` gives the bytes of attachment `index`.
    func stage(
        _ message: RoutedMessage,
        readAttachment: (_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> StagedMessage
    /// One durability barrier for all bytes of the batch, then one transaction. When it returns the batch survives a
    /// power cut; when it throws, no row of it exists. Results in the order of the batch.
    func commit(_ batch: [StagedMessage]) async throws -> [StoredMessage]
    /// Gives up what was written for staged messages and what no row names. Only for messages that are still at their
    /// source, and not after an error that leaves open whether they were committed.
    func abandon(_ batch: [StagedMessage]) async
    /// No batch follows in this run; its source may still be busy. Time to tidy up.
    func settle() async
}

extension IngestStore {
    package func settle() async {}
}
