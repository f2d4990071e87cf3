internal import HTTPTypes
internal import FundCore
internal import Synchronization

/// All locks. They are kept in memory: they coordinate the programs of one user for minutes, and RFC 4918 §6.6 allows
/// them to end at any time. After a restart clients get 412 for their tokens and lock again, without loss of data.
///
/// Users see only their own items, so locks are kept for each user.
final class LockTable: Sendable {
    /// A program locks the files that it has open. Checking a folder for locks below takes a look-up for each, which
    /// bounds their number.
    static let maxLocksPerUser = 256
    /// Locks that hold for one resource, those of folders above it included. A program has one; shared ones are rare.
    static let maxLocksOnResource = 16
    /// Seconds. Programs refresh earlier; abandoned locks end after an hour.
    static let maxTimeout: Int64 = 3600
    static let usualTimeout: Int64 = 600

    private let now: @Sendable () -> Int64
    private let locks = Mutex<[User.ID: [Lock]]>([:])

    /// - Parameter now: seconds of a monotonic clock.
    init(now: @escaping @Sendable () -> Int64 = LockTable.uptime) { self.now = now }

    /// The lock timeout in seconds (RFC 4918 §10.7): the first known value, within the range that the server gives.
    static func timeout(_ fields: HTTPFields) -> Int64 {
        for value in (fields[.timeout] ?? "").split(separator: ",") {
            let text = value.filter { $0 != " " && $0 != "\t" }.lowercased()
            if text == "infinite" { return maxTimeout }
            guard text.hasPrefix("second-"), text.dropFirst(7).allSatisfy(\.isWholeNumber) else { continue }
            return max(1, min(Int64(text.dropFirst(7)) ?? .max, maxTimeout))
        }
        return usualTimeout
    }

    /// All locks of the user that have not expired.
    func locks(of user: User.ID) -> [Lock] { withLocks(of: user) { $0 } }

    /// The locks that hold for the last item of `chain`: its own, and deep ones above it. The chain begins with nil,
    /// the root.
    ///
    /// - Parameter isMissing: asks for the locks on a name below the last item that names nothing: only deep ones.
    func locks(on chain: [LibraryItemID?], isMissing: Bool = false, of user: User.ID) -> [HeldLock] {
        locks(of: user).compactMap { lock in
            guard let index = chain.lastIndex(of: lock.root), lock.isDeep || (index == chain.count - 1 && !isMissing)
            else {
                return nil
            }
            return HeldLock(lock: lock, depth: index)
        }
    }

    /// The caller has checked for conflicts. Throws 507 when the user has too many locks.
    func add(_ request: LockRequest, on root: LibraryItemID?, isDeep: Bool, timeout: Int64, of user: User.ID) throws
        -> Lock
    {
        try withLocks(of: user) { locks in
            guard locks.count < Self.maxLocksPerUser else { throw Self.isFull }
            let lock = Lock(
                token: Self.newToken(), root: root, isExclusive: request.isExclusive, isDeep: isDeep,
                owner: request.owner, timeout: timeout, expiresAt: now() + timeout)
            locks.append(lock)
            return lock
        }
    }

    /// Throws 507 when the user has too many locks, or when `held` locks for one resource are too many.
    func checkRoom(of user: User.ID, beside held: Int) throws {
        guard held < Self.maxLocksOnResource, locks(of: user).count < Self.maxLocksPerUser else { throw Self.isFull }
    }

    private static let isFull = DAVError(
        .insufficientStorage, "there are too many locks; unlock something first")

    /// Nil when the lock has ended.
    func refresh(_ token: String, timeout: Int64, of user: User.ID) -> Lock? {
        withLocks(of: user) { locks in
            guard let index = locks.firstIndex(where: { $0.token == token }) else { return nil }
            locks[index].timeout = timeout
            locks[index].expiresAt = now() + timeout
            return locks[index]
        }
    }

    func remove(where isGone: (Lock) -> Bool, of user: User.ID) {
        withLocks(of: user) { $0.removeAll(where: isGone) }
    }

    /// Seconds until the lock expires.
    func remaining(_ lock: Lock) -> Int64 { max(0, lock.expiresAt - now()) }

    private func withLocks<Result>(of user: User.ID, _ body: (inout [Lock]) throws -> Result) rethrows -> Result {
        let time = now()
        return try locks.withLock { all in
            var mine = all[user] ?? []
            mine.removeAll { $0.expiresAt <= time }
            defer { all[user] = mine.isEmpty ? nil : mine }
            return try body(&mine)
        }
    }

    static func uptime() -> Int64 { start.duration(to: .now).components.seconds }

    private static let start = ContinuousClock.now

    /// 132 random bits. RFC 4918 §6.5 leaves the scheme open. Short, for programs with fixed buffers: litmus cuts an
    /// `If` field at 199 characters, which two entity tags and a UUID exceed.
    private static func newToken() -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        return "fundmail.lock:" + String((0..<22).map { _ in letters[Int.random(in: letters.indices)] })
    }
}
