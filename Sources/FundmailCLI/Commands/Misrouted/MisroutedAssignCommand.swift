import ArgumentParser
import FundStore
import FundCore
import Ingest
import MailParse
import Terminal

struct MisroutedAssignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign", abstract: "File kept messages into a fund.",
        discussion: """
            A mail whose sender no trust check confirmed may be forged: it is filed only with --despite-unverified, \
            when you know from another source that it is genuine. Else put it aside (`fundmail misrouted reject`).

            With --remember the next mail of the kind finds its way: an unknown sender's address is added to the user, \
            an unknown tag becomes an alias of the fund. It then says which other kept messages would be filed now. \
            What cannot be filed is said, and holds up no other.

            Examples:
              fundmail misrouted assign 12 --fund Fund1
              fundmail misrouted assign 13 14 --fund "Alpha Fund" --user ann@example.com --remember
              fundmail misrouted assign --reason no_tag --from ann@example.com --fund Fund1
            """)

    @OptionGroup var selection: MisrouteSelection
    @Option(help: ArgumentHelp("The fund's name or an alias.", valueName: "name")) var fund: String
    @Option(help: ArgumentHelp("The fund's owner, when the sender is unknown or is not the owner.", valueName: "email"))
    var user: String?
    @Flag(help: "Remember the sender's address or the tag for the next mail.") var remember = false
    @Flag(help: "File mail although its sender is not confirmed and may be forged.") var despiteUnverified = false
    @OptionGroup var format: ActFormat
    @OptionGroup var globals: GlobalOptions

    func validate() throws { try selection.validate(isOptional: false) }

    func run() async throws {
        try await DeskSession.run(globals) { session in
            let records = try await selection.records(in: session.store)
            try selection.checkOnePerson(records)
            let output = ActOutput(json: format.json, count: records.count)
            var taught: Set<MisrouteRecord.ID> = []
            for (target, records) in try await targets(of: records, session.store, output) {
                // An owner who is not the sender was named by --user.
                var filing = DeskService.Filing(
                    fund: target, remembers: remember, isOwnerConfirmed: true, isDespiteUnverified: despiteUnverified)
                filing.evenPutAside = true
                let report = try await session.desk.assign(
                    records, filing, actor: Workspace.deskActor, onDisposition: output.take)
                for (id, remembered) in report.rules {
                    try output.say(remembered.sentence)
                    if case .learnt(_, isNew: true) = remembered { taught.insert(id) }
                }
                try output.finish(report, session.workspace)
            }
            let causes = Set(records.filter { taught.contains($0.id) }.map(MisrouteCause.init))
            if !causes.isEmpty, !format.json { try await announce(causes, besides: output.filed, session) }
            if records.count != 1 { try output.sayCounts(of: records.count) }
            return output
        }
    }

    /// The funds into which they go, in the order of the messages.
    private func targets(
        of records: [MisrouteRecord], _ store: FundStore, _ output: ActOutput
    ) async throws -> [(fund: Fund.ID, messages: [MisrouteRecord.ID])] {
        var targets: [(fund: Fund.ID, messages: [MisrouteRecord.ID])] = []
        for record in records {
            do {
                let target = try await store.administration.onlyFund(named: fund, owner: user ?? record.userEmail)
                try selection.check(record, goesTo: target)
                if let index = targets.firstIndex(where: { $0.fund == target.fund.id }) {
                    targets[index].messages.append(record.id)
                } else {
                    targets.append((target.fund.id, [record.id]))
                }
            } catch {
                try output.refuse(record.id, error)
            }
        }
        return targets
    }

    /// More are not rehearsed one by one: `misrouted retry` tries them all.
    private static let maxRehearsed = 100

    /// Says what else would be filed now, and how: mail of the senders and with the tags that were learned.
    private func announce(
        _ causes: Set<MisrouteCause>, besides filed: Set<MisrouteRecord.ID>, _ session: DeskSession
    ) async throws {
        var filter = MisrouteFilter()
        filter.outcomes = [.misrouted]
        let senders = Set(causes.filter { $0.reason == .unknownSender }.map(\.sender))
        let tags = Set(causes.filter { $0.reason == .unknownFund }.map(\.tag))
        let others = try await session.store.administration.misroutes(filter).filter { record in
            !filed.contains(record.id)
                && (senders.contains(record.sender?.lowercased()) || tags.contains(record.tag.map(FundName.key)))
        }
        var found: [MisrouteRecord.ID] = []
        for record in others.prefix(Self.maxRehearsed) {
            let decision = try await session.desk.refiling.rehearse(record.id)
            guard decision.outcome == .filed else { continue }
            found.append(record.id)
            let place = "[\(decision.fund?.name ?? "")] of \(decision.user?.email ?? "")"
            try Console.line("  \(record.id) would now go into \(place): \(record.subject ?? "")")
        }
        guard !found.isEmpty else { return }
        let isCut = others.count > Self.maxRehearsed
        let retry = session.workspace.command(["misrouted", "retry"] + (isCut ? [] : found.map(\.description)))
        try Console.line("To file \(found.count == 1 ? "it" : "them"): \(retry)")
    }
}

extension DeskService.Remembered {
    /// A sentence for people about what was remembered, or why nothing was.
    var sentence: String {
        switch self {
        case .learnt(let learnt, let isNew):
            switch learnt.rule {
            case .address(let name, _): "\(name) \(isNew ? "is now" : "was already") an address of \(learnt.owner)."
            case .alias(let name, _):
                "[\(name)] \(isNew ? "now finds" : "already found") [\(learnt.fund ?? "")] of \(learnt.owner)."
            }
        case .refused(DeskError.unconfirmedAddress(let sender)):
            "\(sender) is not remembered: the mail server did not confirm that this came from there. "
                + "`fundmail user address add` does it when you are sure."
        case .refused(let error): "It is not remembered: \(error)."
        case .nothing(let reason):
            "There is nothing to remember: \(reason.rawValue) is not about an address or a tag."
        }
    }
}
