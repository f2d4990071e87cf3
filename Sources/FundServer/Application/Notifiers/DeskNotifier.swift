internal import FundCore
internal import Synchronization

/// Wakes the streams of the misrouted desk when something on it changed, and knows who reads which message. A commit
/// costs one short read for all streams.
final class DeskNotifier: Sendable {
    /// For how long one reads a message that one opened, without a stream that says so: a page without scripts.
    static let readingTime = Duration.seconds(60)
    /// With a stream: a tab that was left open reads nothing.
    static let longestReading = Duration.seconds(600)
    /// Streams of one administrator at a time.
    static let maxStreams = 20

    /// An administrator who looks at a message.
    struct Reader: Sendable, Hashable {
        var user: User.ID
        /// The name, or else the address.
        var name: String
        var message: MisrouteRecord.ID
    }

    private struct Opened {
        var reader: Reader
        var at: ContinuousClock.Instant
    }

    private struct State {
        var subscriptions: [StreamSubscription] = []
        /// Each reads one message: the one that was opened last.
        var opened: [User.ID: Opened] = [:]
        /// Runs while there are subscriptions.
        var watching: Task<Void, Never>?
        /// Nil before the first look.
        var version: DeskVersion?
    }

    private let desk: any Desk
    private let commits: Signal
    private let state = Mutex(State())
    private let permits = UserPermits(most: maxStreams)

    /// - Parameter commits: raised after what may have changed the store.
    init(desk: any Desk, commits: Signal) {
        (self.desk, self.commits) = (desk, commits)
    }

    // MARK: Who reads

    func noteOpened(_ message: MisrouteRecord.ID, by user: User, at now: ContinuousClock.Instant = .now) {
        let reader = Reader(user: user.id, name: user.name ?? user.email, message: message)
        let isNews = state.withLock { state in
            defer { state.opened[user.id] = Opened(reader: reader, at: now) }
            return state.opened[user.id]?.reader != reader
        }
        if isNews { wakeAll() }
    }

    /// By name, without those who have gone.
    func readers(at now: ContinuousClock.Instant = .now) -> [Reader] {
        state.withLock { state in
            let listening = Set(state.subscriptions.map(\.user))
            state.opened = state.opened.filter { user, opened in
                now - opened.at < (listening.contains(user) ? Self.longestReading : Self.readingTime)
            }
            return state.opened.values.map(\.reader).sorted { ($0.name, $0.user) < ($1.name, $1.user) }
        }
    }

    /// Whether it is the message that the user opened last.
    func isReading(_ message: MisrouteRecord.ID, _ user: User.ID) -> Bool {
        readers().contains { $0.message == message && $0.user == user }
    }

    // MARK: Streams

    /// Room for one more stream of the user; nil when there is none.
    func permit(for user: User.ID) -> UserPermits.Permit? { permits.permit(for: user) }

    /// Runs `body` with what wakes it.
    func subscribing(with permit: UserPermits.Permit, _ body: (StreamSubscription) async throws -> Void) async throws {
        let subscription = StreamSubscription(permit.user)
        state.withLock { state in
            state.subscriptions.append(subscription)
            guard state.watching == nil else { return }
            state.version = nil
            state.watching = Task {
                await commits.watch(beat: ChangeNotifier.heartbeat, look: look) {
                    for subscription in self.state.withLock({ $0.subscriptions }) { subscription.beat() }
                }
            }
        }
        defer {
            let isLast = state.withLock { state in
                state.subscriptions.removeAll { $0 === subscription }
                // One who closes the last page of the desk reads nothing.
                if !state.subscriptions.contains(where: { $0.user == permit.user }) {
                    state.opened[permit.user] = nil
                }
                guard state.subscriptions.isEmpty else { return false }
                state.watching?.cancel()
                state.watching = nil
                return true
            }
            if !isLast { wakeAll() }
        }
        try await body(subscription)
    }

    private func wakeAll() { for subscription in state.withLock({ $0.subscriptions }) { subscription.tell() } }

    private func look() async {
        let version = try? await desk.deskVersion()
        let isNews = state.withLock { state in
            // A look that failed tells nothing: each stream asks for itself.
            defer { state.version = version }
            return version == nil || state.version != version
        }
        if isNews { wakeAll() }
    }
}
