internal import HTTPTypes
internal import Hummingbird
internal import FundCore
internal import NIOCore

/// What lies in a collection, said piece by piece: what is said of the members is fetched when their turn comes, so that memory
/// grows neither with their number nor with what is kept with each.
struct MemberListing: Sendable {
    /// Longer answers are sent in pieces of about this size.
    private static let pieceBytes = 512 * 1024
    /// Members whose properties are in memory at the same time: 64 KiB for each at the most.
    private static let maxMembersAtATime = 32
    /// Of all `activelock` elements of an answer. A deep lock is said again for every member; then `lockdiscovery` of the rest is
    /// answered with 507, which cannot be read as "not locked".
    private static let maxLockBytes = 16 * 1024 * 1024

    private let dav: WebDAV
    private let user: User
    private let resource: DAVResource
    private let href: String
    private let plan: PropertyPlan
    private let inherited: [HeldLock]
    private let direct: [LibraryItemID?: [Lock]]
    /// Those that have dead properties.
    private let having: Set<LibraryItemID>
    private var rest: ArraySlice<LibraryItem>
    private var lockBytesLeft = maxLockBytes

    init(_ dav: WebDAV, _ resource: DAVResource, _ plan: PropertyPlan, _ held: [HeldLock], _ user: User) async throws {
        self.dav = dav
        self.user = user
        self.resource = resource
        href = resource.href
        self.plan = plan
        rest = try await dav.members(of: resource, user)[...]
        inherited = held.filter(\.lock.isDeep)
        direct = Dictionary(grouping: dav.locks.locks(of: user.id), by: \.root)
        if !plan.needsDeadProperties {
            having = []
        } else if let inside = resource.inside {
            having = try await dav.library.itemsWithProperties(in: inside, of: user.id)
        } else {
            having = Set(rest.map(\.itemID))
        }
    }

    /// The whole answer, which begins with `start`.
    mutating func response(after start: MarkupWriter) async throws -> Response {
        var writer = start
        try await writePiece(to: &writer)
        var response = WebDAV.response(.multiStatus, writer, headers: [.contentLocation: href])
        guard !rest.isEmpty else { return response }
        response.body = ResponseBody { [listing = self, first = writer.buffer] body in
            try await body.write(first)
            var listing = listing
            while !listing.rest.isEmpty {
                var writer = MarkupWriter(declaring: false)
                try await listing.writePiece(to: &writer)
                try await body.write(writer.buffer)
            }
            try await body.finish(nil)
        }
        return response
    }

    /// Until the piece is full or nothing is left; then with the end.
    private mutating func writePiece(to writer: inout MarkupWriter) async throws {
        while !rest.isEmpty, writer.byteCount < Self.pieceBytes {
            let batch = takeBatch()
            let dead = plan.needsDeadProperties ? try await properties(of: batch) : [:]
            for item in batch { write(item, dead[item.itemID] ?? [:], to: &writer) }
        }
        if rest.isEmpty { writer.raw("</D:multistatus>") }
    }

    private func properties(of batch: ArraySlice<LibraryItem>) async throws -> [LibraryItemID: [String: String]] {
        try await dav.deadProperties(of: Array(batch), having: having, plan, user)
    }

    /// The next members: many where nothing has to be fetched for them.
    private mutating func takeBatch() -> ArraySlice<LibraryItem> {
        var (end, fetched) = (rest.startIndex, 0)
        if having.isEmpty { end = min(rest.endIndex, end + Self.maxMembersAtATime * 8) }
        while end < rest.endIndex, end - rest.startIndex < Self.maxMembersAtATime * 8 {
            if having.contains(rest[end].itemID) { fetched += 1 }
            if fetched > Self.maxMembersAtATime { break }
            end += 1
        }
        defer { rest = rest[end...] }
        return rest[..<end]
    }

    private mutating func write(_ item: LibraryItem, _ dead: [String: String], to writer: inout MarkupWriter) {
        let href = href + DAVPath.encoded(item.name) + (item.isCollection ? "/" : "")
        var locks: MarkupWriter? = MarkupWriter(declaring: false)
        if !inherited.isEmpty || !direct.isEmpty {
            let place = DAVResource(path: resource.path.appending(item.name), items: resource.items + [item])
            let own = (direct[item.itemID] ?? []).map { HeldLock(lock: $0, depth: place.items.count) }
            let markup = dav.markup(of: inherited + own, place)
            lockBytesLeft -= markup.byteCount
            locks = lockBytesLeft >= 0 || markup.byteCount == 0 ? markup : nil
        }
        plan.write(item, href: href, dead: dead, locks: locks, to: &writer)
    }
}
