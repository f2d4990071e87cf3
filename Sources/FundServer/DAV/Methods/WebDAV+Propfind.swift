internal import HTTPTypes
internal import Hummingbird
internal import Ingest

extension WebDAV {
    /// RFC 4918 §9.1. Depth infinity is refused, as the RFC allows: a fund may hold a hundred thousand files.
    func propfind(_ call: DAVCall) async throws -> Response {
        let depth = try DAVDepth(call.fields)
        let plan = PropertyPlan(try PropfindRequest(try await call.body(atMost: DAVCall.maxQueryBodyBytes)))
        let resource = try await existing(call)
        guard depth != .infinity else {
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
        if depth == .one, resource.isCollection {
            try await writeMembers(of: resource, plan, held, call, to: &writer)
        }
        writer.raw("</D:multistatus>")
        let headers: HTTPFields = resource.isCollection ? [.contentLocation: resource.href] : [:]
        return Self.response(.multiStatus, writer, headers: headers)
    }

    private func properties(of item: LibraryItem?, _ call: DAVCall) async throws -> [String: String] {
        guard let item else { return [:] }
        return try await library.properties(of: item.itemID, of: call.user.id)
    }

    private func writeMembers(
        of resource: DAVResource, _ plan: PropertyPlan, _ held: [HeldLock], _ call: DAVCall,
        to writer: inout MarkupWriter
    ) async throws {
        let members = try await members(of: resource, call.user)
        var dead: [LibraryItemID: [String: String]] = [:]
        if plan.needsDeadProperties {
            if let inside = resource.inside {
                dead = try await library.properties(in: inside, of: call.user.id)
            } else {
                for member in members { dead[member.itemID] = try await properties(of: member, call) }
            }
        }
        let inherited = held.filter(\.lock.isDeep)
        let direct = Dictionary(grouping: locks.locks(of: call.user.id), by: \.root)
        for member in members {
            let href = resource.href + DAVPath.encoded(member.name) + (member.isCollection ? "/" : "")
            plan.write(member, href: href, dead: dead[member.itemID] ?? [:], to: &writer) { writer in
                guard !inherited.isEmpty || !direct.isEmpty else { return }
                let place = DAVResource(
                    path: resource.path.appending(member.name), items: resource.items + [member])
                let own = (direct[member.itemID] ?? []).map { HeldLock(lock: $0, depth: place.items.count) }
                for lock in inherited + own { write(lock, place, to: &writer) }
            }
        }
    }
}
