import ArgumentParser
import FundCore
import FundStore
import NewsFetch
import Terminal

struct NewsFetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Fetch the feeds that are due, or some now.",
        discussion: """
            Without addresses it fetches what is due, if no `serve` does so already. Feeds of addresses are fetched in \
            any case; a list must have them.

            Exit status: 0 all were asked, whatever they answered; 65 no list has an address; 75 another process \
            fetches feeds.

            Examples:
              fundmail news fetch
              fundmail news fetch https://example.com/feed.xml
            """)

    @Argument(help: ArgumentHelp("Addresses of feeds.", valueName: "address")) var addresses: [String] = []
    @Flag(help: "Print one JSON object a feed.") var json = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let workspace = try Workspace(globals)
        try workspace.requireNews()
        let store = try workspace.openStoreForRun()
        let fetching = NewsFetching(workspace, store)
        let result: Result<[NewsReport], any Error>
        do { result = .success(try await reports(of: store, fetching.fetcher)) } catch { result = .failure(error) }
        await fetching.end()
        for report in try result.get() { try write(report) }
        try store.close()
    }

    private func reports(of store: FundStore, _ fetcher: NewsFetcher) async throws -> [NewsReport] {
        guard !addresses.isEmpty else {
            guard let lease = try await store.news.newsLease() else {
                throw CommandError(.temporary, "Another process fetches feeds; it fetches what is due.")
            }
            defer { lease.end() }
            return try await fetcher.fetchDue()
        }
        var reports: [NewsReport] = []
        for text in addresses {
            guard let address = NewsAddress(text), let feed = try await store.news.dueFeed(address) else {
                throw CommandError(.input, TerminalText.clean("No list has the feed \(text)."))
            }
            reports.append(try await fetcher.fetch(feed))
        }
        while try await store.news.indexNews() > 0 {}
        return reports
    }

    private func write(_ report: NewsReport) throws {
        guard json else { return try Console.line(NewsLog.words(report)) }
        try Console.write(
            JSONWriter.line { line in
                line.field("address", report.address)
                if case .failed(let problem, let detail) = report.result.outcome {
                    line.field("problem", problem.rawValue)
                    line.field("detail", detail)
                }
                line.field("new", report.counts.new)
                line.field("changed", report.counts.changed)
                line.field("next_at", report.result.nextAt.map(Clock.timestamp))
            })
    }
}
