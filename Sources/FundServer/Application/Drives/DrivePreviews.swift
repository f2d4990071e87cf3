internal import FundHTTP
internal import FundCore
internal import Synchronization

/// The files of drives that people look at. Each is copied when its page is opened. The copy goes when no part of it
/// was asked for in a while, when its person opens others, and with its drive. It has no name on the disk, so that it
/// goes with this process, too.
final class DrivePreviews: Sendable {
    /// Bytes of the largest file that is copied to be shown.
    static let maxBytes: Int64 = 64 << 20
    /// Copies of one user, and of all: another one takes the place of the one that was asked for longest ago.
    static let (maxOfUser, maxOfAll) = (2, 6)
    /// Time after which a copy goes that is not asked for.
    static let lifetime = Duration.seconds(120)
    /// Conversions at a time, those that wait, and the longest wait.
    private static let (makers, maxWaiting, longestWait) = (2, 32, Duration.seconds(20))

    /// A file as one user reaches it.
    struct Place: Hashable, Sendable {
        var user: User.ID
        var drive: Drive.ID
        var path: DrivePath
    }

    private struct Copy {
        /// The state of the content of which it is made (`DriveEntry.contentMark`).
        let mark: String
        let number: Int
        let task: Task<Void, Never>
        /// Nil while it is on its way.
        var outcome: Result<any TransientFile, any Error>?
        var usedAt: ContinuousClock.Instant
    }

    private struct State {
        var copies: [Place: Copy] = [:]
        var lastNumber = 0
        var isSwept = false

        mutating func remove(_ place: Place) { copies.removeValue(forKey: place)?.task.cancel() }

        /// The copy of those of a user, or of all, that was asked for longest ago.
        func oldest(of user: User.ID?) -> Place? {
            copies.filter { user == nil || $0.key.user == user }.min { $0.value.usedAt < $1.value.usedAt }?.key
        }
    }

    private let state = Mutex(State())
    /// Raised when a copy has come, or failed.
    private let ended = Signal()
    private let slots = ResourcePool(
        Array(0..<makers), maxWaiting: maxWaiting, shares: PoolShares(origins: 1, most: makers))
    private let lifetime: Duration

    /// - Parameter lifetime: another only in tests.
    init(lifetime: Duration = DrivePreviews.lifetime) { self.lifetime = lifetime }

    /// The number of copies, of those on their way, too.
    var count: Int { state.withLock { $0.copies.count } }

    /// The copy that is there of a file; nil for none.
    func known(_ place: Place) -> (any TransientFile)? {
        state.withLock { state in
            state.copies[place]?.usedAt = .now
            return try? state.copies[place]?.outcome?.get()
        }
    }

    /// The copy of a file; nil while it is on its way, and when it was given up for another one. Throws what kept it
    /// from being made, once.
    /// - Parameters:
    ///   - mark: the state of the content: a copy of another one is made anew.
    ///   - wait: how long this call waits for it.
    ///   - make: cancelled when the copy is given up.
    func file(
        _ place: Place, _ mark: String, waitingAtMost wait: Duration,
        by make: @escaping @Sendable () async throws -> any TransientFile
    ) async throws -> (any TransientFile)? {
        let deadline = ContinuousClock.now + wait
        begin(place, mark, make)
        while true {
            let known = ended.count
            let (outcome, isThere) = state.withLock { state in
                state.copies[place]?.usedAt = .now
                let (outcome, isThere) = (state.copies[place]?.outcome, state.copies[place] != nil)
                // The next request after a failure has it tried again.
                if case .failure? = outcome { state.remove(place) }
                return (outcome, isThere)
            }
            if let outcome { return try outcome.get() }
            let left = deadline - ContinuousClock.now
            guard isThere, left > .zero else { return nil }
            await ended.wait(after: known, atMost: left)
            try Task.checkCancellation()
        }
    }

    private func begin(
        _ place: Place, _ mark: String, _ make: @escaping @Sendable () async throws -> any TransientFile
    ) {
        state.withLock { state in
            if let copy = state.copies[place] {
                guard copy.mark != mark else { return }
                state.remove(place)
            }
            if state.copies.count(where: { $0.key.user == place.user }) >= Self.maxOfUser,
                let oldest = state.oldest(of: place.user)
            {
                state.remove(oldest)
            } else if state.copies.count >= Self.maxOfAll, let oldest = state.oldest(of: nil) {
                state.remove(oldest)
            }
            state.lastNumber += 1
            let number = state.lastNumber
            let task = Task {
                let outcome: Result<any TransientFile, any Error>
                do { outcome = .success(try await make()) } catch { outcome = .failure(error) }
                end(place, number, outcome)
            }
            state.copies[place] = Copy(mark: mark, number: number, task: task, usedAt: .now)
            guard !state.isSwept else { return }
            state.isSwept = true
            Task { await sweep() }
        }
    }

    private func end(_ place: Place, _ number: Int, _ outcome: Result<any TransientFile, any Error>) {
        state.withLock { state in
            // Another one may have its place by now.
            if state.copies[place]?.number == number { state.copies[place]?.outcome = outcome }
        }
        ended.raise()
    }

    /// Removes what is not asked for, as long as there are copies.
    private func sweep() async {
        var hasMore = true
        while hasMore {
            try? await Task.sleep(for: lifetime / 4)
            let now = ContinuousClock.now
            hasMore = state.withLock { state in
                for (place, copy) in state.copies where now - copy.usedAt >= lifetime { state.remove(place) }
                state.isSwept = !state.copies.isEmpty
                return state.isSwept
            }
        }
    }

    /// Forgets the copies of a drive that is gone, or is signed in to with other settings.
    func forget(_ drive: Drive.ID) {
        state.withLock { state in
            for place in state.copies.keys where place.drive == drive { state.remove(place) }
        }
        ended.raise()
    }

    /// Has something made of a copy, of which a few are made at a time. Throws 503 where too much is asked for.
    func making<Value: Sendable>(
        for user: User.ID, _ make: () async throws -> Value
    ) async throws -> Value {
        let slot: Int
        do { slot = try await slots.acquire(for: "\(user)", within: Self.longestWait) } catch is ResourcePoolError {
            throw RequestError.busy
        }
        defer { slots.release(slot, of: "\(user)") }
        return try await make()
    }
}
