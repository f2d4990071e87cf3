package import FundCore

/// Parses kept messages again and files them, by the rules that hold at the time: into a fund that an administrator
/// names, or into the one that routing finds. Its functions throw the errors of the store and of the parser.
package struct RefilingService: Sendable {
    private let mail: any IngestStore & KeptMailStore
    private let parser: any MessageParser
    private let limits: @Sendable () -> ParseLimits
    private let policy: @Sendable (SourceReference, TrustPolicy) -> RoutingPolicy
    private let receipts: @Sendable () -> ReceiptPolicy?

    /// - Parameters:
    ///   - limits: those that hold now.
    ///   - policy: the rules that hold now for a message from its source, with the trust policy under which it came.
    ///   - receipts: whose mail is answered now; nil for no mail.
    package init(
        mail: any IngestStore & KeptMailStore, parser: any MessageParser, limits: @escaping @Sendable () -> ParseLimits,
        policy: @escaping @Sendable (SourceReference, TrustPolicy) -> RoutingPolicy,
        receipts: @escaping @Sendable () -> ReceiptPolicy? = { nil }
    ) {
        self.mail = mail
        self.parser = parser
        self.limits = limits
        self.policy = policy
        self.receipts = receipts
    }

    /// The result for a message that was routed again.
    package enum Attempt: Sendable {
        case filed(StoredMessage)
        case stillKept(RoutingDecision)
    }

    /// Files a kept message into `fund` without asking the routing rules. If the parser still refuses it, the email has
    /// no readable body, and its only file is the raw message.
    /// - Parameters:
    ///   - act: of which it is a part.
    ///   - right: that of who files it, who is named in the audit trail.
    package func assign(
        _ misrouteID: MisrouteRecord.ID, to fund: Fund, of user: User, in act: DeskAct.ID, by right: FilingRight
    ) async throws -> StoredMessage {
        var decision = RoutingDecision(outcome: .filed)
        (decision.user, decision.fund) = (user, fund)
        decision.steps = [
            RoutingStep(.outcome, .yes, .prose("assigned to \(fund.name) of \(user.email) by \(right.actor)"))
        ]
        return try await untilFresh { [decision] in
            let kept = try await mail.kept(misrouteID)
            let policy = policy(kept.reference, kept.trust).trusting(kept.trust)
            // Who files their own mail knows it.
            var answers = receipts()
            if case .sender = right { answers = nil }
            let staged = try await stage(kept, policy: policy, answers) { _ in decision }
            return try await mail.resolve(misrouteID, staged: staged, sender: nil, in: act, by: right)
        }
    }

    /// Routes a kept message again, and files it if it has a fund now.
    package func retry(
        _ misrouteID: MisrouteRecord.ID, in act: DeskAct.ID, by right: FilingRight
    ) async throws -> Attempt {
        try await untilFresh { try await retryOnce(misrouteID, in: act, by: right) }
    }

    private func retryOnce(
        _ misrouteID: MisrouteRecord.ID, in act: DeskAct.ID, by right: FilingRight
    ) async throws -> Attempt {
        let kept = try await mail.kept(misrouteID)
        let (router, policy) = try router(for: kept)
        let staged = try await stage(kept, policy: policy, receipts()) { router.route($0) }
        guard staged.message.decision.outcome == .filed else {
            try await mail.updateRouting(misrouteID, decision: staged.message.decision)
            return .stillKept(staged.message.decision)
        }
        var decision = staged.message.decision
        do {
            return .filed(
                try await mail.resolve(misrouteID, staged: staged, sender: decision.user?.id, in: act, by: right))
        } catch let failure as StoreError where failure.code == .overQuota {
            decision.keep(for: .overQuota)
            try await mail.updateRouting(misrouteID, decision: decision)
            return .stillKept(decision)
        }
    }

    /// Times that a message is staged for one filing.
    private static let maxStagings = 3

    /// Stages anew what became stale before it was filed: undoing another filing removes bytes that both would share.
    private func untilFresh<Result>(_ file: () async throws -> Result) async throws -> Result {
        for _ in 1..<Self.maxStagings {
            do { return try await file() } catch let failure as StoreError where failure.code == .stale {}
        }
        return try await file()
    }

    /// Routes a kept message again, after the rules were changed back. What they would file now waits all the same.
    package func reroute(_ misrouteID: MisrouteRecord.ID) async throws {
        let decision = try await rehearse(misrouteID)
        guard decision.outcome != .filed else { return }
        try await mail.updateRouting(misrouteID, decision: decision)
    }

    /// The decision that `retry` would make; nothing is stored.
    package func rehearse(_ misrouteID: MisrouteRecord.ID) async throws -> RoutingDecision {
        try await read(misrouteID).decision
    }

    /// The content of a kept message, and the decision of `retry` with its steps; nothing is stored.
    package func read(
        _ misrouteID: MisrouteRecord.ID
    ) async throws -> (content: ParseResult, decision: RoutingDecision) {
        let kept = try await mail.kept(misrouteID)
        let (router, _) = try router(for: kept)
        let limits = limits()
        return try await parser.withWorker { [mail] worker in
            let parsed = try Self.parse(try mail.spool(kept), kept.refusal, worker, limits)
            return (parsed, router.route(parsed))
        }
    }

    /// One file of a kept message. Throws `notFound` when it has no such file, `invalid` when it is larger than that.
    package func attachment(
        _ index: Int, of misrouteID: MisrouteRecord.ID, upTo maxBytes: Int64
    ) async throws -> (attachment: ParsedAttachment, bytes: [UInt8]) {
        let kept = try await mail.kept(misrouteID)
        let limits = limits()
        return try await parser.withWorker { [mail] worker in
            let spooled = try mail.spool(kept)
            guard case .message(let message) = try Self.parse(spooled, kept.refusal, worker, limits),
                message.attachments.indices.contains(index)
            else { throw StoreError(.notFound, "read a file", "message \(misrouteID) has no file \(index)") }
            let attachment = message.attachments[index]
            guard attachment.size <= maxBytes else {
                throw StoreError(.invalid, "read a file", "it is too large to be looked at: take the whole message")
            }
            var bytes: [UInt8] = []
            try worker.readAttachment(index) { bytes += $0 }
            return (attachment, bytes)
        }
    }

    /// The decision about a subject in a mail from `user` that passes the trust check, with its steps. A pure function
    /// of the present funds, of which it names those of `user` only.
    package func rehearse(subject: String, of user: User) throws -> RoutingDecision {
        let policy = policy(SourceReference(place: ""), .vouched)
        return Router(directory: try mail.directory(), policy: policy, explains: true).route(subject: subject, of: user)
    }

    /// The present users and funds.
    package func directory() throws -> RoutingDirectory { try mail.directory() }

    private func router(for kept: KeptMessage) throws -> (Router, RoutingPolicy) {
        let policy = policy(kept.reference, kept.trust)
        return (Router(directory: try mail.directory(), policy: policy, explains: true), policy)
    }

    private static func parse(
        _ spooled: SpooledMessage, _ refusal: Refusal?, _ worker: any ParseWorker, _ limits: ParseLimits
    ) throws -> ParseResult {
        let parsed = try worker.parse(spooled, limits: limits)
        return refusal.map(parsed.refused) ?? parsed
    }

    /// - Parameter receipts: decides whether the sender hears of it. The sender of mail that goes into another person's
    ///   fund does not: neither that fund nor its owner is theirs to know.
    private func stage(
        _ kept: KeptMessage, policy: RoutingPolicy, _ receipts: ReceiptPolicy?,
        decide: @escaping @Sendable (ParseResult) -> RoutingDecision
    ) async throws -> StagedMessage {
        let (mail, limits) = (mail, limits())
        return try await parser.withWorker { worker in
            let spooled = try mail.spool(kept)
            let parsed = try Self.parse(spooled, kept.refusal, worker, limits)
            var message = RoutedMessage(
                reference: kept.reference, spooled: spooled, parsed: parsed, decision: decide(parsed), policy: policy)
            message.kept = kept.misrouteID
            guard message.decision.outcome == .filed else { return StagedMessage(message: message, stagedBytes: 0) }
            if let receipts {
                message.receipt = receipts.request(for: message, trust: kept.trust, try mail.directory(), now: .now)
            }
            guard case .refused(_, _, let header, let defects) = parsed else {
                return try mail.stage(message, readAttachment: worker.readAttachment)
            }
            message.parsed = .message(RawAttachment.message(spooled, header: header, defects: defects))
            return try mail.stage(message) { _, consume in try spooled.content.read(consume) }
        }
    }
}
