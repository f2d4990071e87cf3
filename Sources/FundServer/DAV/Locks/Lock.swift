internal import HTTPTypes
internal import FundCore

/// A write lock (RFC 4918 §6, §7).
struct Lock: Hashable, Sendable {
    /// A URI (§6.5).
    var token: String
    /// Nil for the root. An id, so that the lock stays with an item that another interface renames.
    var root: LibraryItemID?
    var isExclusive: Bool
    /// Holds for everything below as well.
    var isDeep: Bool
    /// `owner` of the client (§14.17), as an element that is valid anywhere; nil without one.
    var owner: String?
    /// Seconds from each refresh to its end.
    var timeout: Int64
    /// Seconds of a monotonic clock.
    var expiresAt: Int64
}

/// A lock that holds for a resource, and the position of its root on the path of the resource.
struct HeldLock: Hashable, Sendable {
    var lock: Lock
    /// Number of names of the path that lead to the root of the lock.
    var depth: Int
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
        guard isExclusive != isShared else {
            throw DAVError(.badRequest, "a lock is either exclusive or shared")
        }
        owner = root.first(.dav("owner"))?.standalone
        guard (owner?.utf8.count ?? 0) <= Self.maxOwnerBytes else {
            throw DAVError(.contentTooLarge, "the owner of the lock is too long")
        }
    }
}
