import ArgumentParser
import Glibc
import FundCore
import MailParse

@main
enum Main {
    static func main() async {
        // First of all: a parser child needs no other set-up.
        if CommandLine.arguments.dropFirst().first == ParseWorkerMain.command { exit(ParseWorkerMain.run()) }
        let arguments = Array(CommandLine.arguments.dropFirst())
        // A full disk must come as an error of write(2), not as a signal.
        signal(SIGXFSZ, SIG_IGN)
        // Until their own handlers stand: what the signal does otherwise would end them.
        if arguments.contains(where: ["poll", "watch", "serve"].contains) { signal(SIGHUP, SIG_IGN) }
        if arguments == ["-v"] || arguments == ["--version"] {
            print("fundmail \(Program.version)")
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
            // What mail or a file name brings into a message must not command the terminal.
            Console.error("fundmail: \(TerminalText.clean(failure.message))\n")
            exit(failure.status.rawValue)
        }
    }
}
