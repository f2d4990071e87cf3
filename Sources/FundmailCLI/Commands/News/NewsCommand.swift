import ArgumentParser
import FundCore
import FundStore
import MailConnection
import MailParse
import NewsFetch
import Terminal

/// `news`: feeds of people and funds.
struct NewsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "news", abstract: "Feeds in people's lists: which there are, and fetching them.",
        discussion: """
            People add feeds on the page News. `serve` fetches each address once for all who have it. Here an \
            administrator sees which feeds fail, fetches them now, and looks after the lists of people.

            Examples:
              fundmail news list --failing
              fundmail news fetch
              fundmail news add ann@example.com example.com --folder Markets
            """,
        subcommands: [
            NewsListCommand.self, NewsFetchCommand.self, NewsAddCommand.self, NewsRemoveCommand.self,
        ])
}

extension Workspace {
    /// Throws where news is turned off.
    func requireNews() throws {
        guard !configuration.news else { return }
        throw CommandError(
            .configuration, "News is off: write `news: on` in \(configuration.file ?? "fundmail.yaml") first.")
    }
}

/// The fetching of feeds for one command, until `end`.
struct NewsFetching {
    let fetcher: NewsFetcher
    private let parser: ParserPool
    private let signal: StopSignal

    init(_ workspace: Workspace, _ store: FundStore) {
        let cancellation = Cancellation()
        let parser = workspace.parser(stagingDirectory: store.mail.spool.path, concurrency: 2)
        self.parser = parser
        fetcher = NewsFetcher(
            store.news, parser, reach: DebugSwitches.newsReach, cancellation: cancellation)
        signal = StopSignal(isQuiet: true) { cancellation.cancel() }
    }

    func end() async {
        await parser.shutdown()
        withExtendedLifetime(signal) {}
    }
}
