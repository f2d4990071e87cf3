/// The fund of a message, or the reason for none. `steps` is the reasoning in order, for `explain`.
package struct RoutingDecision: Sendable, Hashable {
    package var outcome: Outcome
    package var reason: Reason?
    /// The sender, as far as known: also for misrouted mail whose fund is not.
    package var user: User?
    package var fund: Fund?
    /// The tag that decided, or that matched nothing.
    package var tag: String?
    /// Fund names of this sender that are near the tag, best first, at most three.
    package var suggestions: [String] = []
    /// True when the message waits for another reason than `unverifiedSender`, and the mailbox's trust check did not
    /// confirm the address: it may be forged.
    package var isUnverified = false
    /// The sender's address as the trust check of the router's policy confirmed it; nil where that policy asks for no
    /// proof.
    package var provedSender: EmailAddress?
    /// The service that passed on the mail of others, where the sender is unknown and such a service.
    package var relay: RelayedMail?
    package var steps: [RoutingStep] = []

    /// The finding of the trust check against the sender, where the steps hold one.
    package var doubt: SenderDoubt? {
        for case .doubt(let doubt) in steps.map(\.fact) { return doubt }
        return nil
    }

    /// Keeps a message that routing would file, for a reason that only the store knows.
    package mutating func keep(for reason: Reason) {
        (outcome, self.reason) = (reason.outcome, reason)
        if let fund { suggestions = [fund.name] }
        steps.append(RoutingStep(.outcome, .no, .decision(outcome, reason, fund: fund?.name)))
    }

    package init(outcome: Outcome, reason: Reason? = nil) {
        self.outcome = outcome
        self.reason = reason
    }
}

/// One step of the reasoning.
package struct RoutingStep: Sendable, Hashable {
    /// The subject of a step.
    package enum Subject: String, Sendable, Hashable, CaseIterable {
        case marks, sender, trust, subject, tag, fund, outcome
    }
    /// The step's answer to filing the message. The raw values stand in JSON.
    package enum Verdict: String, Sendable, Hashable, CaseIterable {
        case yes, no
        /// It says what is looked at.
        case neutral
    }
    package var about: Subject
    package var verdict: Verdict
    package var fact: RoutingFact
    /// The fact in English.
    package var text: String { fact.text }

    package init(_ about: Subject, _ verdict: Verdict, _ fact: RoutingFact) {
        self.about = about
        self.verdict = verdict
        self.fact = fact
    }
}
