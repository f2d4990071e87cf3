internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension WebDAV {
    /// Bytes of all properties of one item. Clients keep dates and flags there.
    static let maxPropertyBytes = 64 * 1024
    static let maxProperties = 200
    /// The property by which rclone sets times, as for ownCloud and Nextcloud: seconds since 1970.
    private static let modifiedAt = MarkupName.dav("lastmodified")

    /// RFC 4918 §9.2: all changes or none.
    func proppatch(_ call: DAVCall) async throws -> Response {
        guard let body = try await body(of: call, atMost: DAVCall.maxBodyBytes) else {
            throw DAVError(.badRequest, "PROPPATCH needs a body")
        }
        let changes = try PropertyChange.changes(in: body)
        return try await changing(call) {
            let resource = try await existing(call)
            let conditions = try await checkConditions(resource, call)
            try await checkLocks(on: resource, .itself, call)
            let refused = try await guarded(call) {
                try await change(resource.item, changes, call, if: conditions.condition(on: resource))
            }
            return Self.answer(changes, refused, resource)
        }
    }

    /// The changes that are refused, with their status; when there is one, nothing was changed.
    private func change(
        _ item: LibraryItem?, _ changes: [PropertyChange], _ call: DAVCall, if condition: @escaping ItemCondition
    ) async throws -> [MarkupName: HTTPResponse.Status] {
        guard let item else { return Dictionary(changes.map { ($0.name, .forbidden) }) { first, _ in first } }
        var refused: [MarkupName: HTTPResponse.Status] = [:]
        var modifiedAt: Timestamp?
        for change in changes {
            switch (change.name, change, item) {
            case (Self.modifiedAt, .set(let element), .file):
                modifiedAt = DateText.time(since1970: element.text)
                if modifiedAt == nil { refused[change.name] = .conflict }
            case (WindowsProperty.modifiedAt, .set(let element), .file):
                modifiedAt = WindowsProperty.time(element)
                if modifiedAt == nil { refused[change.name] = .conflict }
            case (ChecksumProperty.name, .set(let element), .file(let file)):
                // rclone sets the value that it read before, together with the time.
                let known = try await checksums.checksums(of: [file])[file.digest]
                if !(known.map { ChecksumProperty.holds(element, $0) } ?? false) { refused[change.name] = .forbidden }
            case (Self.modifiedAt, _, _), (ChecksumProperty.name, _, _), (WindowsProperty.modifiedAt, _, .file):
                refused[change.name] = .forbidden
            default: if LiveProperty(change.name) != nil { refused[change.name] = .forbidden }
            }
        }
        guard refused.isEmpty else { return refused }
        let isFile = !item.isCollection
        let changes = changes.filter {
            ![Self.modifiedAt, ChecksumProperty.name].contains($0.name)
                && !(isFile && $0.name == WindowsProperty.modifiedAt)
        }
        var kept = try await library.properties(of: item.itemID, of: call.user.id)
        var net: [String: String?] = [:]
        var room = Self.maxPropertyBytes
        for change in changes {
            switch change {
            case .set(let element):
                // Each value includes the namespaces in scope, so values are not composed once the room is used up.
                let value = room >= 0 ? element.standalone : ""
                room -= value.utf8.count
                kept[element.name.key] = value
                net[element.name.key] = .some(value)
            case .remove(let name):
                kept[name.key] = nil
                net[name.key] = .some(nil)
            }
        }
        let bytes = kept.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard room >= 0, kept.count <= Self.maxProperties, bytes <= Self.maxPropertyBytes else {
            return Dictionary(changes.map { ($0.name, .insufficientStorage) }) { first, _ in first }
        }
        if !net.isEmpty || modifiedAt != nil {
            try await library.setProperties(
                net, modifiedAt: modifiedAt, of: item.itemID, if: condition, of: call.user.id)
        }
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
            if status == .forbidden { DAVCondition.cannotModifyProtectedProperty.write(to: &writer) }
            writer.raw("</D:propstat>")
        }
        writer.raw("</D:response></D:multistatus>")
        return .xml(.multiStatus, writer)
    }
}
