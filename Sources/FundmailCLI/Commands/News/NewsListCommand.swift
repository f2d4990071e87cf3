import ArgumentParser
import FundCore
import FundStore
import Terminal

struct NewsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List feeds, those that fail first.",
        discussion: """
            With --user the feeds of one person's own list, with their numbers for `remove`.

            Examples:
              fundmail news list --failing
              fundmail news list --user ann@example.com --json
            """)

    @Option(help: ArgumentHelp("Only the list of this person.", valueName: "email")) var user: String?
    @Flag(help: "Only feeds that cannot be read.") var failing = false
    @Flag(help: "Print one JSON object a line.") var json = false
    @OptionGroup var globals: GlobalOptions

    private struct Entry {
        var subscription: NewsSubscription?
        var feed: NewsFeed
    }

    func run() async throws {
        let workspace = try Workspace(globals)
        if !workspace.configuration.news { Console.error("News is off: none of these feeds is fetched.\n") }
        let store = try workspace.openStore(.readOnly)
        let isOfUser = user != nil
        let entries = try await entries(in: store).filter { !failing || $0.feed.health.problem != nil }
        try Listing(
            items: entries, ifEmpty: failing ? "No feed fails." : "There is no feed.",
            columns: (isOfUser ? [.number("ID"), .shrinking("FOLDER")] : []) + [
                .shrinking("TITLE"), .shrinking("ADDRESS"), "READ", "NEXT", .shrinking("PROBLEM"),
            ],
            row: { entry in
                let (feed, health) = (entry.feed, entry.feed.health)
                let own = entry.subscription.map { ["\($0.id)", $0.folder] } ?? []
                return own + [
                    entry.subscription?.title ?? feed.title, feed.address, health.succeededAt.map(Clock.local) ?? "",
                    health.nextAt.map(Clock.local) ?? "never",
                    health.problem.map { "\(NewsError($0, health.detail))" } ?? "",
                ]
            },
            fields: { json, entry in
                let (feed, health) = (entry.feed, entry.feed.health)
                if let subscription = entry.subscription {
                    json.field("id", subscription.id.rawValue)
                    json.field("folder", subscription.folder)
                    json.field("unread", subscription.unreadCount)
                }
                json.field("title", entry.subscription?.title ?? feed.title)
                json.field("address", feed.address)
                json.field("read_at", health.succeededAt.map(Clock.timestamp))
                json.field("next_at", health.nextAt.map(Clock.timestamp))
                json.field("failures", health.failureCount)
                json.field("problem", health.problem?.rawValue)
                json.field("detail", health.detail)
            }
        ).write(json: json)
    }

    private func entries(in store: FundStore) async throws -> [Entry] {
        guard let user else {
            return try await ListPage.all { try await store.news.allFeeds($0) }.map { Entry(feed: $0) }
        }
        let owner = try await store.administration.user(user).user
        return try await store.news.feeds(in: .own, of: owner.id).map { Entry(subscription: $0, feed: $0.feed) }
    }
}
