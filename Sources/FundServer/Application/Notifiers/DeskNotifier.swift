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

    private struct Known {
        /// Each reads one message: the one that was opened last.
        var opened: [User.ID: Opened] = [:]
        /// Nil before the first look.
        var version: DeskVersion?
    }

    private let desk: any Desk
    private let commits: Signal
    private let subscriptions = StreamSubscriptions(Known(), atMost: maxStreams)

    /// - Parameter commits: raised after what may have changed the store.
    init(desk: any Desk, commits: Signal) {
        (self.desk, self.commits) = (desk, commits)
    }

    // MARK: Who reads

    func noteOpened(_ message: MisrouteRecord.ID, by user: User, at now: ContinuousClock.Instant = .now) {
        let reader = Reader(user: user.id, name: user.name ?? user.email, message: message)
        let isNews = subscriptions.withLock { state in
            defer { state.known.opened[user.id] = Opened(reader: reader, at: now) }
            return state.known.opened[user.id]?.reader != reader
        }
        if isNews { subscriptions.tellAll() }
    }

    /// By name, without those who have gone.
    func readers(at now: ContinuousClock.Instant = .now) -> [Reader] {
        subscriptions.withLock { state in
            state.known.opened = state.known.opened.filter { [listening = state.ofUsers] user, opened in
                now - opened.at < (listening[user] == nil ? Self.readingTime : Self.longestReading)
            }
            return state.known.opened.values.map(\.reader).sorted { ($0.name, $0.user) < ($1.name, $1.user) }
        }
    }

    /// Whether it is the message that the user opened last.
    func isReading(_ message: MisrouteRecord.ID, _ user: User.ID) -> Bool {
        readers().contains { $0.message == message && $0.user == user }
    }

    // MARK: Streams

    /// See `StreamSubscriptions.permit`.
    func permit(for user: User.ID) -> UserPermits.Permit? { subscriptions.permit(for: user) }

    /// Runs `body` with what wakes it.
    func subscribing(with permit: UserPermits.Permit, _ body: (StreamSubscription) async throws -> Void) async throws {
        // The others see that one reads nothing any more.
        defer { subscriptions.tellAll() }
        try await subscriptions.subscribing(
            with: permit, start: { $0.version = nil },
            watch: { await self.subscriptions.watch(self.commits, beat: ChangeNotifier.heartbeat, look: self.look) },
            end: { state in
                // One who closes the last page of the desk reads nothing.
                if state.ofUsers[permit.user] == nil { state.known.opened[permit.user] = nil }
            }, body)
    }

    private func look() async {
        let version = try? await desk.deskVersion()
        let isNews = subscriptions.withLock { state in
            // A look that failed tells nothing: each stream asks for itself.
            defer { state.known.version = version }
            return version == nil || state.known.version != version
        }
        if isNews { subscriptions.tellAll() }
    }
}
