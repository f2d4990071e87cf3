internal import FundCore
internal import Synchronization

/// The streams of a notifier, and what it knows of the store under the same lock. While there are streams, one task
/// looks at the store for all of them.
final class StreamSubscriptions<Known: Sendable>: Sendable {
    struct State {
        var known: Known
        fileprivate(set) var ofUsers: [User.ID: [StreamSubscription]] = [:]
        /// Runs while there are subscriptions.
        fileprivate var watching: Task<Void, Never>?

        var all: [StreamSubscription] { ofUsers.values.flatMap { $0 } }
    }

    private let state: Mutex<State>
    /// Permits for streams, from before their first event.
    private let permits: UserPermits

    /// - Parameter most: streams of one user at a time.
    init(_ known: Known, atMost most: Int) {
        state = Mutex(State(known: known))
        permits = UserPermits(most: most)
    }

    func withLock<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

    var all: [StreamSubscription] { state.withLock { $0.all } }

    func tellAll() { for subscription in all { subscription.tell() } }

    /// Reserves room for one more stream of the user; nil when there is no room. Those that are there go on: a client
    /// that lost its permit to a new one would come again at once, and take another one.
    func permit(for user: User.ID) -> UserPermits.Permit? { permits.permit(for: user) }

    /// Runs `body` with a subscription.
    /// - Parameters:
    ///   - start: called before the task begins.
    ///   - watch: what the task does.
    ///   - end: called when the subscription is gone.
    func subscribing(
        with permit: UserPermits.Permit, start: (inout Known) -> Void, watch: @escaping @Sendable () async -> Void,
        end: (inout State) -> Void = { _ in }, _ body: (StreamSubscription) async throws -> Void
    ) async throws {
        let subscription = StreamSubscription(permit.user)
        state.withLock { state in
            state.ofUsers[permit.user, default: []].append(subscription)
            guard state.watching == nil else { return }
            start(&state.known)
            state.watching = Task { await watch() }
        }
        defer {
            state.withLock { state in
                state.ofUsers[permit.user]?.removeAll { $0 === subscription }
                if state.ofUsers[permit.user]?.isEmpty == true { state.ofUsers[permit.user] = nil }
                end(&state)
                guard state.ofUsers.isEmpty else { return }
                state.watching?.cancel()
                state.watching = nil
            }
        }
        try await body(subscription)
    }

    /// Looks at the store now and after each commit, and lets the streams send heartbeats, until the task is cancelled.
    /// - Parameter commits: raised after what may have changed the store.
    func watch(_ commits: Signal, beat interval: Duration, look: @escaping @Sendable () async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    // Read before the store: what is committed meanwhile ends the next wait at once.
                    let known = commits.count
                    await look()
                    _ = try? await commits.count(after: known)
                }
            }
            group.addTask {
                while (try? await Task.sleep(for: interval)) != nil {
                    // For what was committed by a process that tells of nothing: an earlier version.
                    commits.raise()
                    for subscription in self.all { subscription.beat() }
                }
            }
        }
    }
}
