import ArgumentParser
import FundStore
import FundCore
import Ingest
import MailParse

struct MisroutedAssignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign", abstract: "File kept messages into a fund.",
        discussion: """
            With --remember the next one finds its way: an unknown sender's address is added to the user, an unknown \
            tag becomes an alias of the fund. It then says which other kept messages would be filed now. What cannot \
            be filed is said, and holds up no other.

            Examples:
              fundmail misrouted assign 12 --fund Fund1
              fundmail misrouted assign 13 14 --fund "Alpha Fund" --user ann@example.com --remember
              fundmail misrouted assign --reason no_tag --from ann@example.com --fund Fund1
            """)

    @OptionGroup var selection: MisrouteSelection
    @Option(help: ArgumentHelp("The fund's name or an alias.", valueName: "name")) var fund: String
    @Option(help: ArgumentHelp("Its owner, when the sender is unknown or is not the owner.", valueName: "email"))
    var user: String?
    @Flag(help: "Learn from it: the sender's address or the tag.") var remember = false
    @OptionGroup var globals: GlobalOptions

    func validate() throws { try selection.validate(isOptional: false) }

    func run() async throws {
        let workspace = try Workspace(globals)
        let store = try workspace.openStore()
        let records = try await selection.records(in: store)
        try selection.checkOnePerson(records)
        let lock = try store.lockForRefiling(holder: "misrouted assign")
        defer { lock?.release() }
        let parser = workspace.parser(stagingDirectory: store.mail.spool.path, concurrency: 1)
        let refiling = workspace.refiling(store, parser)
        var (filed, learned): (Set<MisrouteRecord.ID>, [MisrouteCause: Bool]) = ([], [:])
        for record in records {
            do {
                let target = try await store.administration.onlyFund(named: fund, owner: user ?? record.userEmail)
                try selection.check(record, goesTo: target)
                let owner = try await store.administration.user(target.ownerEmail).user
                let stored = try await refiling.assign(record.id, to: target.fund, of: owner, actor: Workspace.actor)
                filed.insert(record.id)
                try Console.line("\(record.id): \(MisroutedRetryCommand.describe(stored))")
                let cause = MisrouteCause(record)
                if remember, learned[cause] == nil {
                    learned[cause] = try await learn(record, refiling, target.fund, owner)
                }
            } catch  where records.count > 1 && CommandError(error).status == .input {
                Console.error("fundmail: \(record.id): \(TerminalText.clean(CommandError(error).message))\n")
            }
        }
        let causes = Set(learned.filter(\.value).keys)
        if !causes.isEmpty { try await announce(causes, besides: filed, workspace, store, refiling) }
        await parser.shutdown()
        try store.close()
        if records.count != 1 { try Console.line("\(filed.count) filed, \(records.count - filed.count) still kept.") }
        if filed.count < records.count { throw ExitCode(ExitStatus.input.rawValue) }
    }

    /// True when something was learned that may help others.
    private func learn(
        _ record: MisrouteRecord, _ refiling: RefilingService, _ fund: Fund, _ owner: User
    ) async throws -> Bool {
        switch try await refiling.register(from: record, to: fund, of: owner, actor: Workspace.actor) {
        case .registered(let name, let isNew):
            let text =
                record.reason == .unknownSender
                ? "\(name) \(isNew ? "is now" : "was already") an address of \(owner.email)."
                : "[\(name)] \(isNew ? "now finds" : "already found") [\(fund.name)] of \(owner.email)."
            try Console.line(TerminalText.clean(text))
            return isNew
        case .unconfirmedAddress(let sender):
            try Console.line(
                TerminalText.clean(
                    "\(sender) is not remembered: the mail server did not confirm that this came from there. "
                        + "`fundmail user address add` does it when you are sure."))
        case nil:
            try Console.line(
                "There is nothing to remember: \(record.reason.rawValue) is not about an address or a tag.")
        }
        return false
    }

    /// More are not rehearsed one by one: `misrouted retry` tries them all.
    private static let maxRehearsed = 100

    /// Says what else would be filed now, and how: mail of the senders and with the tags that were learned.
    private func announce(
        _ causes: Set<MisrouteCause>, besides filed: Set<MisrouteRecord.ID>, _ workspace: Workspace, _ store: FundStore,
        _ refiling: RefilingService
    ) async throws {
        var filter = MisrouteFilter()
        filter.outcomes = [.misrouted]
        let senders = Set(causes.filter { $0.reason == .unknownSender }.map(\.sender))
        let tags = Set(causes.filter { $0.reason == .unknownFund }.map(\.tag))
        let others = try await store.administration.misroutes(filter).filter { record in
            !filed.contains(record.id)
                && (senders.contains(record.sender?.lowercased()) || tags.contains(record.tag.map(FundName.key)))
        }
        var found: [MisrouteRecord.ID] = []
        for record in others.prefix(Self.maxRehearsed) {
            let decision = try await refiling.rehearse(record.id)
            guard decision.outcome == .filed else { continue }
            found.append(record.id)
            let place = "[\(decision.fund?.name ?? "")] of \(decision.user?.email ?? "")"
            try Console.line(TerminalText.clean("  \(record.id) would now go into \(place): \(record.subject ?? "")"))
        }
        guard !found.isEmpty else { return }
        let isCut = others.count > Self.maxRehearsed
        let words = ["fundmail"] + workspace.words + ["misrouted", "retry"] + (isCut ? [] : found.map(\.description))
        try Console.line("To file \(found.count == 1 ? "it" : "them"): \(ShellWord.command(words))")
    }
}
