internal import FundCore
internal import Synchronization

/// Wakes the streams of the users whose libraries changed. A commit costs four short reads and wakes the streams of
/// those whom it concerns. While nothing is committed there is one heartbeat for all streams, and nothing else.
final class ChangeNotifier: Sendable {
    /// A stream sends something at least this often, so that a broken connection is noticed.
    static let heartbeat = Duration.seconds(15)
    /// Streams of one user at a time: all tabs of a browser share one.
    static let maxStreams = 20

    private struct Seen {
        var changes: LatestChanges?
        var accountVersion: Int64?
        /// Number of the latest change of anybody's news.
        var newsNumber: Int64?
        /// Number of the latest change of anybody's drives.
        var driveNumber: Int64?
    }

    private let library: any MailLibrary
    private let accounts: any AccountStore
    private let news: any NewsLibrary
    private let drives: (any DriveStore)?
    /// Nil where there are no previews.
    private let previews: PreviewNews?
    private let subscriptions: StreamSubscriptions<Seen>
    private let interval: Duration
    /// How often the store was looked at, and all told that had to be.
    let looks = Atomic<Int>(0)

    init(
        library: any MailLibrary, accounts: any AccountStore, news: any NewsLibrary,
        drives: (any DriveStore)? = nil, previews: PreviewNews? = nil,
        heartbeat: Duration = ChangeNotifier.heartbeat, maxStreams: Int = ChangeNotifier.maxStreams
    ) {
        self.previews = previews
        self.library = library
        self.accounts = accounts
        self.news = news
        self.drives = drives
        interval = heartbeat
        subscriptions = StreamSubscriptions(Seen(), atMost: maxStreams)
    }

    /// See `StreamSubscriptions.permit`.
    func permit(for user: User.ID) -> UserPermits.Permit? { subscriptions.permit(for: user) }

    /// Runs `body` with what wakes it.
    func subscribing(with permit: UserPermits.Permit, _ body: (StreamSubscription) async throws -> Void) async throws {
        try await subscriptions.subscribing(with: permit, start: { $0 = Seen() }, watch: watch, body)
    }

    // MARK: Watching

    private func watch() async {
        async let previewed: Void = watchPreviews()
        await subscriptions.watch(library.commits, beat: interval, look: look)
        await previewed
    }

    /// Each stream looks by itself whether they concern its user; those of a second together.
    private func watchPreviews() async {
        guard let previews else { return }
        while !Task.isCancelled {
            let known = previews.signal.count
            for subscription in subscriptions.all { subscription.wake() }
            try? await Task.sleep(for: Self.previewPause)
            _ = try? await previews.signal.count(after: known)
        }
    }

    private static let previewPause = Duration.seconds(1)

    private func look() async {
        defer { looks.add(1, ordering: .releasing) }
        let known = subscriptions.withLock { $0.known }
        do {
            let version = try await accounts.accountVersion()
            let changes = try await library.latestChanges()
            let read = try await news.changedNews(after: known.newsNumber)
            let moved = try await drives?.changedDrives(after: known.driveNumber)
            let (all, told, woken) = subscriptions.withLock { state in
                let all = state.known.accountVersion == version ? [] : state.all
                // Before the first look any library may have changed since it was subscribed to.
                let told =
                    known.changes.map { changes.people(since: $0).flatMap { state.ofUsers[$0] ?? [] } } ?? state.all
                var woken = known.newsNumber == nil ? state.all : read.owners.flatMap { state.ofUsers[$0] ?? [] }
                if let moved {
                    woken += known.driveNumber == nil ? state.all : moved.owners.flatMap { state.ofUsers[$0] ?? [] }
                }
                state.known = Seen(
                    changes: changes, accountVersion: version, newsNumber: read.number,
                    driveNumber: moved?.number)
                return (all, told, woken)
            }
            for subscription in told { subscription.tell() }
            for subscription in all + woken { subscription.wake() }
        } catch {
            // The next commit or heartbeat looks again. Until then each stream asks for itself.
            subscriptions.tellAll()
        }
    }
}
