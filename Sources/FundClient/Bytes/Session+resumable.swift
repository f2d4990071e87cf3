public import Foundation
internal import HTTPTypes

/// Uploads that go on where they were cut off: draft-ietf-httpbis-resumable-upload-12 (interop version 8).
extension Session: TransferServer {
    /// Begins an upload without any of its bytes, so that its address is known before they are sent.
    ///
    /// Throws `tooLarge`, `noSpaceOnServer`, `preconditionFailed`, and `busy` when too many are begun.
    /// - Parameters:
    ///   - size: of the whole, in bytes.
    ///   - modifiedAt: when the file was changed last; nil for when all of it is there.
    /// - Returns: its address on the server: a path.
    public func beginUpload(
        to target: Upload.Target, contentType: String, size: Int64, modifiedAt: Date? = nil
    ) async throws(ClientError) -> String {
        var call = creation(target).modified(at: modifiedAt)
        call.headers[.contentType] = contentType
        call.headers[.uploadComplete] = "?0"
        call.headers[.uploadLength] = "\(size)"
        call.body = .bytes([])
        // One that is begun twice is begun in vain once: the server sweeps it.
        call.isRepeatable = true
        let head = try await stream(call).head
        guard let address = head.headerFields[.location], address.hasPrefix("/") else {
            throw ClientError(.protocolViolation, "the server does not say where the upload goes on")
        }
        return address
    }

    private func creation(_ target: Upload.Target) -> Call {
        switch target {
        case .new(let name, let fund, let folder, let ifTaken):
            var call = Call(.post, "/api/v1/funds/\(fund)/files")
            call.query = [("name", name), ("if_taken", ifTaken.rawValue)]
            if let folder { call.query.append(("folder", "\(folder)")) }
            return call
        case .content(let file, let digest):
            return Call(.put, "/api/v1/files/\(file)/content").ifMatch(digest.map { EntityTag($0) })
        }
    }

    /// Standing of an upload. Throws `notFound` when the server does not know it (any more).
    public func standing(ofUpload address: String) async throws(ClientError) -> UploadStanding {
        let fields: HTTPFields
        let call = Call(.head, address, isRepeatable: true)
        do {
            fields = try await stream(call).head.headerFields
        } catch {
            // The answer to HEAD has no body that could say so.
            guard error.code == .notFound else { throw error }
            throw ClientError(.notFound, "the server does not know the upload", status: 404)
        }
        guard let offset = fields[.uploadOffset].flatMap({ Int64($0) }) else {
            throw foreignAnswer(to: call, "no standing of an upload")
        }
        return UploadStanding(offset: offset, isComplete: fields[.uploadComplete] == "?1")
    }

    /// Sends the rest of an upload, once: after a failure, ask for the standing. Where a proxy takes no body of that
    /// size, it goes in smaller ones.
    ///
    /// Throws `timedOut` also while the server is still busy with its end, as with a connection that is dead without a
    /// word: the standing tells which it was.
    public func finishUpload(
        _ address: String, from offset: Int64, size: Int64,
        pieces: @escaping @Sendable () -> AsyncThrowingStream<[UInt8], any Error>
    ) async throws(ClientError) -> File {
        var position = offset
        while true {
            let limit = pieceLimit.current
            do {
                guard position > offset || size - position > limit ?? .max else {
                    let body: RequestBody = size > offset ? .stream(length: size - offset, pieces) : .bytes([])
                    return try await value(append(to: address, at: offset, of: size, isLast: true, body))
                }
                let cut = PieceCutter(pieces(), skipping: position - offset)
                return try await finishUpload(address, from: position, size: size, by: limit ?? size, cut)
            } catch {
                guard error.code == .proxyLimit, pieceLimit.lower(below: min(limit ?? .max, size - position)) else {
                    throw error
                }
                position = try await standing(ofUpload: address).offset
                guard (offset...size).contains(position) else {
                    throw ClientError(.interrupted, "the server has another part of it by now")
                }
            }
        }
    }

    private func finishUpload(
        _ address: String, from offset: Int64, size: Int64, by limit: Int64, _ cut: PieceCutter
    ) async throws(ClientError) -> File {
        var (position, cut) = (offset, cut)
        while true {
            let bytes = try await cut.next(Int(min(limit, size - position)))
            let isLast = position + Int64(bytes.count) >= size
            guard isLast || !bytes.isEmpty else { throw ClientError(.interrupted, "the bytes ended early") }
            let call = append(to: address, at: position, of: size, isLast: isLast, .bytes(bytes))
            if isLast { return try await value(call) }
            try await done(call)
            position += Int64(bytes.count)
        }
    }

    private func append(
        to address: String, at offset: Int64, of size: Int64, isLast: Bool, _ body: RequestBody
    ) -> Call {
        var call = Call(.patch, address)
        call.headers[.contentType] = "application/partial-upload"
        call.headers[.uploadOffset] = "\(offset)"
        call.headers[.uploadComplete] = isLast ? "?1" : "?0"
        call.headers[.uploadLength] = "\(size)"
        call.body = body
        return call
    }

    /// The file of an upload that the server says is complete, as it is now. Throws `notFound` when it was deleted.
    public func result(ofUpload address: String) async throws(ClientError) -> File {
        let outcome: UploadOutcome = try await value(.get(address))
        guard let file = outcome.file else { throw ClientError(.notFound, "the file was deleted meanwhile") }
        return file
    }

    /// The file that an upload became, or what is left of the upload where it is not there.
    private struct UploadOutcome: Decodable {
        var file: File?

        private enum CodingKeys: String, CodingKey { case isComplete }

        init(from decoder: any Decoder) throws {
            let isUpload = try decoder.container(keyedBy: CodingKeys.self).contains(.isComplete)
            file = isUpload ? nil : try File(from: decoder)
        }
    }

    /// Removes a file that an upload made of wrong bytes; it goes to the trash.
    public func discard(_ file: File) async throws(ClientError) {
        try await delete(file.id)
    }

    /// Gives an upload up. Nothing happens when the server does not know it.
    public func dropUpload(_ address: String) async throws(ClientError) {
        do {
            try await deleted(Call(.delete, address, isRepeatable: true))
        } catch {
            guard error.code == .notFound else { throw error }
        }
    }
}

extension Session: ChangeFeed {}

extension HTTPField.Name {
    fileprivate static let uploadComplete = constant("Upload-Complete")
    fileprivate static let uploadOffset = constant("Upload-Offset")
    fileprivate static let uploadLength = constant("Upload-Length")

    private static func constant(_ name: String) -> HTTPField.Name {
        guard let field = HTTPField.Name(name) else { preconditionFailure("\(name) is no name of a field") }
        return field
    }
}
