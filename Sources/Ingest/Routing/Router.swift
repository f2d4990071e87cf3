package import FundCore

/// Decides where a message goes: a pure function of the message, the directory and the policy.
package struct Router: Sendable {
    private let directory: RoutingDirectory
    private let policy: RoutingPolicy
    private let explains: Bool
    private let ignoredTags: Set<String>

    /// With `explains` the decision carries every step; without, none is put into words.
    package init(directory: RoutingDirectory, policy: RoutingPolicy, explains: Bool = false) {
        self.directory = directory
        self.policy = policy
        self.explains = explains
        ignoredTags = Set(policy.ignoredTags.map(FundName.key))
    }

    /// Never fails: what the parser refused is rejected.
    package func route(_ result: ParseResult) -> RoutingDecision {
        switch result {
        case .message(let message):
            var decision = route(message.header)
            if decision.reason == .unknownSender { decision.relay = message.relay }
            return decision
        case .refused(let reason, let detail, let header, _):
            var decision = RoutingDecision(outcome: reason.outcome, reason: reason)
            var proof = SenderProof(header, policy.trust)
            // So that they are told. The header of what is too complex proves nothing.
            if reason == .tooLarge, let header {
                decision.user = verifiedSender(of: header, &proof)
                decision.provedSender = proof.provedSender
            }
            decision.isUnverified = proof.isMissing
            decision.steps = [RoutingStep(.outcome, .no, .prose("refused: \(detail)"))]
            return decision
        }
    }

    /// The rules in order; the first that decides wins.
    package func route(_ header: MessageHeader) -> RoutingDecision {
        var steps: Steps = explains ? [] : nil
        var proof = SenderProof(header, policy.trust)
        var decision = decide(header, &proof, &steps)
        if decision.outcome != .filed, decision.reason?.outcome == .misrouted, header.automatic.hasNullReturnPath {
            // Scanners and report servers write a null return path, too: it decides only what cannot be filed.
            steps.add(.marks, .no, "Return-Path is <>: not filed, and written by a machine")
            decision = RoutingDecision(outcome: .rejected, reason: .autoReply)
        }
        // Whatever else keeps it from being filed: the report must not suggest to believe the address.
        if decision.outcome != .filed, decision.reason != .unverifiedSender {
            decision.isUnverified = proof.isMissing
        }
        decision.provedSender = proof.provedSender
        steps.add(.outcome, decision.outcome == .filed ? .yes : .no, Self.summary(of: decision))
        decision.steps = steps ?? []
        return decision
    }

    /// A mail from `user` with this subject, as if all before had been in order.
    package func route(subject: String, of user: User) -> RoutingDecision {
        var steps: Steps = explains ? [] : nil
        var decision = fund(for: subject, of: user, &steps)
        steps.add(.outcome, decision.outcome == .filed ? .yes : .no, Self.summary(of: decision))
        decision.steps = steps ?? []
        return decision
    }

    private func decide(
        _ header: MessageHeader, _ proof: inout SenderProof, _ steps: inout Steps
    ) -> RoutingDecision {
        if let reason = refusal(header.automatic, &steps) {
            return RoutingDecision(outcome: .rejected, reason: reason)
        }
        let user: User
        switch self.sender(of: header, &proof, &steps) {
        case .success(let found): user = found
        case .failure(let decision): return decision
        }
        if let relay = header.relay {
            // Also when it is registered for a person: mail of all would be filed as theirs.
            steps.add(.sender, .no, Self.words(relay))
            return misrouted(.unknownSender)
        }
        switch proof.verdict {
        case .trusted(let why): steps.add(.trust, .yes, why)
        case .untrusted(let doubt):
            steps.add(.trust, .no, .doubt(doubt))
            return misrouted(.unverifiedSender, user: user)
        }
        return fund(for: header.subjects, of: user, &steps)
    }

    // MARK: Marks of automatic mail

    private func refusal(_ marks: AutomaticMarks, _ steps: inout Steps) -> Reason? {
        if let loop = marks.loopMark {
            steps.add(.marks, .no, "X-Fundmail-Loop: \(loop): a receipt of our own came back")
            return .loop
        }
        let auto = marks.autoSubmitted ?? "no"
        if auto == "auto-replied" || auto == "auto-notified" {
            steps.add(.marks, .no, "Auto-Submitted: \(auto)")
            return .autoReply
        }
        if let type = marks.reportType, ["delivery-status", "disposition-notification"].contains(type) {
            steps.add(.marks, .no, "multipart/report of type \(type)")
            return .autoReply
        }
        if marks.precedence == "auto_reply" || !marks.responderFields.isEmpty {
            steps.add(.marks, .no, "marked as an automatic reply")
            return .autoReply
        }
        steps.add(.marks, .yes, auto == "no" ? "no marks of an automatic reply" : "Auto-Submitted: \(auto) is no reply")
        return nil
    }

    // MARK: Sender

    private enum Sender {
        case success(User)
        case failure(RoutingDecision)
    }

    private func sender(of header: MessageHeader, _ proof: inout SenderProof, _ steps: inout Steps) -> Sender {
        guard header.from.count == 1, let field = header.from.first else {
            steps.add(.sender, .no, "\(header.from.count) From fields instead of one")
            return .failure(misrouted(.ambiguousSender))
        }
        guard !field.isMalformed, !field.hasGroup, field.addresses.count == 1, let mailbox = field.addresses.first
        else {
            steps.add(.sender, .no, "From: \(field.text): \(Self.problem(with: field))")
            return .failure(misrouted(.ambiguousSender))
        }
        guard let address = EmailAddress(mailbox.address) else {
            steps.add(.sender, .no, "From: \(mailbox.address): not an address (RFC 5322 addr-spec)")
            return .failure(misrouted(.ambiguousSender))
        }
        guard let user = directory.user(for: address, subaddressSeparator: policy.subaddressSeparator) else {
            steps.add(.sender, .no, "From: \(address): not registered")
            if let relay = header.relay { steps.add(.sender, .no, Self.words(relay)) }
            return .failure(doubted(misrouted(.unknownSender), &proof, &steps))
        }
        guard !user.isDisabled else {
            steps.add(.sender, .no, "From: \(address): registered to \(user.email), who is disabled")
            return .failure(doubted(misrouted(.disabledSender, user: user), &proof, &steps))
        }
        steps.add(.sender, .yes, "From: \(address): registered to \(user.email)")
        return .success(user)
    }

    /// Adds why the trust check does not confirm an address that is not believed anyway.
    private func doubted(
        _ decision: RoutingDecision, _ proof: inout SenderProof, _ steps: inout Steps
    ) -> RoutingDecision {
        if case .untrusted(let doubt) = proof.verdict { steps.add(.trust, .no, .doubt(doubt)) }
        return decision
    }

    /// The sender whom the trust check confirms.
    private func verifiedSender(of header: MessageHeader, _ proof: inout SenderProof) -> User? {
        var steps: Steps = nil
        guard case .success(let user) = sender(of: header, &proof, &steps), case .trusted = proof.verdict else {
            return nil
        }
        return user
    }

    private static func words(_ relay: RelayedMail) -> String {
        let what =
            switch relay.kind {
            case .certified: "the envelope of certified mail"
            case .group: "a group or list that passes on what others wrote"
            case .journal: "a copy that a mail server made of a user's mail"
            }
        return "\(what)\(relay.author.map { ", by \($0) as it says" } ?? ""): the address is nobody's own"
    }

    private static func problem(with field: AddressField) -> String {
        if field.isMalformed { return "programs disagree on whom it names" }
        if field.hasGroup { return "a group is not one person" }
        return "\(field.addresses.count) addresses instead of one"
    }

    // MARK: Subject, tags and funds

    private func fund(for subjects: [String], of user: User, _ steps: inout Steps) -> RoutingDecision {
        guard let first = subjects.first else {
            steps.add(.subject, .no, "no Subject field")
            return misrouted(.noTag, user: user)
        }
        let decision = fund(for: first, of: user, &steps)
        for other in subjects.dropFirst() {
            let alternative = fund(for: other, of: user, &steps)
            guard alternative.reason == decision.reason, alternative.fund?.id == decision.fund?.id else {
                steps.add(.subject, .no, "\(subjects.count) Subject fields lead to different places")
                return misrouted(.ambiguousSubject, user: user)
            }
        }
        return decision
    }

    private func fund(for subject: String, of user: User, _ steps: inout Steps) -> RoutingDecision {
        steps.add(.subject, .neutral, .subject(subject))
        let tags = SubjectTags.read(subject).map { (name: $0, key: FundName.key($0)) }.filter { tag in
            // `[...]` stands for a subject that is encrypted (RFC 9788 §3.2.1), `[!]` for haste.
            guard
                tag.key.unicodeScalars.contains(where: \.isLetterOrDigit)
                    || !directory.funds(of: user.id, matching: tag.key).isEmpty
            else { return false }
            guard ignoredTags.contains(tag.key) else { return true }
            steps.addTag(.neutral, .ignoredTag(tag.name))
            return false
        }
        guard let firstTag = tags.first?.name else {
            steps.add(.tag, .no, .noTag)
            return misrouted(.noTag, user: user)
        }
        let funds = directory.funds(of: user.id)
        for (tag, key) in tags {
            let matches = directory.funds(of: user.id, matching: key)
            guard let fund = matches.first else {
                steps.addTag(.no, .unknownTag(tag, funds: funds.map(\.name)))
                continue
            }
            var decision: RoutingDecision
            if matches.count > 1 {
                steps.add(.fund, .no, .ambiguousTag(tag, funds: matches.map(\.name)))
                decision = misrouted(.ambiguousFund, user: user)
                decision.suggestions = matches.prefix(FundSuggestions.maxCount).map(\.name)
            } else {
                steps.add(
                    .fund, .yes,
                    .knownTag(tag, fund: fund.name, owner: user.email, isAlias: FundName.key(fund.name) != key))
                decision = RoutingDecision(outcome: .filed)
                (decision.user, decision.fund) = (user, fund)
            }
            decision.tag = tag
            return decision
        }
        var decision = misrouted(.unknownFund, user: user)
        decision.tag = firstTag
        decision.suggestions = FundSuggestions.nearest(to: firstTag, among: funds)
        return decision
    }

    // MARK: Words

    private func misrouted(_ reason: Reason, user: User? = nil) -> RoutingDecision {
        var decision = RoutingDecision(outcome: reason.outcome, reason: reason)
        decision.user = user
        return decision
    }

    private static func summary(of decision: RoutingDecision) -> RoutingFact {
        .decision(decision.outcome, decision.reason, fund: decision.fund?.name)
    }
}

