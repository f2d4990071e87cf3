import FundCore
import Ingest

/// The command that files a kept message or mends its cause. All text of it may come from mail and is quoted.
struct MisrouteFix {
    let directory: RoutingDirectory
    let words: [String]
    /// The message is shown already: the command must not suggest to show it.
    var isShown = false

    /// Numbers in a command; more messages are named by what they have in common.
    private static let maxNumbers = 10

    /// `records` are open messages of one cause, at least one.
    func command(for records: [MisrouteRecord]) -> String {
        let record = records[0]
        // A sender who may be forged is not believed: neither registered nor enabled.
        guard !record.isSenderUnproven else { return look(records) }
        let choices = DeskChoices(record)
        switch record.reason {
        case .unknownSender where record.relay != nil: return assignOnce(records)
        case .unknownSender:
            // A local part may look like an option.
            guard let sender = choices.registration.flatMap({ EmailAddress($0) }), !"\(sender)".hasPrefix("-") else {
                return look(records)
            }
            return line("user", "address", "add", "USER", "\(sender)") + " && " + retry(records)
        case .disabledSender:
            guard choices.enablesSender, let user = record.userEmail else { return look(records) }
            return line("user", "enable", user) + " && " + retry(records)
        case .ambiguousSender, .unverifiedSender: return look(records)
        case .unknownFund, .ambiguousFund:
            if let near = record.suggestions.first {
                // An ambiguous tag must not become an alias of one of the two.
                let remember = record.reason == .unknownFund ? ["--remember"] : []
                return assign(records, option("--fund", near) + remember)
            }
            if let tag = choices.newFund, !tag.hasPrefix("-"), let user = record.userEmail {
                return line("fund", "add", tag, "--owner", user) + " && " + retry(records)
            }
            return assign(records)
        case .overQuota:
            guard let user = record.userEmail else { return retry(records) }
            return line("user", "quota", user, "SIZE") + " && " + retry(records)
        case .noTag, .ambiguousSubject: return assign(records)
        case .tooLarge, .tooComplex, .unparseable: return assign(records)
        case .autoReply, .loop, .bounce: return line(["misrouted", "reject"] + selection(records, isBounded: true))
        }
    }

    /// Files what a service passed on for others, into a fund of who wrote it: nothing is learnt, and no other mail of
    /// the service is meant.
    private func assignOnce(_ records: [MisrouteRecord]) -> String {
        let author = records[0].relay?.author
        let user = author.flatMap { EmailAddress($0) }.flatMap { directory.user(for: $0, subaddressSeparator: "") }
        let tags = Set(SubjectTags.read(records[0].subject ?? "").map(FundName.key))
        let funds = user.map { directory.funds(of: $0.id) } ?? []
        let named = funds.first { fund in ([fund.name] + fund.aliases).contains { tags.contains(FundName.key($0)) } }
        let numbers = records.filter { $0.relay?.author == author }.prefix(Self.maxNumbers).map { "\($0.id)" }
        let fund = named ?? (funds.count == 1 ? funds.first : nil)
        return line(
            ["misrouted", "assign"] + numbers + option("--fund", fund?.name ?? "FUND")
                + option("--user", user?.email ?? "USER"))
    }

    /// Routing decides about each, also about those that came since.
    private func retry(_ records: [MisrouteRecord]) -> String {
        line(["misrouted", "retry"] + selection(records, isBounded: false))
    }

    /// With the sender's only fund, or one to be filled in.
    private func assign(_ records: [MisrouteRecord]) -> String {
        let funds = records[0].user.map { directory.funds(of: $0) } ?? []
        let user = records[0].userEmail == nil ? ["--user", "USER"] : []
        return assign(records, option("--fund", funds.count == 1 ? funds[0].name : "FUND") + user)
    }

    private func assign(_ records: [MisrouteRecord], _ options: [String]) -> String {
        // Mail without a known sender may be several people's: never all of it into one fund, only what is named.
        let records = MisrouteCause(records[0]).sender == nil ? Array(records.prefix(Self.maxNumbers)) : records
        return line(["misrouted", "assign"] + selection(records, isBounded: true) + options)
    }

    private func look(_ records: [MisrouteRecord]) -> String {
        guard isShown else { return line("misrouted", "show", "\(records[0].id)") }
        // Mail that may be forged is put aside, unless an administrator knows better.
        return records[0].isSenderUnproven
            ? line(["misrouted", "reject"] + selection(records, isBounded: true)) : assign(records)
    }

    /// - Parameter isBounded: what came since is not meant.
    private func selection(_ records: [MisrouteRecord], isBounded: Bool) -> [String] {
        guard records.count > Self.maxNumbers, let last = records.last else { return records.map { "\($0.id)" } }
        let cause = MisrouteCause(records[0])
        return ["--reason", cause.reason.rawValue] + (cause.sender.map { option("--from", $0) } ?? [])
            + (cause.tag == nil ? [] : records[0].tag.map { option("--tag", $0) } ?? [])
            + (isBounded ? ["--up-to", "\(last.id)"] : [])
    }

    /// A value that begins with `-` must not be taken for an option.
    private func option(_ name: String, _ value: String) -> [String] {
        value.hasPrefix("-") ? ["\(name)=\(value)"] : [name, value]
    }

    private func line(_ arguments: String...) -> String { line(arguments) }

    private func line(_ arguments: [String]) -> String { ShellWord.command(["fundmail"] + words + arguments) }
}
