internal import FundCore
internal import Synchronization

/// Lets one changing request of a user go after the other, so that nothing changes between looking (locks, entity tags, what
/// is in the way) and doing. Different users do not wait for each other; nil is for work of all users together.
final class WriteTurns: Sendable {
    /// Those who wait for their turn; a user without anybody at work has no entry.
    private let waiting = Mutex<[User.ID?: [CheckedContinuation<Void, Never>]]>([:])

    func take<Result>(
        of user: User.ID?, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> sending Result
    ) async rethrows -> sending Result {
        await begin(user)
        defer { end(user) }
        return try await work()
    }

    private func begin(_ user: User.ID?, isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                if waiting[user] == nil {
                    waiting[user] = []
                    return true
                }
                waiting[user]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func end(_ user: User.ID?) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard let first = waiting[user]?.first else {
                waiting[user] = nil
                return nil
            }
            waiting[user]?.removeFirst()
            return first
        }
        next?.resume()
    }
}
