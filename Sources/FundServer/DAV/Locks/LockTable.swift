internal import FundHTTP
internal import HTTPTypes
internal import FundCore
internal import Synchronization

/// All locks. They are kept in memory: they coordinate programs for minutes, and RFC 4918 §6.6 allows them to end at
/// any time. After a restart clients get 412 for their tokens and lock again, without loss of data.
///
/// A lock within a fund holds for all members of the fund, and yields to the person alone who made it. A lock on the
/// root holds in all funds of that person, for their own programs alone: the roots of two people are two resources, and
/// one person's program does not close the funds of others.
final class LockTable: Sendable {
    /// A program locks the files that it has open. A look-up for each, to find locks below a folder, bounds their
    /// number.
    static let maxLocksPerUser = 256
    /// Locks that hold for one resource, those of folders above it included. A program has one; shared ones are rare.
    static let maxLocksOnResource = 16
    /// Seconds. Programs refresh earlier; abandoned locks end after an hour.
    private static let maxTimeout: Int64 = 3600
    private static let usualTimeout: Int64 = 600

    private let now: @Sendable () -> ContinuousClock.Instant
    private let held = Mutex(LocksByCreator())

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// The lock timeout (RFC 4918 §10.7): the first known value, within the range that the server gives.
    static func timeout(_ fields: HTTPFields) -> Duration {
        for value in (fields[.timeout] ?? "").split(separator: ",") {
            let text = value.filter { $0 != " " && $0 != "\t" }.lowercased()
            if text == "infinite" { return .seconds(maxTimeout) }
            guard text.hasPrefix("second-"), text.dropFirst(7).allSatisfy(\.isWholeNumber) else { continue }
            return .seconds(max(1, min(Int64(text.dropFirst(7)) ?? .max, maxTimeout)))
        }
        return .seconds(usualTimeout)
    }

    /// The locks that can hold for a person in some funds: all of their own, since another interface may have moved an
    /// item to another fund, and those that other members made in these funds.
    func locks(for user: User.ID, in funds: Set<Fund.ID> = []) -> [Lock] {
        let time = now()
        return held.withLock { held in
            var found = held.withLocks(of: user, at: time) { $0 }
            for fund in funds {
                for other in held.creators(in: fund).sorted() where other != user {
                    found += held.withLocks(of: other, at: time) { $0.filter { $0.fund == fund } }
                }
            }
            return found
        }
    }

    /// The people other than `user` who have locks in a fund.
    func creators(in fund: Fund.ID, besides user: User.ID) -> Set<User.ID> {
        held.withLock { $0.creators(in: fund).subtracting([user]) }
    }

    /// Ends the locks that a person has in a fund.
    func removeLocks(of user: User.ID, in fund: Fund.ID) {
        let time = now()
        held.withLock { held in held.withLocks(of: user, at: time) { $0.removeAll { $0.fund == fund } } }
    }

    /// The locks that hold for the last item of `chain`: its own, and deep ones above it. Nil, the root, comes first.
    ///
    /// - Parameter isMissing: asks for the locks on a name below the last item that names nothing: only deep ones.
    func locks(on chain: [LibraryItemID?], isMissing: Bool = false, for user: User.ID) -> [HeldLock] {
        locks(for: user, in: Set([Self.fund(chain)].compactMap { $0 })).compactMap { lock in
            guard let index = chain.lastIndex(of: lock.root), lock.isDeep || (index == chain.count - 1 && !isMissing)
            else { return nil }
            return HeldLock(lock: lock, depth: index)
        }
    }

    /// Locks the last item of `chain`, as of `locks`. The caller has checked for conflicts. Throws 507 when the user
    /// has too many locks.
    func add(
        _ request: LockRequest, on chain: [LibraryItemID?], isDeep: Bool, timeout: Duration, of user: User.ID
    ) throws -> Lock {
        let time = now()
        return try held.withLock { held in
            try held.withLocks(of: user, at: time) { locks in
                guard locks.count < Self.maxLocksPerUser else { throw Self.isFull }
                let lock = Lock(
                    token: Self.newToken(), creator: user, root: chain.last ?? nil, fund: Self.fund(chain),
                    isExclusive: request.isExclusive, isDeep: isDeep, owner: request.owner,
                    expiresAt: time + timeout)
                locks.append(lock)
                return lock
            }
        }
    }

    /// Throws 507 when the user has too many locks, or when `held` locks for one resource are too many.
    func checkRoom(of user: User.ID, beside held: Int) throws {
        guard held < Self.maxLocksOnResource, locks(for: user).count < Self.maxLocksPerUser else { throw Self.isFull }
    }

