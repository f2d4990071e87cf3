internal import FundCore

/// The verdict of the trust check on the sender of one message, computed at its first use and once.
struct SenderProof {
    private let header: MessageHeader?
    private let policy: TrustPolicy

    init(_ header: MessageHeader?, _ policy: TrustPolicy) { (self.header, self.policy) = (header, policy) }

    private lazy var sender = header?.onlySender

    private(set) lazy var verdict: SenderTrust.Verdict = {
        guard let header, let sender else { return .untrusted(.noSender) }
        return SenderTrust.verdict(sender: sender, trace: header.trace, policy: policy)
    }()

    /// Whether the mailbox asks for a proof of the sender and there is none, also where `From` names no single address.
    var isMissing: Bool {
        mutating get {
            guard case .dmarc = policy, case .untrusted = verdict else { return false }
            return true
        }
    }

    /// The sender's address, where the mailbox asks for a proof of it and there is one.
    var provedSender: EmailAddress? {
        mutating get {
            guard case .dmarc = policy, case .trusted = verdict else { return nil }
            return sender
        }
    }
}

extension MessageHeader {
    /// The address in `From`; nil where that names no address, several, or a group.
    var onlySender: EmailAddress? {
        guard from.count == 1, let field = from.first, !field.isMalformed, !field.hasGroup,
            field.addresses.count == 1
        else { return nil }
        return field.addresses.first.flatMap { EmailAddress($0.address) }
    }
}
