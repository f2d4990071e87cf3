package import FundCore

/// A refusal of an act that may be right.
package enum DeskError: OperationalError, CustomStringConvertible {
    case otherOwner(sender: String, fund: String, owner: String)
    /// No trust check confirmed that it came from this sender, and no administrator confirmed that it is genuine all
    /// the same.
    case unverified(String)
    /// It names several senders, or none that can be read, and no administrator confirmed that it is genuine all the
    /// same.
    case severalSenders([String])
    /// A tag is looked up among the sender's own funds.
    case tagOfAnother(String, fund: String)
    /// The trust check did not confirm this address, and it was not named once more.
    case unconfirmedAddress(String)
    /// Mail of many people comes from this address: registered for one of them, all of it would be theirs.
    case addressOfMany(String, RelayedMail.Kind)
    /// The message waits for another cause than the first, or for one that this does not put right.
    case otherCause
    /// The actor is disabled, or no administrator any more.
    case actorEnded

    /// Whether the mail may be forged: only the word that it is genuine files it.
    package var isDoubt: Bool {
        switch self {
        case .unverified, .severalSenders: true
        default: false
        }
    }

    package var condition: ErrorCondition { .input }
    package var isTemporary: Bool { false }

    private static func words(_ kind: RelayedMail.Kind) -> String {
        switch kind {
        case .certified: "a provider of certified mail"
        case .group: "a group or list"
        case .journal: "a server's journal"
        }
    }

    private static func words(_ senders: [String]) -> String {
        senders.isEmpty
            ? "it names no sender that can be read" : "it says that it comes from \(senders.joined(separator: ", "))"
    }

    package var description: String {
        switch self {
        case .otherOwner(let sender, let fund, let owner):
            "it came from \(sender), and [\(fund)] is a fund of \(owner): confirm that it belongs there"
        case .unverified(let sender):
            "no trust check confirmed that it came from \(sender): whoever wrote it may have forged the sender; put it "
                + "aside, or confirm that it is genuine"
        case .severalSenders(let senders):
            "\(Self.words(senders)): whoever wrote it may have forged the sender; put it aside, or confirm that it is "
                + "genuine"
        case .tagOfAnother(let tag, let fund): "[\(fund)] is not a fund of the sender's, so [\(tag)] cannot lead there"
        case .unconfirmedAddress(let sender): "no trust check confirmed that it came from \(sender)"
        case .addressOfMany(let sender, let kind):
            "\(sender) is the address of \(Self.words(kind)), from which mail of many people comes: it is registered "
                + "for none of them; file this message alone"
        case .otherCause: "it waits for another reason, which this does not put right"
        case .actorEnded: "who began it may not do this any more"
        }
    }
}
