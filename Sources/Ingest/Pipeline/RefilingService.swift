package import FundCore

/// Files kept mail for administrators, by the rules that hold at the time.
package struct RefilingService: Sendable {
    private let mail: any IngestStore & KeptMailStore
    private let administration: any Administration
    private let parser: any MessageParser
    private let limits: @Sendable () -> ParseLimits
    private let policy: @Sendable (SourceReference, TrustPolicy) -> RoutingPolicy

    /// - Parameters:
    ///   - limits: those that hold now.
    ///   - policy: the rules that hold now for mail of this origin.
    package init(
        mail: any IngestStore & KeptMailStore, administration: any Administration, parser: any MessageParser,
        limits: @escaping @Sendable () -> ParseLimits,
        policy: @escaping @Sendable (SourceReference, TrustPolicy) -> RoutingPolicy
    ) {
        self.mail = mail
        self.administration = administration
        self.parser = parser
        self.limits = limits
        self.policy = policy
    }

    /// Files a kept message. With `remembers` it also registers the sender's address or the tag. Throws the errors of the
    /// store and of the parser.
    /// - Returns: what was stored, and the address or tag that was registered.
    package func assign(
        _ misrouteID: MisrouteRecord.ID, to fund: Fund, of user: User, remembers: Bool, actor: String
    ) async throws -> (stored: StoredMessage, learned: String?) {
        let record = try await administration.misroute(misrouteID)
        let stored = try await refiling(actor).assign(misrouteID, to: fund, of: user)
        return (stored, remembers ? try await learn(record, fund, user, actor) : nil)
    }

    /// Routes a kept message again, and files it if it has a fund now. Throws the errors of the store and of the parser.
    package func retry(_ misrouteID: MisrouteRecord.ID, actor: String) async throws -> Refiling.Attempt {
        try await refiling(actor).retry(misrouteID, policy: policy)
    }

    private func refiling(_ actor: String) -> Refiling {
        Refiling(store: mail, parser: parser, limits: limits(), actor: actor)
    }

    /// The address or tag that was registered; nil when there was none to register.
    private func learn(_ record: MisrouteRecord, _ fund: Fund, _ user: User, _ actor: String) async throws -> String? {
        switch record.reason {
        case .unknownSender:
            guard !record.isUnverified, let sender = record.sender, EmailAddress(sender) != nil else { return nil }
            return try await administration.addAddress(sender, to: user.id, actor: actor) ? sender : nil
        case .unknownFund:
            guard let tag = record.tag, record.user == user.id else { return nil }
            return try await administration.addAlias(tag, to: fund.id, actor: actor) ? tag : nil
        default: return nil
        }
    }
}
