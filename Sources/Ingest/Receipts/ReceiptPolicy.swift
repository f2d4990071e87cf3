package import FundCore

/// Decides whose mail is answered by a letter: a pure function of the message, its decision and the directory.
///
/// An answer to a forged sender is mail that a stranger never asked for (backscatter), and two programs that answer
/// each other never end. So every condition must hold, and mail of which anything is unclear is not answered:
///
/// - The sender, or else the mailbox, chose to hear of such an event.
/// - The mail came from a mailbox of a server, now: not from files, not again from the log, and not as one of many that
///   lay there before the mailbox was polled.
/// - It has one sender, who is registered, enabled, and the one whose mail it is.
/// - The sender is proved: DMARC, or a login, as `SenderTrust` finds it; where a mailbox asks for no proof, an
///   administrator marked this very address.
/// - A person wrote it to us: it bears no mark of a list, of a machine or of a service that passes on mail of others.
/// - The letter would not go to one of our own addresses.
package struct ReceiptPolicy: Sendable, Hashable {
    private let ownAddresses: Set<EmailAddress>

    /// - Parameter ownAddresses: those of our mailboxes, and the sender of our letters.
    package init(ownAddresses: Set<EmailAddress>) { self.ownAddresses = ownAddresses }

    /// Mail with an older `Date` is not answered when it comes: enough for a weekend without the program.
    static let maxAge = Duration.seconds(3 * 86400)

    /// The request for a routed message; nil when no letter goes out.
    ///
    /// - Parameter trust: the policy under which the message came.
    func request(
        for message: RoutedMessage, trust: TrustPolicy, _ directory: RoutingDirectory, now: Timestamp
    ) -> ReceiptRequest? {
        let (decision, policy) = (message.decision, message.policy)
        // The choice first: it costs nothing, and mostly ends it.
        guard let user = decision.user, !user.isDisabled else { return nil }
        let (choice, kind) = (user.receipts ?? policy.receipts, Self.kind(of: message))
        // The store keeps mail for which it has no room, and sends the letter about that.
        guard choice.includes(kind) || kind == .filed && choice.includes(.kept), Self.isAnswered(decision) else {
            return nil
        }
        guard message.reference.mailbox != nil, message.receivedAt == nil else { return nil }
        guard let header = message.parsed.header, kind == .filedLater || Self.isRecent(header, now),
            header.automatic.allowsAnswer, header.relay == nil,
            let sender = decision.provedSender ?? header.onlySender, Self.isReachable(sender),
            directory.user(for: sender, subaddressSeparator: policy.subaddressSeparator)?.id == user.id,
            !isOwn(sender, separator: policy.subaddressSeparator),
            isProved(sender, of: message, header, trust, directory)
        else { return nil }
        return ReceiptRequest(recipient: sender, choice: choice)
    }

    private static func kind(of message: RoutedMessage) -> OutboxCause.Kind {
        if message.kept != nil { return .filedLater }
        return message.decision.outcome == .filed ? .filed : .kept
    }

    /// Whether the decision is one of which its sender may hear: the mail is filed, or kept for a reason that a proved
    /// sender can do something about.
    private static func isAnswered(_ decision: RoutingDecision) -> Bool {
        guard !decision.isUnverified else { return false }
        switch decision.reason {
        case nil: return decision.outcome == .filed
        case .noTag, .unknownFund, .ambiguousFund, .ambiguousSubject, .tooLarge, .overQuota:
            return decision.outcome != .filed
        case .ambiguousSender, .unknownSender, .disabledSender, .unverifiedSender, .tooComplex, .unparseable,
            .autoReply, .loop, .bounce:
            return false
        }
    }

    private static func isRecent(_ header: MessageHeader, _ now: Timestamp) -> Bool {
        header.date.map { $0 >= now - maxAge } ?? false
    }

    /// Servers without SMTPUTF8 take no other local part (RFC 6531), and ours may be one.
    private static func isReachable(_ address: EmailAddress) -> Bool { address.localPart.utf8.allSatisfy { $0 < 0x80 } }

    private func isOwn(_ address: EmailAddress, separator: String) -> Bool {
        ownAddresses.contains(address) || ownAddresses.contains(address.withoutSubaddress(separator: separator))
    }

    private func isProved(
        _ sender: EmailAddress, of message: RoutedMessage, _ header: MessageHeader, _ trust: TrustPolicy,
        _ directory: RoutingDirectory
    ) -> Bool {
        guard case .dmarc = trust else { return directory.isAnswered(sender) }
        // The check that the router made by the same policy holds, and the results of the server are read once.
        if message.policy.trust == trust, message.decision.provedSender == sender { return true }
        guard case .trusted = SenderTrust.verdict(sender: sender, trace: header.trace, policy: trust) else {
            return false
        }
        return true
    }
}
