/// The outcome of a message. Raw values are stored in the database and written as JSON.
package enum Outcome: String, Sendable, Hashable, CaseIterable, Codable {
    case filed, misrouted, rejected, duplicate
}

/// Why a message was not filed. Raw values stand in the database, in JSON and in the report.
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
    // rejected
    case tooLarge = "too_large"
    case tooComplex = "too_complex"
    case unparseable
    case autoReply = "auto_reply"
    case loop

    package var outcome: Outcome {
        switch self {
        case .ambiguousSender, .unknownSender, .disabledSender, .unverifiedSender, .ambiguousSubject, .noTag,
            .unknownFund, .ambiguousFund:
            .misrouted
        case .tooLarge, .tooComplex, .unparseable, .autoReply, .loop: .rejected
        }
    }
}

/// Why a message is recorded without being fetched.
package struct Refusal: Sendable, Hashable {
    package var reason: Reason
    /// For people.
    package var detail: String

    package init(reason: Reason, detail: String) {
        self.reason = reason
        self.detail = detail
    }
}
