package import FundCore

/// The effect of a mailbox's trust policy on the messages in it: the verdict that a run would give, and which
/// `own_received` would find the results of the server. For looking at a mailbox; nothing is routed by it.
package struct TrustReview: Sendable, Equatable {
    /// Another number of `Received` fields of one's own.
    package struct Proposal: Sendable, Equatable {
        package var ownReceivedFields: Int
        /// Messages whose sender would be proven.
        package var proven: Int
        /// The servers that wrote the fields which would be passed over, topmost first, as the newest such message has
        /// them. They must be the administrator's own: an untrusted server may forge what stands above its field.
        package var writers: [String]
    }

    private static let maxOwnReceivedFields = 20

    /// Messages with one sender, which alone can be proven.
    package private(set) var messages = 0
    package private(set) var proven = 0
    /// The reason for which the newest message without proof has none.
    package private(set) var reason: String?
    /// The smallest number that proves any sender; nil when some are proven already, or no number would.
    package private(set) var proposal: Proposal?
    /// Names in the `Authentication-Results` of the newest message, topmost first, wherever they stand.
    package private(set) var servers: [String] = []

    /// - Parameters:
    ///   - headers: of the newest messages, newest first.
    ///   - policy: that of the mailbox.
    package init(_ headers: [MessageHeader], policy: TrustPolicy) {
        servers = headers.first.map(Self.servers) ?? []
        let mail = headers.compactMap { header in header.onlySender.map { (sender: $0, trace: header.trace) } }
        messages = mail.count
        for (sender, trace) in mail {
            switch SenderTrust.verdict(sender: sender, trace: trace, policy: policy) {
            case .trusted: proven += 1
            case .untrusted(let doubt): reason = reason ?? doubt.text
            }
        }
        guard proven == 0, case .dmarc(let id, let configured, let domains) = policy else { return }
        for count in 0...Self.maxOwnReceivedFields where count != configured && proposal == nil {
            let other = TrustPolicy.dmarc(authservID: id, ownReceivedFields: count, submissionDomains: domains)
            let found = mail.filter { Self.isProven($0.sender, $0.trace, other) }
            guard let newest = found.first else { continue }
            proposal = Proposal(
                ownReceivedFields: count, proven: found.count, writers: Array(Self.writers(newest.trace).prefix(count)))
        }
    }

    private static func isProven(_ sender: EmailAddress, _ trace: [TraceField], _ policy: TrustPolicy) -> Bool {
        if case .trusted = SenderTrust.verdict(sender: sender, trace: trace, policy: policy) { true } else { false }
    }

    private static func servers(_ header: MessageHeader) -> [String] {
        header.trace.compactMap { field in
            guard case .authenticationResults(let text) = field else { return nil }
            return AuthenticationResults(text)?.authservID
        }
    }

    private static func writers(_ trace: [TraceField]) -> [String] {
        trace.compactMap { field in
            guard case .received(let text) = field else { return nil }
            return ReceivedField(text).writer ?? "a server that does not name itself"
        }
    }
}
