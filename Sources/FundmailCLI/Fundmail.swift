import ArgumentParser

/// The root of all commands.
struct Fundmail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fundmail",
        abstract: "Files mail into funds.",
        discussion: """
            Mail with the subject "[Fund1] Q3 report" is filed, with its attachments, into the fund of the person who \
            sent it. What cannot be filed is kept and reported.

            First steps:
              fundmail init company && cd company
              fundmail user add ann@example.com --name "Ann Archer"
              fundmail fund add Fund1 --owner ann@example.com
              fundmail replay ~/Maildir letter.eml    # or fundmail poll, once mailboxes are configured
              fundmail report misrouted

            Options for every command, before or after it:
              --config FILE   the configuration (default: ./fundmail.yaml)
              --store DIR     the store, instead of the one that the configuration names
              --log-level L   trace, debug, info, notice, warning, error or critical (default: notice)
              --log-format F  text or json, on standard error

            Exit status: 0 the run was completed, whatever the outcomes; 64 usage; 65 input cannot be read; 69 a \
            mailbox cannot be reached or refuses the login, or the parser does not start; 73 the store cannot be \
            written; 75 try again later: the store is held by another run, or a server asks for patience; 78 \
            configuration.
            """,
        version: Program.version,
        subcommands: [
            InitCommand.self, UserCommand.self, FundCommand.self, PollCommand.self, WatchCommand.self,
            ServeCommand.self, MailboxCommand.self, ReplayCommand.self, ExplainCommand.self, ReportCommand.self,
            MisroutedCommand.self, TrashCommand.self,
            VerifyCommand.self, ExportCommand.self, DoctorCommand.self,
        ])
}
