internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// The members of a collection for PROPFIND, written piece by piece. Properties are fetched when their piece is
/// written, so that memory grows neither with the number of members nor with their properties.
struct MemberListing: Sendable {
    /// Longer responses are sent in pieces of about this size.
    private static let pieceBytes = 512 * 1024
    /// Members whose properties are in memory at a time; each has at most 64 KiB.
    private static let maxMembersAtATime = 32
    /// Bytes of all `activelock` elements of a response. A deep lock is repeated for every member; beyond this,
    /// `lockdiscovery` is answered with 507, which does not read as "not locked".
    private static let maxLockBytes = 16 * 1024 * 1024

    private let dav: WebDAV
    private let user: User
    private let sends: StreamSends?
    private let resource: DAVResource
    private let href: String
    private let plan: PropertyPlan
    private let inherited: [HeldLock]
    private let direct: [LibraryItemID?: [Lock]]
    /// The members that have dead properties.
    private let having: Set<LibraryItemID>
    private var rest: ArraySlice<LibraryItem>
    private var lockBytesLeft = maxLockBytes

    init(_ dav: WebDAV, _ resource: DAVResource, _ plan: PropertyPlan, _ held: [HeldLock], _ call: DAVCall) async throws
    {
        self.dav = dav
        user = call.user
        sends = call.context.sends
        self.resource = resource
        href = resource.href
        self.plan = plan
        rest = try await dav.members(of: resource, call.user)[...]
        inherited = held.filter(\.lock.isDeep)
        let funds = resource.fund.map { [$0] } ?? Set(rest.compactMap(\.fund))
        direct = Dictionary(grouping: try await dav.heldLocks(in: funds, for: user.id), by: \.root)
        if !plan.needsDeadProperties {
            having = []
        } else if let inside = resource.item?.inside {
            having = try await dav.library.itemsWithProperties(in: inside, of: user.id)
        } else {
            having = Set(rest.map(\.itemID))
        }
    }

    /// The whole response, which begins with `start`.
    mutating func response(after start: MarkupWriter) async throws -> Response {
        var writer = start
        try await sends?.takeForAnswer()
        try await writePiece(to: &writer)
        var response = Response.xml(.multiStatus, writer, headers: [.contentLocation: href])
        guard !rest.isEmpty else { return response }
        response.body = ResponseBody { [listing = self, first = writer.buffer] body in
            try await body.write(first)
            var listing = listing
            while !listing.rest.isEmpty {
                var writer = MarkupWriter(declaring: false)
                try await listing.sends?.takeForAnswer(within: nil)
                try await listing.writePiece(to: &writer)
                try await body.write(writer.buffer)
            }
            try await body.finish(nil)
        }
        return response
    }

    /// Writes members until the piece is full or none is left; then also the end tag.
    private mutating func writePiece(to writer: inout MarkupWriter) async throws {
        while !rest.isEmpty, writer.byteCount < Self.pieceBytes {
            let batch = takeBatch()
            var dead: [LibraryItemID: [String: String]] = [:]
            if plan.needsDeadProperties {
                dead = try await dav.deadProperties(of: Array(batch), having: having, plan, user)
            }
            for item in batch { write(item, dead[item.itemID] ?? [:], to: &writer) }
        }
        if rest.isEmpty { writer.raw("</D:multistatus>") }
    }

    /// The next members: many when nothing has to be fetched for them.
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
