internal import HTTPTypes
internal import FundCore

/// A write lock (RFC 4918 §6, §7).
struct Lock: Hashable, Sendable {
    /// A URI (§6.5).
    var token: String
    /// Nil is the root of all funds. Not a name: so a rename by another face keeps the lock where its holder put it.
    var root: LibraryItemID?
    var isExclusive: Bool
    /// Holds for everything below, too.
    var isDeep: Bool
    /// `owner` as the client gave it (§14.17), whole, in a form that can stand anywhere; nil for none.
    var owner: String?
    /// Seconds that it is given at each refresh.
    var timeout: Int64
    /// Seconds of a clock that only goes forward.
    var expiresAt: Int64
}

/// A lock with where it stands above what was asked about.
struct HeldLock: Hashable, Sendable {
    var lock: Lock
    /// How many names of the path lead to its root.
    var depth: Int
}

/// A body of LOCK (RFC 4918 §14.11).
struct LockRequest: Hashable, Sendable {
    /// Clients name a person and a machine, some hundred bytes with their namespaces. It is kept in memory as long as the lock,
    /// and is part of what PROPFIND says of everything that the lock holds for.
    static let maxOwnerBytes = 1024

    var isExclusive: Bool
    var owner: String?

    init(_ root: MarkupElement) throws {
        guard root.name == .dav("lockinfo"), let scope = root.first(.dav("lockscope")),
            root.first(.dav("locktype"))?.first(.dav("write")) != nil
        else { throw DAVFailure(.badRequest, "the body asks for no write lock") }
        let isShared = scope.first(.dav("shared")) != nil
        isExclusive = scope.first(.dav("exclusive")) != nil
        guard isExclusive != isShared else {
            throw DAVFailure(.badRequest, "a lock is either exclusive or shared")
        }
        owner = root.first(.dav("owner"))?.standalone
        guard (owner?.utf8.count ?? 0) <= Self.maxOwnerBytes else {
            throw DAVFailure(.contentTooLarge, "the owner of the lock is too long")
        }
    }
}
