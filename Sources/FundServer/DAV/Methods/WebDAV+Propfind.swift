internal import HTTPTypes
internal import Hummingbird
internal import FundCore

extension WebDAV {
    /// RFC 4918 §9.1. Depth infinity is refused, as the RFC allows: a fund may hold a hundred thousand files.
    func propfind(_ call: DAVCall) async throws -> Response {
        let depth = try DAVDepth(call.fields)
        var plan = PropertyPlan(
            try PropfindRequest(try await body(of: call, atMost: DAVCall.maxQueryBodyBytes)))
        let resource = try await existing(call)
        guard depth != .infinity || !resource.isCollection else {
            throw DAVError(.forbidden, "Depth must be 0 or 1", .propfindFiniteDepth)
        }
        try await checkConditions(resource, call)
        if plan.needsStorageUse { plan.storageUse = try await storageUse(of: call.user) }
        let held = try await heldLocks(on: resource.chain, for: call.user.id)
        var dead: [LibraryItemID: [String: String]] = [:]
        if plan.needsDeadProperties, let item = resource.item {
            dead = try await deadProperties(of: [item], plan, call.user)
        }
        var writer = MarkupWriter()
        writer.raw("<D:multistatus xmlns:D=\"DAV:\">")
        plan.write(
            resource.item, href: resource.href, dead: resource.item.flatMap { dead[$0.itemID] } ?? [:],
            locks: markup(of: held, resource), to: &writer)
        guard depth == .one, resource.isCollection else {
            writer.raw("</D:multistatus>")
            return .xml(.multiStatus, writer, headers: [.contentLocation: resource.href])
        }
        var members = try await MemberListing(self, resource, plan, held, call)
        return try await members.response(after: writer)
    }

    private func storageUse(of user: User) async throws -> StorageUse {
        try await quotas.value(of: user.id) { [library] in try await library.storageUse(of: user.id) }
    }

    /// The `activelock` elements. Only a move by another interface exceeds `maxLocksOnResource`.
    func markup(of held: [HeldLock], _ resource: DAVResource) -> MarkupWriter {
        var writer = MarkupWriter(declaring: false)
        for lock in held.prefix(LockTable.maxLocksOnResource) { write(lock, resource, to: &writer) }
        return writer
    }

    // MARK: Dead properties

    /// The stored properties of items, and the computed ones that are asked for by name. Values that are not valid XML
    /// are left out: one of them would make the whole response unreadable.
    func deadProperties(
        of items: [LibraryItem], having: Set<LibraryItemID>? = nil, _ plan: PropertyPlan, _ user: User
    ) async throws -> [LibraryItemID: [String: String]] {
        let ids = items.map(\.itemID).filter { having?.contains($0) ?? true }
        var found = try await library.properties(of: ids, of: user.id).mapValues { properties in
            properties.filter { MarkupReader.reads($0.value) }
        }
        for case .file(let file) in items {
            let time = plan.needsWindowsTimes ? WindowsProperty.markup(file.modifiedAt) : nil
            if time != nil || found[.file(file.id)] != nil {
                found[.file(file.id), default: [:]][WindowsProperty.modifiedAt.key] = time
            }
        }
        if plan.needsChecksums { try await addChecksums(of: items, to: &found) }
        return found
    }

    /// Adds the checksums of files to their dead properties.
    private func addChecksums(
        of items: [LibraryItem], to properties: inout [LibraryItemID: [String: String]]
    ) async throws {
        let files = items.compactMap(\.file)
        let known = try await checksums.checksums(of: files)
        for file in files {
            guard let checksums = known[file.digest] else { continue }
            properties[.file(file.id), default: [:]][ChecksumProperty.name.key] = ChecksumProperty.markup(checksums)
        }
    }
}

extension MarkupReader {
    /// Whether a stored element is valid. `MarkupElement.standalone` wrote those in ASCII, which are valid; others may
    /// hold names that were accepted formerly.
    fileprivate static func reads(_ markup: String) -> Bool {
        markup.utf8.allSatisfy { $0 < 0x80 } || (try? read(Array(markup.utf8))) != nil
    }
}
