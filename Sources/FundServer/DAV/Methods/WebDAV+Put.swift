internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension WebDAV {
    /// RFC 4918 §9.7. Locks and conditions are checked before the bytes come and when all have come.
    func put(_ call: DAVCall) async throws -> Response {
        guard call.fields[.contentRange] == nil else {
            throw DAVError(.badRequest, "a file is put whole: Content-Range is not for PUT")
        }
        let found = try await resource(at: call.path, of: call.user)
        try await checkPut(found, call)
        try await library.requireRoom(for: call.request, of: call.user.id)
        let name = call.path.names.last ?? ""
        let upload = try await uploads.receive(
            call.request, call.context, named: name, contentType: MediaTypes.type(call.fields, name: name)
        ) { try await requireSender(of: call) }
        return try await changing(call, at: found) {
            let resource = try await resource(at: call.path, of: call.user)
            try await checkPut(resource, call)
            var target = FileTarget(resource.item?.name ?? name, in: try resource.place(), ifTaken: .replace)
            target.modifiedAt = DAVFields.modifiedAt(call.fields)
            // `changing` serialises changes over WebDAV; other interfaces may write between check and change.
            if call.isConditional { target.expected = resource.file.map { .file($0.id, $0.digest) } ?? .nothing }
            do {
                let file = try await library.addFile(upload, at: target, of: call.user.id)
                var headers: HTTPFields = [.eTag: file.digest.entityTag]
                if target.modifiedAt != nil { headers[.ocModified] = "accepted" }
                return Response(status: resource.isThere ? .noContent : .created, headers: headers)
            } catch let failure as StoreError where failure.code == .conflict {
                throw Self.conditionFailed
            }
        }
    }

    private func checkPut(_ resource: DAVResource, _ call: DAVCall) async throws {
        guard !resource.isCollection else {
            throw DAVError(
                .methodNotAllowed, "there is a folder",
                headers: [.allow: "OPTIONS, GET, HEAD, DELETE, PROPFIND, PROPPATCH, COPY, MOVE, LOCK, UNLOCK"])
        }
        _ = try resource.place()
        if resource.path.hasSlash { throw DAVError(.conflict, "the name of a file has no slash at its end") }
        if !resource.isThere { try Self.checkNewName(resource.path) }
        try await checkConditions(resource, call)
        try await checkLocks(on: resource, resource.isThere ? .itself : .membership, call)
    }

    /// Refuses names that clients on Windows cannot ask for: a backslash is a slash there, and some names lead to
    /// another file, which would be overwritten or deleted. Items that have such a name already stay reachable.
    static func checkNewName(_ path: DAVPath) throws {
        let name = path.names.last ?? ""
        guard !name.utf8.contains(UInt8(ascii: "\\")) else {
            throw DAVError(.badRequest, "a name cannot hold a backslash")
        }
        guard !WindowsName.leadsElsewhere(name) else {
            throw DAVError(
                .forbidden,
                "a name cannot end in a dot or a blank, nor be that of a device (CON, NUL, COM1): "
                    + "Windows takes it for another")
        }
    }
}
