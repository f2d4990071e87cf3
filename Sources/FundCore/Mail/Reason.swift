/// The reason for which a message was not filed. Raw values stand in the database, in JSON and in the report.
package enum Reason: String, Sendable, Hashable, CaseIterable, Codable {
    // misrouted
    case ambiguousSender = "ambiguous_sender"
    case unknownSender = "unknown_sender"
    case disabledSender = "disabled_sender"
    case unverifiedSender = "unverified_sender"
    case ambiguousSubject = "ambiguous_subject"
    case noTag = "no_tag"
    case unknownFund = "unknown_fund"
    case ambiguousFund = "ambiguous_fund"
    /// The owner of the fund, or the store, has no room for the files of the mail (`StorageLimits`).
    case overQuota = "over_quota"
    // rejected
    case tooLarge = "too_large"
    case tooComplex = "too_complex"
    case unparseable
    case autoReply = "auto_reply"
    case loop
    /// A report about a letter that a person wrote, see `Bounce`.
    case bounce

    /// True when the sender was known and only a fund is lacking: none was found by a tag, or it has no room.
    package var isAboutFund: Bool { [.noTag, .unknownFund, .ambiguousFund, .overQuota].contains(self) }

    /// True for mail that no person wrote. All such mail waits as one cause.
    package var isAutomatic: Bool { self == .autoReply || self == .loop || self == .bounce }

    /// True when the tag of the subject is what stands in the way.
    package var isAboutTag: Bool { self == .unknownFund || self == .ambiguousFund }

    package var outcome: Outcome {
        switch self {
        case .ambiguousSender, .unknownSender, .disabledSender, .unverifiedSender, .ambiguousSubject, .noTag,
            .unknownFund, .ambiguousFund, .overQuota:
            .misrouted
        case .tooLarge, .tooComplex, .unparseable, .autoReply, .loop, .bounce: .rejected
        }
    }
}
