/// The finding of a step of the reasoning. Findings about a subject are values, so that an interface can tell them in
/// the reader's language; those about other fields of a header are for administrators, in English.
package enum RoutingFact: Sendable, Hashable {
    case subject(String)
    /// A tag that is not looked up: mail gateways put it in front.
    case ignoredTag(String)
    case noTag
    /// The tag is the name of none of these funds, which are all of the sender's.
    case unknownTag(String, funds: [String])
    /// Tags behind the first ones, which are not told one by one.
    case furtherTags(Int)
    case ambiguousTag(String, funds: [String])
    case knownTag(String, fund: String, owner: String, isAlias: Bool)
    case decision(Outcome, Reason?, fund: String?)
    /// The trust check does not confirm the sender.
    case doubt(SenderDoubt)
    /// Anything else, as a sentence in English.
    case prose(String)

    /// In English: for the command line and the web API.
    package var text: String {
        switch self {
        case .subject(let subject): "Subject: \(subject)"
        case .ignoredTag(let tag): "[\(tag)]: on the ignore list"
        case .noTag: "no tag between brackets"
        case .unknownTag(let tag, let funds): "[\(tag)]: names none of \(Self.list(funds) ?? "no fund at all")"
        case .furtherTags(let count): "\(count) more \(count == 1 ? "tag" : "tags")"
        case .ambiguousTag(let tag, let funds): "[\(tag)]: fits \(Self.list(funds) ?? "no fund at all")"
        case .knownTag(let tag, let fund, let owner, let isAlias):
            "[\(tag)]: \(isAlias ? "an alias of " : "")\(fund) of \(owner)"
        case .decision(let outcome, let reason, let fund):
            outcome.rawValue + (reason.map { ": \($0.rawValue)" } ?? "") + (fund.map { " in \($0)" } ?? "")
        case .doubt(let doubt): doubt.text
        case .prose(let text): text
        }
    }

    /// The first ten names; nil for none.
    package static func list(_ names: [String], separator: String = ", ") -> String? {
        guard !names.isEmpty else { return nil }
        return names.prefix(10).map { "“\($0)”" }.joined(separator: separator) + (names.count > 10 ? " …" : "")
    }
}
