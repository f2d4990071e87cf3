import ArgumentParser
import DriveBridge
import FundPreview
import Glibc
import MailParse
import Terminal

@main
enum Main {
    static func main() async {
        // First of all: a parser child needs no other set-up.
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case ParseWorkerMain.command: exit(ParseWorkerMain.run())
        case ConvertWorkerMain.command: exit(ConvertWorkerMain.run(Array(arguments.dropFirst())))
        case LandlockLauncher.command: exit(LandlockLauncher.run(Array(arguments.dropFirst())))
        case DriveLauncher.command: exit(DriveLauncher.run(Array(arguments.dropFirst())))
        default: break
        }
        // A full disk must come as an error of write(2), not as a signal.
        signal(SIGXFSZ, SIG_IGN)
        // Until their own handlers stand: what the signal does otherwise would end them.
        if arguments.contains(where: ["poll", "watch", "serve"].contains) { signal(SIGHUP, SIG_IGN) }
        if arguments == ["-v"] || arguments == ["--version"] {
            print("fundmail \(Release.version)")
            return
        }
        var command: any ParsableCommand
        do {
            command = try Fundmail.parseAsRoot(ArgumentOrder.globalsLast(arguments))
        } catch {
            Fundmail.exit(withError: error)
        }
        do {
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as ExitCode {
            exit(error.rawValue)
        } catch let error where Fundmail.exitCode(for: error) != .failure {
            // Help that was asked for, or a usage that a command refused.
            Fundmail.exit(withError: error)
        } catch {
            let failure = CommandError(error)
            // Text from mail or a file name in a message must not command the terminal.
            Console.warn(failure.message)
            exit(failure.status.rawValue)
        }
    }
}

/// Lets the options that every command knows stand before the command, too.
enum ArgumentOrder {
    private static let globals = ["--config", "--store", "--log-level", "--log-format"]

    /// `--config F user add A` → `user add --config F A`. All else stays, and so do they without a command.
    static func globalsLast(_ arguments: [String]) -> [String] {
        var held: [String] = []
        var path: [String] = []
        var command: any ParsableCommand.Type = Fundmail.self
        var rest = arguments[...]
        while let word = rest.first {
            if globals.contains(word), rest.count >= 2 {
                held += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else if globals.contains(where: { word.hasPrefix($0 + "=") }) {
                held.append(word)
                rest = rest.dropFirst()
            } else if let next = command.configuration.subcommands.first(where: { names(of: $0).contains(word) }) {
                path.append(word)
                command = next
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        // A group of commands shows its help; it has no use for them.
        return path + (command.configuration.subcommands.isEmpty ? held : []) + rest
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        (command.configuration.commandName.map { [$0] } ?? []) + command.configuration.aliases
    }
}

/// The root of all commands.
struct Fundmail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fundmail", abstract: "Files mail into funds.",
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
            written; 75 try again later: another run has the mailbox, or a server asks for patience; 78 \
            configuration.
            """,
        version: Release.version,
        subcommands: [
            InitCommand.self, UserCommand.self, FundCommand.self, ProfileCommand.self, ContactCommand.self,
            PollCommand.self,
            WatchCommand.self,
            ServeCommand.self, MailboxCommand.self, ReplayCommand.self, ImportCommand.self, ExplainCommand.self,
            ReportCommand.self,
            MisroutedCommand.self, OutboxCommand.self, LinksCommand.self, NewsCommand.self, DriveCommand.self,
            WebhookCommand.self,
            AuditCommand.self,
            TrashCommand.self,
            VerifyCommand.self,
            UpdateCommand.self, MigrateCommand.self,
            BucketCommand.self,
            ExportCommand.self, PreviewCommand.self, QuarantineCommand.self, BackupCommand.self, RestoreCommand.self,
            RebuildCommand.self, SalvageCommand.self, DoctorCommand.self,
        ])
}
