import ArgumentParser
import FundCore
import FundStore
import NewsFetch
import Terminal

struct NewsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a feed to a person's list.",
        discussion: """
            The address is that of a feed, or of a page that names one; of several that it names the first is taken, \
            and the others are shown. --as-is asks no server.

            Examples:
              fundmail news add ann@example.com example.com
              fundmail news add ann@example.com https://example.com/feed.xml --folder Markets --as-is
            """)

    @OptionGroup var choice: UserChoice
    @Argument(help: "Address of a feed, or of a page.") var address: String
    @Option(help: ArgumentHelp("The folder of the list.", valueName: "name")) var folder = ""
    @Option(help: ArgumentHelp("A name for the feed instead of its own.", valueName: "name")) var title: String?
    @Flag(help: "Take the address as it is, without asking the server.") var asIs = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let workspace = try Workspace(globals)
        try workspace.requireNews()
        let store = try workspace.openStore()
        let user = try await choice.user(in: store)
        guard let address = NewsAddress(address) else {
            // The text is not repeated: it may hold a password.
            throw CommandError(
                .input, "The address is none of a web server at the ports 80, 443, 8080 or 8443, without a user name.")
        }
        let found = asIs ? [FoundFeed(address: address, title: "")] : try await find(address, workspace, store)
        guard let feed = found.first else { throw CommandError(.input, "There is no feed at this address.") }
        let new = NewNewsFeed(address: feed.address, ownTitle: title, folder: folder)
        guard let added = try await store.news.addFeeds([new], to: .own, of: user.id).first else {
            throw CommandError(.software, "The feed is missing.")
        }
        try Console.line(TerminalText.clean("Added \(added.title) to the feeds of \(user.email) (\(added.id))."))
        for other in found.dropFirst() {
            try Console.line(TerminalText.clean("The page also names \(other.address) \(other.title)"))
        }
        try store.close()
    }

    private func find(
        _ address: NewsAddress, _ workspace: Workspace, _ store: FundStore
    ) async throws -> [FoundFeed] {
        let fetching = NewsFetching(workspace, store)
        let result: Result<[FoundFeed], any Error>
        do { result = .success(try await fetching.fetcher.findFeeds(at: address)) } catch { result = .failure(error) }
        await fetching.end()
        do { return try result.get() } catch let error as NewsError {
            throw CommandError(ExitStatus(error.condition), TerminalText.clean("\(address): \(error)."))
        }
    }
}