    private static let isFull = DAVError(.insufficientStorage, "there are too many locks; unlock something first")

    /// Nil when the lock has ended.
    func refresh(_ lock: Lock, timeout: Duration) -> Lock? {
        let time = now()
        return held.withLock { held in
            held.withLocks(of: lock.creator, at: time) { locks in
                guard let index = locks.firstIndex(where: { $0.token == lock.token }) else { return nil }
                locks[index].expiresAt = time + timeout
                return locks[index]
            }
        }
    }

    /// Ends locks of any person.
    func remove(_ locks: some Sequence<Lock>) {
        let (time, tokens) = (now(), Dictionary(grouping: locks, by: \.creator).mapValues { Set($0.map(\.token)) })
        held.withLock { held in
            for (creator, tokens) in tokens {
                held.withLocks(of: creator, at: time) { $0.removeAll { tokens.contains($0.token) } }
            }
        }
    }

    /// The fund on the way from the root to an item.
    static func fund(_ chain: [LibraryItemID?]) -> Fund.ID? {
        for case .fund(let fund)? in chain { return fund }
        return nil
    }

    /// Seconds until the lock expires, rounded up.
    func remaining(_ lock: Lock) -> Int64 { Int64(max(0, (lock.expiresAt - now()).seconds).rounded(.up)) }

    /// 132 random bits. RFC 4918 §6.5 leaves the scheme open. Short, for programs with fixed buffers: litmus cuts an
    /// `If` field at 199 characters, which two entity tags and a UUID exceed.
    private static func newToken() -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        return "fundmail.lock:" + String((0..<22).map { _ in letters[Int.random(in: letters.indices)] })
    }
}

/// A write lock (RFC 4918 §6, §7).
struct Lock: Hashable, Sendable {
    /// A URI (§6.5).
    var token: String
    /// The person whose program made it.
    var creator: User.ID
    /// Nil for the root. An id, so that the lock stays with an item that another interface renames.
    var root: LibraryItemID?
    /// The fund in which the item was when it was locked; nil for the root.
    var fund: Fund.ID?
    var isExclusive: Bool
    /// Holds for everything below as well.
    var isDeep: Bool
    /// `owner` of the client (§14.17), as an element that is valid anywhere; nil without one.
    var owner: String?
    var expiresAt: ContinuousClock.Instant

    /// Whether a person may change what the lock holds for: the lock is theirs, and the request carries its token (RFC
    /// 4918 §6.4).
    func yields(to user: User.ID, with tokens: Set<String>) -> Bool { creator == user && tokens.contains(token) }
}

/// A lock that holds for a resource, and the position of its root on the path of the resource.
struct HeldLock: Hashable, Sendable {
    var lock: Lock
    /// Number of names of the path that lead to the root of the lock.
    var depth: Int
}

extension [HeldLock] {
    /// Whether a person may change what all of these hold for. One of shared locks is enough (RFC 4918 §6.2). Where
    /// others have locks in the fund, a lock on the person's root is none beside those: neither looks at the other.
    func yield(to user: User.ID, with tokens: Set<String>) -> Bool {
        let othersHold = contains { $0.lock.creator != user }
        return isEmpty
            || contains { $0.lock.yields(to: user, with: tokens) && (!othersHold || $0.lock.root != nil) }
    }
}

/// A body of LOCK (RFC 4918 §14.11).
struct LockRequest: Hashable, Sendable {
    /// Clients name a person and a machine, in some hundred bytes with namespaces. It stays in memory with the lock,
    /// and PROPFIND repeats it for every resource that the lock holds for.
    static let maxOwnerBytes = 1024

    var isExclusive: Bool
    var owner: String?

    init(_ root: MarkupElement) throws {
        guard root.name == .dav("lockinfo"), let scope = root.first(.dav("lockscope")),
            root.first(.dav("locktype"))?.first(.dav("write")) != nil
        else { throw DAVError(.badRequest, "the body asks for no write lock") }
        let isShared = scope.first(.dav("shared")) != nil
        isExclusive = scope.first(.dav("exclusive")) != nil
        guard isExclusive != isShared else { throw DAVError(.badRequest, "a lock is either exclusive or shared") }
        owner = root.first(.dav("owner"))?.standalone
        guard (owner?.utf8.count ?? 0) <= Self.maxOwnerBytes else {
            throw DAVError(.contentTooLarge, "the owner of the lock is too long")
        }
    }
}
