import ArgumentParser
import FundCore

/// Options of every command, before or after its name.
struct GlobalOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration (default: ./fundmail.yaml).", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("The store, instead of the one that the configuration names.", valueName: "dir"))
    var store: String?

    @Option(help: ArgumentHelp("The least level of log lines that are written.", valueName: "level"))
    var logLevel: LogLevel = .notice

    @Option(help: ArgumentHelp("The format of log lines, on standard error.", valueName: "format"))
    var logFormat: LogFormat = .text

    /// The words that a command needs to work on the same store, for the commands that reports suggest.
    var words: [String] {
        (config.map { ["--config", $0] } ?? []) + (store.map { ["--store", $0] } ?? [])
    }
}

enum LogLevel: String, ExpressibleByArgument, CaseIterable, Sendable {
    case trace, debug, info, notice, warning, error, critical
}

enum LogFormat: String, ExpressibleByArgument, CaseIterable, Sendable { case text, json }

/// Ids are numbers, as reports show them.
extension ID: ExpressibleByArgument {}
