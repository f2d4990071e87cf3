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
    /// Time at which the run took the message from its source, before its bytes were fetched.
    package var takenAt: ContinuousClock.Instant
    /// The request for a letter to its sender; nil when none is sent.
    package var receipt: ReceiptRequest?
    /// The report that it is about a letter that a person wrote; nil for other mail.
    package var bounce: Bounce?

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

    /// The person whose room its files take when it is filed now, and their bytes; nil for a message that is not filed,
    /// and for one that is filed again from the log, which had its room before.
    package var neededRoom: (owner: User.ID, bytes: Int64)? {
        guard decision.outcome == .filed, receivedAt == nil, let owner = decision.user,
            case .message(let parsed) = parsed
        else { return nil }
        return (owner.id, parsed.attachmentBytes)
    }
}
