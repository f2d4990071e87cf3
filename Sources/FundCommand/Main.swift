internal import ArgumentParser
internal import Glibc

@main
enum Main {
    static func main() async {
        // A full disk must come as an error of write(2), not as a signal.
        signal(SIGXFSZ, SIG_IGN)
        do {
            var command = try FundCommand.parseAsRoot(Array(CommandLine.arguments.dropFirst()))
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as ExitCode {
            exit(error.rawValue)
        } catch let error as CommandError {
            end(error)
        } catch let error where FundCommand.exitCode(for: error) != .failure {
            // Help that was asked for, or a usage that a command refused.
            FundCommand.exit(withError: error)
        } catch {
            end(CommandError(error))
        }
    }

    private static func end(_ error: CommandError) -> Never {
        Console.report(error)
        exit(error.status.rawValue)
    }
}
