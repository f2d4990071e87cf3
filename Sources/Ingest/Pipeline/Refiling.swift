package import FundCore

/// Parses kept messages again and files them: into a fund that an administrator names, or into the one that the present
/// rules find.
package struct Refiling: Sendable {
    private let store: any IngestStore & KeptMailStore
    private let parser: any MessageParser
    private let limits: ParseLimits
    /// Named in the audit trail.
    private let actor: String

    package init(
        store: any IngestStore & KeptMailStore, parser: any MessageParser, limits: ParseLimits, actor: String
    ) {
        self.store = store
        self.parser = parser
        self.limits = limits
        self.actor = actor
    }

    package enum Attempt: Sendable {
        case filed(StoredMessage)
        case stillKept(RoutingDecision)
    }

    /// Files a kept message into `fund` without asking the routing rules. If the parser still refuses it, the email has
    /// no readable body, and its only file is the raw message.
    package func assign(_ misrouteID: MisrouteRecord.ID, to fund: Fund, of user: User) async throws -> StoredMessage {
        let kept = try await store.kept(misrouteID)
        var decision = RoutingDecision(outcome: .filed)
        (decision.user, decision.fund) = (user, fund)
        decision.steps = [RoutingStep(.outcome, "assigned to \(fund.name) of \(user.email) by \(actor)")]
        let staged = try await stage(kept, policy: RoutingPolicy(trust: kept.trust)) { [decision] _ in decision }
        return try await store.resolve(misrouteID, staged: staged, actor: actor)
    }

    /// Routes a kept message by the present rules and files it when they find a fund.
    ///
    /// - Parameter policy: gives the present rules for a message from its source and the trust policy that was recorded
    ///   with it.
    package func retry(
        _ misrouteID: MisrouteRecord.ID, policy: (SourceReference, TrustPolicy) -> RoutingPolicy
    ) async throws -> Attempt {
        let kept = try await store.kept(misrouteID)
        let policy = policy(kept.reference, kept.trust)
        let router = Router(directory: try store.directory(), policy: policy, explains: true)
        let staged = try await stage(kept, policy: policy) { router.route($0) }
        guard staged.message.decision.outcome == .filed else {
            try await store.updateRouting(misrouteID, decision: staged.message.decision)
            return .stillKept(staged.message.decision)
        }
        return .filed(try await store.resolve(misrouteID, staged: staged, actor: actor))
    }

    /// What `retry` would decide; nothing is stored.
    package func rehearse(
        _ misrouteID: MisrouteRecord.ID, policy: (SourceReference, TrustPolicy) -> RoutingPolicy
    ) async throws -> RoutingDecision {
        let kept = try await store.kept(misrouteID)
        let router = Router(
            directory: try store.directory(), policy: policy(kept.reference, kept.trust), explains: true)
        let limits = limits
        return try await parser.withWorker { worker in router.route(try Self.parse(kept, worker, limits)) }
    }

    private static func parse(
        _ kept: KeptMessage, _ worker: any ParseWorker, _ limits: ParseLimits
    ) throws -> ParseResult {
        let parsed = try worker.parse(kept.spooled, limits: limits)
        return kept.refusal.map(parsed.refused) ?? parsed
    }

    private func stage(
        _ kept: KeptMessage, policy: RoutingPolicy, decide: @escaping @Sendable (ParseResult) -> RoutingDecision
    ) async throws -> StagedMessage {
        let (store, limits) = (store, limits)
        return try await parser.withWorker { worker in
            let parsed = try Self.parse(kept, worker, limits)
            var message = RoutedMessage(
                reference: kept.reference, spooled: kept.spooled, parsed: parsed, decision: decide(parsed),
                policy: policy)
            guard message.decision.outcome == .filed else { return StagedMessage(message: message, stagedBytes: 0) }
            guard case .refused(_, _, let header, let defects) = parsed else {
                return try store.stage(message, readAttachment: worker.readAttachment)
            }
            message.parsed = .message(RawAttachment.message(kept.spooled, header: header, defects: defects))
            return try store.stage(message) { _, consume in try FileBytes.read(kept.spooled.path, consume) }
        }
    }
}
