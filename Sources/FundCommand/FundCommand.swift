internal import ArgumentParser

/// The client for people.
@main
struct FundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fund", abstract: "Your funds from the command line: files, notes and mail.",
        subcommands: [QueueCommand.self, SyncCommand.self])
}
