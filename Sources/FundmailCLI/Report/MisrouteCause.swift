import FundCore

/// What kept messages have in common that one command puts right: the reason and the sender, and for a fund that is not
/// found the tag. Automatic mail is one cause for all its senders.
struct MisrouteCause: Hashable {
    let reason: Reason
    /// Compared without regard to case.
    let sender: String?
    /// In the form in which tags are compared.
    let tag: String?
    let isUnverified: Bool
    /// What was filed or put aside since stands apart.
    let isResolved: Bool

    init(_ record: MisrouteRecord) {
        reason = record.reason
        isUnverified = record.isUnverified
        isResolved = record.resolution != nil
        let isAutomatic = reason == .autoReply || reason == .loop
        sender = isAutomatic ? nil : record.sender?.lowercased()
        let isAboutTag = reason == .unknownFund || reason == .ambiguousFund
        tag = isAboutTag ? record.tag.map(FundName.key) : nil
    }
}
