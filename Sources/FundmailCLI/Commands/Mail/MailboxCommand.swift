import ArgumentParser
import FundStore
import FundCore
import Terminal

/// `mailbox`: how the polled mailboxes are doing.
struct MailboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mailbox", abstract: "The state of the mailboxes.", subcommands: [Status.self])

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Show the last success and failure of each mailbox, what waits there, and totals.",
            discussion: """
                Reads what the runs noted and asks no server: `fundmail doctor` does. Works beside a run. A mailbox \
                that is no longer in the configuration is shown as such.

                Examples:
                  fundmail mailbox status
                  fundmail mailbox status --json
                """,
            aliases: ["list"])

        @Flag(help: "Print one JSON object a mailbox.")
        var json = false
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let workspace = try Workspace(globals)
            let states = try await workspace.openStore(.readOnly).mail.mailboxStates()
            let overview = MailboxOverview(configuration: workspace.configuration, states: states)
            if json { return try Console.write(overview.json) }
            try Console.write(overview.text(width: Console.outputWidth))
        }
    }
}
