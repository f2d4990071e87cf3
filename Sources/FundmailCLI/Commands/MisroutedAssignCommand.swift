import ArgumentParser
import FundStore
import Ingest
import MailParse

struct MisroutedAssignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign", abstract: "File a kept message into a fund.",
        discussion: """
            With --remember the next one finds its way: an unknown sender's address is added to the user, an unknown tag \
            becomes an alias of the fund. It then says which other kept messages would be filed now.

            Examples:
              fundmail misrouted assign 12 --fund Fund1
              fundmail misrouted assign 13 --fund "Alpha Fund" --user ann@example.com --remember
            """)

    @Argument(help: "Its number in the report.") var id: Int64
    @Option(help: ArgumentHelp("The fund's name or an alias.", valueName: "name")) var fund: String
    @Option(help: ArgumentHelp("Its owner, when the sender is unknown or is not the owner.", valueName: "email"))
    var user: String?
    @Flag(help: "Learn from it: the sender's address or the tag.") var remember = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let workspace = try Workspace(globals)
        let store = try workspace.openStore()
        let record = try await store.misroute(id)
        let target = try await store.onlyFund(named: fund, owner: user ?? record.userEmail)
        let owner = try await store.user(target.ownerEmail).user
        let lock = try store.lockForRefiling(holder: "misrouted assign")
        defer { lock?.release() }
        let parser = workspace.parser(stagingDirectory: store.spool.path, concurrency: 1)
        let refiling = Refiling(
            store: store, parser: parser, limits: workspace.configuration.limits, actor: Workspace.actor)
        let stored = try await refiling.assign(id, to: target.fund, of: owner)
        try Console.line("\(id): \(MisroutedRetryCommand.describe(stored))")
        if remember, try await learn(record, store, target, owner) {
            try await announce(workspace, store, refiling)
        }
        await parser.shutdown()
        try store.close()
    }

    /// True when something was learned that may help others.
    private func learn(
        _ record: MisrouteRecord, _ store: FundStore, _ target: FundRecord, _ owner: User
    ) async throws -> Bool {
        switch record.reason {
        case .unknownSender:
            guard let sender = record.sender, EmailAddress(sender) != nil else { break }
            let isNew = try await store.addAddress(sender, to: owner.id, actor: Workspace.actor)
            let word = isNew ? "is now" : "was already"
            try Console.line(TerminalText.clean("\(sender) \(word) an address of \(owner.email)."))
            return isNew
        case .unknownFund:
            guard let tag = record.tag, record.user == owner.id else { break }
            let isNew = try await store.addAlias(tag, to: target.fund.id, actor: Workspace.actor)
            let word = isNew ? "now finds" : "already found"
            try Console.line(TerminalText.clean("[\(tag)] \(word) [\(target.fund.name)] of \(owner.email)."))
            return isNew
        default: break
        }
        try Console.line("There is nothing to remember: \(record.reason.rawValue) is not about an address or a tag.")
        return false
    }

    /// Says what else would be filed now, and how.
    private func announce(_ workspace: Workspace, _ store: FundStore, _ refiling: Refiling) async throws {
        var filter = MisrouteFilter()
        filter.outcomes = [.misrouted]
        var found: [Int64] = []
        for record in try await store.misroutes(filter) where record.id != id {
            let decision = try await refiling.rehearse(record.id, policy: workspace.policy)
            guard decision.outcome == .filed else { continue }
            found.append(record.id)
            let place = "[\(decision.fund?.name ?? "")] of \(decision.user?.email ?? "")"
            try Console.line(TerminalText.clean("  \(record.id) would now go into \(place): \(record.subject ?? "")"))
        }
        guard !found.isEmpty else { return }
        let words = ["fundmail"] + workspace.words + ["misrouted", "retry"] + found.map(String.init)
        try Console.line("To file \(found.count == 1 ? "it" : "them"): \(ShellWord.command(words))")
    }
}