/// The steps of the reasoning; nil, and none is put into words, when they are not wanted.
private typealias Steps = [RoutingStep]?

/// Tags of a subject that are told one by one: more are no subject that a person wrote.
private let mostTags = 20

extension Steps {
    /// Adds what a tag is, or counts it where so many have been told.
    fileprivate mutating func addTag(_ verdict: RoutingStep.Verdict, _ fact: @autoclosure () -> RoutingFact) {
        guard let last = self?.last else { return }
        if case .furtherTags(let count) = last.fact {
            self?.removeLast()
            self?.append(RoutingStep(.tag, .no, .furtherTags(count + 1)))
        } else if self?.suffix(mostTags).count(where: { $0.about == .tag }) == mostTags {
            self?.append(RoutingStep(.tag, .no, .furtherTags(1)))
        } else {
            self?.append(RoutingStep(.tag, verdict, fact()))
        }
    }

    fileprivate mutating func add(
        _ about: RoutingStep.Subject, _ verdict: RoutingStep.Verdict, _ text: @autoclosure () -> String
    ) {
        self?.append(RoutingStep(about, verdict, .prose(text())))
    }

    fileprivate mutating func add(
        _ about: RoutingStep.Subject, _ verdict: RoutingStep.Verdict, _ fact: @autoclosure () -> RoutingFact
    ) {
        self?.append(RoutingStep(about, verdict, fact()))
    }
}
