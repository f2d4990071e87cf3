internal import HTTPTypes
internal import Hummingbird
internal import Ingest
internal import NIOCore

extension WebDAV {
    /// Members written in one piece: half a megabyte. More are sent piece by piece, so that memory does not grow with them.
    static let membersAPiece = 1000

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
        let own = plan.needsDeadProperties ? try await properties(of: resource.item, call) : [:]
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

    private func properties(of item: LibraryItem?, _ call: DAVCall) async throws -> [String: String] {
        guard let item else { return [:] }
        return try await library.properties(of: item.itemID, of: call.user.id)
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
                for item in items { dead[item.itemID] = try await properties(of: item, call) }
            }
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
        guard items.count > WebDAV.membersAPiece else {
            write(items[...], to: &writer)
            writer.raw("</D:multistatus>")
            return WebDAV.response(.multiStatus, writer, headers: [.contentLocation: resource.href])
        }
        var response = WebDAV.response(.multiStatus, writer, headers: [.contentLocation: resource.href])
        response.body = ResponseBody { body in
            try await body.write(start.buffer)
            for from in stride(from: 0, to: items.count, by: WebDAV.membersAPiece) {
                var writer = MarkupWriter(declaring: false)
                write(items[from..<min(from + WebDAV.membersAPiece, items.count)], to: &writer)
                try await body.write(writer.buffer)
            }
            try await body.write(ByteBuffer(string: "</D:multistatus>"))
            try await body.finish(nil)
        }
        return response
    }

    private func write(_ items: ArraySlice<LibraryItem>, to writer: inout MarkupWriter) {
        let base = resource.href
        for item in items {
            let href = base + DAVPath.encoded(item.name) + (item.isCollection ? "/" : "")
            plan.write(item, href: href, dead: dead[item.itemID] ?? [:], to: &writer) { writer in
                guard !inherited.isEmpty || !direct.isEmpty else { return }
                let place = DAVResource(path: resource.path.appending(item.name), items: resource.items + [item])
                let own = (direct[item.itemID] ?? []).map { HeldLock(lock: $0, depth: place.items.count) }
                for lock in inherited + own { dav.write(lock, place, to: &writer) }
            }
        }
    }
}
