import NewsFetch
import ServiceLifecycle

/// The fetching of feeds beside what else runs.
struct NewsService: Service {
    let fetcher: NewsFetcher

    /// Runs until graceful shutdown. What ends the waits for servers ends the fetches under way; their feeds stay due.
    func run() async throws {
        await cancelWhenGracefulShutdown { await fetcher.run() }
        // A service that ends by itself would count as broken down.
        try? await gracefulShutdown()
    }
}
