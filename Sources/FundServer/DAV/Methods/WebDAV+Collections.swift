internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

extension WebDAV {
    /// RFC 4918 §9.6. Deleted items go to the trash.
    func delete(_ call: DAVCall) async throws -> Response {
        let depth = try DAVDepth(call.fields)
        return try await changing(call) {
            let resource = try await existing(call)
            // §9.6.1 is about collections; `Depth` has no meaning for a file.
            guard depth == .infinity || !resource.isCollection else {
                throw DAVError(.badRequest, "a folder is deleted with all that is in it: Depth must be infinity")
            }
            guard let item = resource.item else { throw DAVError(.forbidden, "the root cannot be deleted") }
            let conditions = try await checkConditions(resource, call)
            try await checkLocks(on: resource, .all, call)
            let gone = try await locksOf(resource, of: call.user)
            try await guarded(call) {
                try await library.delete(item.itemID, if: conditions.condition(on: resource), of: call.user.id)
            }
            locks.remove(gone)
            return Response(status: .noContent)
        }
    }

    /// RFC 4918 §9.3: a fund at the top, a folder elsewhere.
    func makeCollection(_ call: DAVCall) async throws -> Response {
        for try await part in call.request.body where part.readableBytes > 0 {
            throw DAVError(.unsupportedMediaType, "MKCOL takes no body")
        }
        try await requireSender(of: call)
        return try await changing(call) {
            let resource = try await resource(at: call.path, of: call.user)
            guard !resource.isThere else {
                throw DAVError(
                    .methodNotAllowed, "it is there already",
                    headers: [.allow: Self.methods.filter { $0 != .mkcol }.map(\.rawValue).joined(separator: ", ")])
            }
            try Self.checkNewName(resource.path)
            let name = resource.path.names.last ?? ""
            let place = resource.path.names.count == 1 ? nil : try resource.place()
            try await checkConditions(resource, call)
            try await checkLocks(on: resource, .membership, call)
            if let place {
                _ = try await library.addFolder(name, in: place, of: call.user.id)
                return Response(status: .created)
            }
            return .created(try await library.addFund(name, of: call.user.id))
        }
    }
}

extension Response {
    /// The answer to what gave a fund its name. RFC 9110 §15.3.2 allows it words, and this interface has no other place
    /// for them: they say whose former name it was, since mail with it is filed in this fund from now on.
    static func created(_ fund: FundEntry?, headers: HTTPFields = [:]) -> Response {
        guard let fund, let former = fund.tookNameFrom else { return Response(status: .created, headers: headers) }
        let text = "mail with [\(fund.name)] found the fund \(former) until now, which was called so before\n"
        return Response(.created, "text/plain; charset=utf-8", ByteBuffer(string: text), headers: headers)
    }
}
