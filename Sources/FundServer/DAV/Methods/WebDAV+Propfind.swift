internal import HTTPTypes
internal import Hummingbird
internal import Ingest
internal import NIOCore

extension WebDAV {
    /// Longer answers are sent piece by piece, so that memory grows neither with the members nor with what is said of each.
    static let pieceBytes = 512 * 1024

    /// RFC 4918 §9.1. Depth infinity is refused, as the RFC allows: a fund may hold a hundred thousand files.
    func propfind(_ call: DAVCall) async throws -> Response {
        let depth = try DAVDepth(call.fields)
        let plan = PropertyPlan(try PropfindRequest(try await call.body(atMost: DAVCall.maxQueryBodyBytes)))
        let resource = try await existing(call)
        guard depth != .infinity || !resource.isCollection else {
            throw DAVFailure(.forbidden, "Depth must be 0 or 1", .propfindFiniteDepth)
        }
        try await checkConditions(resource, call)
        let held = locks.locks(on: resource.chain, of: call.user.id)
        let own = try await properties(of: resource.item, plan, call)
        var writer = MarkupWriter()
        writer.raw("<D:multistatus xmlns:D=\"DAV:\">")
        plan.write(resource.item, href: resource.href, dead: own, to: &writer) { writer in
            for lock in held { write(lock, resource, to: &writer) }
        }
        guard depth == .one, resource.isCollection else {
            writer.raw("</D:multistatus>")
            return Self.response(.multiStatus, writer, headers: [.contentLocation: resource.href])
        }
        let members = try await members(of: resource, plan, held, call)
        return members.response(after: writer)
    }

    private func properties(
        of item: LibraryItem?, _ plan: PropertyPlan, _ call: DAVCall
    ) async throws -> [String: String] {
        guard let item, plan.needsDeadProperties else { return [:] }
        var properties = [item.itemID: try await library.properties(of: item.itemID, of: call.user.id)]
        if plan.needsChecksums { try await addChecksums(of: [item], to: &properties) }
        return properties[item.itemID] ?? [:]
    }

    private func members(
        of resource: DAVResource, _ plan: PropertyPlan, _ held: [HeldLock], _ call: DAVCall
    ) async throws -> FoundMembers {
        let items = try await members(of: resource, call.user)
        var dead: [LibraryItemID: [String: String]] = [:]
        if plan.needsDeadProperties {
            if let inside = resource.inside {
                dead = try await library.properties(in: inside, of: call.user.id)
            } else {
                for item in items { dead[item.itemID] = try await properties(of: item, plan, call) }
            }
            if plan.needsChecksums { try await addChecksums(of: items, to: &dead) }
        }
        return FoundMembers(
            dav: self, resource: resource, plan: plan, items: items, dead: dead, inherited: held.filter(\.lock.isDeep),
            direct: Dictionary(grouping: locks.locks(of: call.user.id), by: \.root))
    }
}

/// What lies in a collection, with all that is said about it.
private struct FoundMembers: Sendable {
    let dav: WebDAV
    let resource: DAVResource
    let plan: PropertyPlan
    let items: [LibraryItem]
    let dead: [LibraryItemID: [String: String]]
    let inherited: [HeldLock]
    let direct: [LibraryItemID?: [Lock]]

    func response(after start: MarkupWriter) -> Response {
        var writer = start
        let rest = writePiece(of: items[...], to: &writer)
        guard !rest.isEmpty else {
            writer.raw("</D:multistatus>")
            return WebDAV.response(.multiStatus, writer, headers: [.contentLocation: resource.href])
        }
        var response = WebDAV.response(.multiStatus, writer, headers: [.contentLocation: resource.href])
        response.body = ResponseBody { [rest, first = writer.buffer] body in
            try await body.write(first)
            var rest = rest
            while !rest.isEmpty {
                var writer = MarkupWriter(declaring: false)
                rest = writePiece(of: rest, to: &writer)
                try await body.write(writer.buffer)
            }
            try await body.write(ByteBuffer(string: "</D:multistatus>"))
            try await body.finish(nil)
        }
        return response
    }

    /// What is left when the piece is full.
    private func writePiece(of items: ArraySlice<LibraryItem>, to writer: inout MarkupWriter) -> ArraySlice<LibraryItem>
    {
        let base = resource.href
        for (index, item) in zip(items.indices, items) {
            guard writer.byteCount < WebDAV.pieceBytes else { return items[index...] }
            let href = base + DAVPath.encoded(item.name) + (item.isCollection ? "/" : "")
            plan.write(item, href: href, dead: dead[item.itemID] ?? [:], to: &writer) { writer in
                guard !inherited.isEmpty || !direct.isEmpty else { return }
                let place = DAVResource(path: resource.path.appending(item.name), items: resource.items + [item])
                let own = (direct[item.itemID] ?? []).map { HeldLock(lock: $0, depth: place.items.count) }
                for lock in inherited + own { dav.write(lock, place, to: &writer) }
            }
        }
        return []
    }
}
