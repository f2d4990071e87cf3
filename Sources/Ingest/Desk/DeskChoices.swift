package import FundCore

/// The acts that are proposed for a kept message, by the reason for which it is kept.
package struct DeskChoices: Sendable, Hashable {
    /// The rule that filing the message by hand may teach.
    package enum Teaching: Sendable, Hashable {
        /// The tag becomes an alias of the fund.
        case alias(String)
        /// The sender's address becomes one of the fund's owner.
        case address(String)
    }

    /// The act that is proposed first. Raw values stand in JSON.
    package enum Proposal: String, Sendable {
        case file
        /// The mail may be forged: to file it takes a confirmation, and nothing is learnt from it.
        case putAside = "put_aside"
    }

    package let proposal: Proposal
    package var teaching: Teaching?
    /// Name of a fund that may be created for the sender.
    package var newFund: String?
    /// Address of the sender that may be registered for a user.
    package var registration: String?
    /// Whether the sender, who is disabled, may be enabled.
    package var enablesSender = false

    /// - Parameter record: a message that waits.
    package init(_ record: MisrouteRecord) {
        proposal = record.isSenderUnproven || record.reason == .ambiguousSender ? .putAside : .file
        guard proposal == .file else { return }
        switch record.reason {
        case .unknownFund:
            guard let tag = record.tag, record.user != nil else { return }
            teaching = .alias(tag)
            if FundName.problem(with: tag) == nil, record.userEmail != nil { newFund = tag }
        case .unknownSender:
            guard record.relay == nil, let sender = record.sender, EmailAddress(sender) != nil else { return }
            teaching = .address(sender)
            registration = sender
        case .disabledSender: enablesSender = record.user != nil && record.userEmail != nil
        default: break
        }
    }
}
