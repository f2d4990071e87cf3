internal import FundCore
internal import Synchronization

/// Wakes the streams of the users whose libraries changed. A commit costs two short reads and wakes the streams of
/// those whom it concerns. While nothing is committed there is one heartbeat for all streams, and nothing else.
final class ChangeNotifier: Sendable {
    /// A stream sends something at least this often, so that a broken connection is noticed.
    static let heartbeat = Duration.seconds(15)
    /// Streams of one user at a time: all tabs of a browser share one.
    static let maxStreams = 20

    private struct State {
        var subscriptions: [User.ID: [StreamSubscription]] = [:]
        /// Runs while there are subscriptions.
        var watching: Task<Void, Never>?
        /// Number of the latest change that was seen.
        var number: Int64?
        var accountVersion: Int64?

        var all: [StreamSubscription] { subscriptions.values.flatMap { $0 } }
    }

    private let library: any MailLibrary
    private let accounts: any AccountStore
    /// Nil where there are no previews.
    private let previews: PreviewNews?
    private let state = Mutex(State())
    private let interval: Duration
    /// Permits for streams, from before their first event.
    private let permits: UserPermits
    /// How often the store was looked at, and all told that had to be.
    let looks = Atomic<Int>(0)

    init(
        library: any MailLibrary, accounts: any AccountStore, previews: PreviewNews? = nil,
        heartbeat: Duration = ChangeNotifier.heartbeat, maxStreams: Int = ChangeNotifier.maxStreams
    ) {
        self.previews = previews
        self.library = library
        self.accounts = accounts
        interval = heartbeat
        permits = UserPermits(most: maxStreams)
    }

    /// Reserves room for one more stream of the user; nil when there is no room. Those that are there go on: a client
    /// that lost its permit to a new one would come again at once, and take another one.
    func permit(for user: User.ID) -> UserPermits.Permit? { permits.permit(for: user) }

    /// Runs `body` with what wakes it.
    func subscribing(with permit: UserPermits.Permit, _ body: (StreamSubscription) async throws -> Void) async throws {
        let commits = library.commits
        let subscription = StreamSubscription(permit.user)
        state.withLock { state in
            state.subscriptions[permit.user, default: []].append(subscription)
            guard state.watching == nil else { return }
            (state.number, state.accountVersion) = (nil, nil)
            state.watching = Task {
                async let previewed: Void = watchPreviews()
                await commits.watch(beat: interval, look: look) {
                    for subscription in self.state.withLock({ $0.all }) { subscription.beat() }
                }
                await previewed
            }
        }
        defer { remove(subscription) }
        try await body(subscription)
    }

    private func remove(_ subscription: StreamSubscription) {
        state.withLock { state in
            let user = subscription.user
            state.subscriptions[user]?.removeAll { $0 === subscription }
            if state.subscriptions[user]?.isEmpty == true { state.subscriptions[user] = nil }
            guard state.subscriptions.isEmpty else { return }
            state.watching?.cancel()
            state.watching = nil
        }
    }

    // MARK: Watching

    /// Each stream looks by itself whether they concern its user; those of a second together.
    private func watchPreviews() async {
        guard let previews else { return }
        while !Task.isCancelled {
            let known = previews.signal.count
            for subscription in state.withLock({ $0.all }) { subscription.wake() }
            try? await Task.sleep(for: Self.previewPause)
            _ = try? await previews.signal.count(after: known)
        }
    }

    private static let previewPause = Duration.seconds(1)

    private func look() async {
        defer { looks.add(1, ordering: .releasing) }
        let number = state.withLock { $0.number }
        do {
            let version = try await accounts.accountVersion()
            let changed = try await library.changedLibraries(after: number)
            let (all, told) = state.withLock { state in
                let all = state.accountVersion == version ? [] : state.all
                // Before the first look there is no number: any library may have changed since it was subscribed to.
                let told = number == nil ? state.all : changed.owners.flatMap { state.subscriptions[$0] ?? [] }
                (state.number, state.accountVersion) = (changed.number, version)
                return (all, told)
            }
            for subscription in told { subscription.tell() }
            for subscription in all { subscription.wake() }
        } catch {
            // The next commit or heartbeat looks again. Until then each stream asks for itself.
            for subscription in state.withLock({ $0.all }) { subscription.tell() }
        }
    }
}
