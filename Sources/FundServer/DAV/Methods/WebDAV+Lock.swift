internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

extension WebDAV {
    /// RFC 4918 §9.10.
    func lock(_ call: DAVCall) async throws -> Response {
        let body = try await body(of: call, atMost: DAVCall.maxQueryBodyBytes)
        let timeout = LockTable.timeout(call.fields)
        return try await changing(call) {
            let resource = try await resource(at: call.path, of: call.user)
            guard let body else { return try await refresh(resource, timeout, call) }
            let request = try LockRequest(body)
            let depth = try DAVDepth(call.fields)
            guard depth != .one else { throw DAVError(.badRequest, "Depth must be 0 or infinity") }
            try await checkConditions(resource, call)
            guard resource.isThere else { return try await lockNew(resource, request, timeout, call) }
            let isDeep = depth == .infinity && resource.isCollection
            try await checkConflicts(resource, request, isDeep: isDeep, call)
            let lock = try locks.add(
                request, on: resource.chain, isDeep: isDeep, timeout: timeout, of: call.user.id)
            return answer(lock, .ok, resource)
        }
    }

    /// §7.3: locking a name that does not exist creates an empty file.
    private func lockNew(
        _ resource: DAVResource, _ request: LockRequest, _ timeout: Duration, _ call: DAVCall
    ) async throws -> Response {
        let place = try resource.place()
        let name = resource.path.names.last ?? ""
        try Self.checkNewName(resource.path)
        try await checkLocks(on: resource, .membership, call)
        // A deep lock above holds for the new file as well.
        let held = try await heldLocks(on: resource.chain, isMissing: !resource.isThere, for: call.user.id)
        try checkConflicts(held, request, resource)
        try locks.checkRoom(of: call.user.id, beside: held.count)
        let upload = try await uploads.receiveNothing(
            named: name, contentType: MediaTypes.type(named: name))
        let file = try await library.addFile(
            upload, at: FileTarget(name, in: place, ifTaken: .refuse), of: call.user.id)
        var made = resource
        made.items.append(.file(file))
        let lock = try locks.add(request, on: made.chain, isDeep: false, timeout: timeout, of: call.user.id)
        return answer(lock, .created, made)
    }

    /// Throws 423 or 207 for conflicting locks, and 507 when there are too many others.
    private func checkConflicts(
        _ resource: DAVResource, _ request: LockRequest, isDeep: Bool, _ call: DAVCall
    ) async throws {
        let held = try await heldLocks(on: resource.chain, for: call.user.id)
        try checkConflicts(held, request, resource)
        let below = isDeep ? try await locksBelow(resource, of: call.user) : []
        let conflicts = below.filter { request.isExclusive || $0.lock.isExclusive }
        guard conflicts.isEmpty else {
            throw MultiStatusError(places: conflicts.map { ($0.href, .locked) } + [(resource.href, .failedDependency)])
        }
        try locks.checkRoom(of: call.user.id, beside: held.count + below.count)
    }

    private func checkConflicts(_ held: [HeldLock], _ request: LockRequest, _ resource: DAVResource) throws {
        let conflicts = held.filter { request.isExclusive || $0.lock.isExclusive }
        guard conflicts.isEmpty else {
            throw DAVError(
                .locked, "there is a lock already",
                .noConflictingLock(conflicts.map { resource.href(atDepth: $0.depth) }))
        }
    }

    /// §9.10.2: the token stands in `If`; the request may name any resource in the scope of the lock.
    private func refresh(_ resource: DAVResource, _ timeout: Duration, _ call: DAVCall) async throws -> Response {
        guard call.conditions != nil else {
            throw DAVError(.badRequest, "a lock needs a body, and a refresh needs If with the lock's token")
        }
        try await checkConditions(resource, call)
        let held = try await heldLocks(on: resource.chain, for: call.user.id)
        guard let found = held.first(where: { $0.lock.yields(to: call.user.id, with: call.submittedTokens) }),
            let lock = locks.refresh(found.lock, timeout: timeout)
        else { throw DAVError(.preconditionFailed, "there is no such lock here", .lockTokenMatchesRequestURI) }
        return answer(lock, .ok, resource, isNew: false)
    }

    private func answer(
        _ lock: Lock, _ status: HTTPResponse.Status, _ resource: DAVResource, isNew: Bool = true
    ) -> Response {
        let depth = resource.chain.lastIndex(of: lock.root) ?? resource.items.count
        var writer = MarkupWriter()
        writer.raw("<D:prop xmlns:D=\"DAV:\"><D:lockdiscovery>")
        write(HeldLock(lock: lock, depth: depth), resource, to: &writer)
        writer.raw("</D:lockdiscovery></D:prop>")
        return .xml(status, writer, headers: isNew ? [.lockToken: "<\(lock.token)>"] : [:])
    }

    /// `activelock` (§14.1).
    func write(_ held: HeldLock, _ resource: DAVResource, to writer: inout MarkupWriter) {
        let lock = held.lock
        writer.raw("<D:activelock><D:locktype><D:write/></D:locktype><D:lockscope>")
        writer.raw(lock.isExclusive ? "<D:exclusive/>" : "<D:shared/>")
        writer.raw("</D:lockscope><D:depth>\(lock.isDeep ? "infinity" : "0")</D:depth>")
        if let owner = lock.owner { writer.raw(owner) }
        writer.raw("<D:timeout>Second-\(locks.remaining(lock))</D:timeout><D:locktoken><D:href>\(lock.token)</D:href>")
        writer.raw("</D:locktoken><D:lockroot><D:href>\(resource.href(atDepth: held.depth))</D:href></D:lockroot>")
        writer.raw("</D:activelock>")
    }

    /// RFC 4918 §9.11.
    func unlock(_ call: DAVCall) async throws -> Response {
        let token = try DAVFields.lockToken(call.fields)
        return try await changing(call) {
            let resource = try await existing(call)
            try await checkConditions(resource, call)
            let held = try await heldLocks(on: resource.chain, for: call.user.id)
            guard let found = held.first(where: { $0.lock.token == token }) else {
                throw DAVError(.conflict, "there is no such lock here", .lockTokenMatchesRequestURI)
            }
            guard found.lock.creator == call.user.id else {
                throw DAVError(.forbidden, "another member of the fund made the lock")
            }
            locks.remove([found.lock])
            return Response(status: .noContent)
        }
    }
}
