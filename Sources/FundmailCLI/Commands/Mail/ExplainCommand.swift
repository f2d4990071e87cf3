import ArgumentParser
import FundStore
import FundCore
import Ingest
import MailFetch
import MailParse
import Terminal

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Show where a message would go, and why; nothing is stored.",
        discussion: """
            Shows what routing looked at: the From fields, the trust decision, each tag and what it was compared with, \
            and what would be stored. You vouch for the sender, unless --as applies the trust of a configured mailbox.

            Example:
              fundmail explain letter.eml --as funds
            """)

    @Argument(help: ArgumentHelp("A message; - is standard input.", valueName: "file"))
    var file: String
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("Believe senders only as this configured mailbox does.", valueName: "mailbox"))
    var mailbox: String?
    @Flag(help: "Print one JSON object a message.") var json = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let workspace = try Workspace(globals)
        let policy = try workspace.policy(asMailbox: mailbox)
        let store = try workspace.openStore(.readOnly)
        let directory = try store.mail.directory()
        let scratch = try ScratchFolder()
        let parser = workspace.parser(stagingDirectory: scratch.path, concurrency: 1)
        let limits = workspace.configuration.limits
        let spool = store.mail.spool.elsewhere(scratch.path)
        let source = FileSource(paths: [file])
        var count = 0
        while let pending = await source.next(atMost: 1).first {
            count += 1
            var explained = try await parser.withWorker { worker in
                let spooled = try pending.spool(spool)
                var parsed = try worker.parse(spooled, limits: limits)
                if let defect = pending.defect { parsed = parsed.adding(defect) }
                let decision = Router(directory: directory, policy: policy, explains: true).route(parsed)
                return Explanation(source: pending.reference, spooled: spooled, parsed: parsed, decision: decision)
            }
            let message = RoutedMessage(
                reference: explained.source, spooled: explained.spooled, parsed: explained.parsed,
                decision: explained.decision, policy: policy)
            let isKnown = try await store.mail.holds(message)
            if !isKnown, try await !store.mail.hasRoom(for: message) { explained.decision.keep(for: .overQuota) }
            if json {
                try Console.write(explained.json(isKnown: isKnown))
            } else {
                try Console.write((count > 1 ? "\n" : "") + explained.text(isKnown: isKnown))
            }
        }
        await parser.shutdown()
        guard count > 0 else { throw CommandError(.input, "There is no message in \(file).") }
    }
}
