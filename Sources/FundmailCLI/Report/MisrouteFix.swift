import FundStore
import Ingest

/// The command that files a kept message or mends its cause. All text of it may come from mail and is quoted.
struct MisrouteFix {
    let directory: Directory
    let words: [String]
    /// The message is on the screen: what to do next is not to look at it.
    var isShown = false

    func command(for record: MisrouteRecord) -> String {
        let id = "\(record.id)"
        switch record.reason {
        case .unknownSender:
            // A local part may look like an option.
            guard let sender = record.sender.flatMap({ EmailAddress($0) }), !"\(sender)".hasPrefix("-") else {
                return look(record)
            }
            return line("user", "address", "add", "USER", "\(sender)") + " && " + line("misrouted", "retry", id)
        case .disabledSender:
            guard let user = record.userEmail else { return look(record) }
            return line("user", "enable", user) + " && " + line("misrouted", "retry", id)
        case .ambiguousSender, .unverifiedSender: return look(record)
        case .unknownFund, .ambiguousFund:
            if let near = record.suggestions.first {
                // An ambiguous tag must not become an alias of one of the two.
                let remember = record.reason == .unknownFund ? ["--remember"] : []
                return line(["misrouted", "assign", id] + option("--fund", near) + remember)
            }
            if record.reason == .unknownFund, let tag = record.tag, let user = record.userEmail,
                FundName.problem(with: tag) == nil, !tag.hasPrefix("-")
            {
                return line("fund", "add", tag, "--owner", user) + " && " + line("misrouted", "retry", id)
            }
            return assign(record)
        case .noTag, .ambiguousSubject: return assign(record)
        case .tooLarge, .tooComplex, .unparseable: return assign(record)
        case .autoReply, .loop: return line("misrouted", "reject", id)
        }
    }

    /// With the sender's only fund, or one to be filled in.
    private func assign(_ record: MisrouteRecord) -> String {
        let funds = record.user.map { directory.funds(of: $0) } ?? []
        let user = record.userEmail == nil ? ["--user", "USER"] : []
        let fund = funds.count == 1 ? funds[0].name : "FUND"
        return line(["misrouted", "assign", "\(record.id)"] + option("--fund", fund) + user)
    }

    private func look(_ record: MisrouteRecord) -> String {
        isShown ? assign(record) : line("misrouted", "show", "\(record.id)")
    }

    /// A value that begins with `-` must not be taken for an option.
    private func option(_ name: String, _ value: String) -> [String] {
        value.hasPrefix("-") ? ["\(name)=\(value)"] : [name, value]
    }

    private func line(_ arguments: String...) -> String { line(arguments) }

    private func line(_ arguments: [String]) -> String { ShellWord.command(["fundmail"] + words + arguments) }
}
