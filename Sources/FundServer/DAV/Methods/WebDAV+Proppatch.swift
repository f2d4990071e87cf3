internal import HTTPTypes
internal import Hummingbird
internal import Ingest

extension WebDAV {
    /// Of the properties of one item, all together: what clients keep there are dates and flags.
    static let maxPropertyBytes = 256 * 1024
    static let maxProperties = 500

    /// RFC 4918 §9.2: all changes or none.
    func proppatch(_ call: DAVCall) async throws -> Response {
        guard let body = try await call.body(atMost: DAVCall.maxBodyBytes) else {
            throw DAVFailure(.badRequest, "PROPPATCH needs a body")
        }
        let changes = try PropertyChange.changes(in: body)
        return try await turns.take(of: call.user.id) {
            let resource = try await existing(call)
            try await checkConditions(resource, call)
            try await checkLocks(on: resource, .itself, call)
            let refused = try await change(resource.item, changes, call)
            return Self.answer(changes, refused, resource)
        }
    }

    /// Why some of the changes cannot be made; then none was.
    private func change(
        _ item: LibraryItem?, _ changes: [PropertyChange], _ call: DAVCall
    ) async throws -> [MarkupName: HTTPResponse.Status] {
        guard let item else { return Dictionary(changes.map { ($0.name, .forbidden) }) { first, _ in first } }
        let protected = changes.map(\.name).filter { LiveProperty($0) != nil }
        guard protected.isEmpty else { return Dictionary(protected.map { ($0, .forbidden) }) { first, _ in first } }
        var kept = try await library.properties(of: item.itemID, of: call.user.id)
        var net: [String: String?] = [:]
        for change in changes {
            switch change {
            case .set(let element):
                let value = element.standalone
                kept[element.name.key] = value
                net[element.name.key] = .some(value)
            case .remove(let name):
                kept[name.key] = nil
                net[name.key] = .some(nil)
            }
        }
        let bytes = kept.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard kept.count <= Self.maxProperties, bytes <= Self.maxPropertyBytes else {
            return Dictionary(changes.map { ($0.name, .insufficientStorage) }) { first, _ in first }
        }
        try await library.setProperties(net, of: item.itemID, of: call.user.id)
        return [:]
    }

    private static func answer(
        _ changes: [PropertyChange], _ refused: [MarkupName: HTTPResponse.Status], _ resource: DAVResource
    ) -> Response {
        var seen: Set<MarkupName> = []
        let names = changes.map(\.name).filter { seen.insert($0).inserted }
        let others: HTTPResponse.Status = refused.isEmpty ? .ok : .failedDependency
        let groups = Dictionary(grouping: names) { refused[$0] ?? others }
        var writer = MarkupWriter()
        writer.raw("<D:multistatus xmlns:D=\"DAV:\"><D:response>")
        writer.element("D:href", resource.href)
        for (status, names) in groups.sorted(by: { $0.key.code < $1.key.code }) {
            writer.raw("<D:propstat><D:prop>")
            for name in names { name.writeEmpty(to: &writer) }
            writer.raw("</D:prop>")
            writer.element("D:status", status.line)
            if status == .forbidden {
                writer.raw("<D:error>")
                DAVCondition.cannotModifyProtectedProperty.write(to: &writer)
                writer.raw("</D:error>")
            }
            writer.raw("</D:propstat>")
        }
        writer.raw("</D:response></D:multistatus>")
        return response(.multiStatus, writer)
    }
}
