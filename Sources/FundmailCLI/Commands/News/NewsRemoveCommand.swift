import ArgumentParser
import FundCore
import FundStore
import Terminal

struct NewsRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove feeds from a person's list.",
        discussion: """
            Starred items stay among the starred ones.

            Example:
              fundmail news remove ann@example.com 12 13
            """)

    @OptionGroup var choice: UserChoice
    @Argument(help: "The numbers of the feeds, as `list --user` shows them.") var ids: [NewsSubscription.ID]
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let store = try Workspace(globals).openStore()
        let user = try await choice.user(in: store)
        for id in ids {
            let feed = try await store.news.feed(id, of: user.id)
            try await store.news.removeFeed(id, of: user.id)
            try Console.line(TerminalText.clean("Removed \(feed.title) from the feeds of \(user.email)."))
        }
        try store.close()
    }
}
