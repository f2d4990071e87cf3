internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// Uploads that can be resumed (draft-ietf-httpbis-resumable-upload-12), of programs and of pages.
struct ResumableUploadCalls: Sendable {
    let call: any UserCall
    /// The path below which they have their addresses.
    let root: String
    /// Makes the answer to one that became a file.
    let answer: @Sendable (UploadGoal, FileEntry) throws -> Response

    private var intake: ResumableIntake { call.parts.resumable }
    private var library: any FileLibrary { call.library }

    /// Begins an upload where the request asks for one that can be resumed; nil where it is a plain one. One that holds
    /// everything needs it only for clients that can be told of it before the end. Throws 429 when the user has too
    /// many that are not complete, 413, and what a plain upload throws.
    /// - Parameter modifiedAt: the time that the file gets; nil for when it is complete.
    func begin(_ goal: UploadGoal, contentType: String, modifiedAt: Timestamp?) async throws -> Response? {
        let fields = try UploadFields(call.request.headers)
        guard let isComplete = fields.isComplete, !isComplete || canTell(fields) else { return nil }
        let length = try fields.wholeLength(from: 0)
        try checkLength(length ?? fields.contentLength)
        let order = UploadOrder(goal, contentType: contentType, length: length, modifiedAt: modifiedAt)
        let upload: any OpenUpload
        do {
            upload = try await library.beginUpload(order, of: try call.userID)
        } catch let failure as StoreError where failure.code == .tooMany { throw UploadProblem.tooMany }
        return try await intake.table.withAccess(to: upload.key) { access in
            access.keep(upload)
            if canTell(fields) {
                call.context.tell([.location: address(upload.key), .uploadLimit: intake.limitField()])
            }
            return try await take(fields, length: length, into: upload, for: goal, access, isNew: true)
        }
    }

    /// How far the upload of the path is; a complete one is the file. Throws 404.
    func progress() async throws -> Response {
        try await withUpload { access in
            let user = try call.userID
            let progress = try await library.uploadProgress(access.key, open: access.upload, of: user)
            let headers = fields(of: progress)
            // It may be deleted since.
            if let id = progress.file, let file = try? await library.file(id, of: user) {
                return call.json(headers: headers) { $0.field(file) }
            }
            return call.json(headers: headers) { write(progress, to: &$0) }
        }
    }

    /// Takes more of the upload of the path. Throws 404, 409 for another offset, 415 and 400 for what is no such
    /// request, and what a plain upload throws when this ends it.
    func append() async throws -> Response {
        let type = MediaTypes.declared(call.request.headers).prefix { $0 != ";" }
        guard type.lowercased() == UploadFields.contentType else { throw UploadProblem.wrongType }
        let fields = try UploadFields(call.request.headers)
        guard let offset = fields.offset, let isComplete = fields.isComplete else {
            throw RequestError.invalid("Upload-Offset and Upload-Complete are needed")
        }
        return try await withUpload { access in
            let user = try call.userID
            let progress = try await library.uploadProgress(access.key, open: access.upload, of: user)
            if let id = progress.file {
                // Asked again for what it became: its answer was lost.
                guard offset == progress.offset else {
                    throw UploadProblem.mismatchingOffset(offset, expected: progress.offset, isComplete: true)
                }
                guard isComplete, !fields.announcesBytes else { throw UploadProblem.completed }
                return try completed(progress.goal, try await library.file(id, of: user))
            }
            guard offset == progress.offset else {
                throw UploadProblem.mismatchingOffset(offset, expected: progress.offset, isComplete: false)
            }
            let length = try fields.wholeLength(from: offset, known: progress.length)
            try checkLength(length ?? fields.contentLength.map { offset + $0 })
            var upload = access.upload
            if upload == nil { upload = try await library.resumeUpload(access.key, of: user) }
            guard let upload else { throw RequestError.notFound }
            access.keep(upload)
            return try await take(fields, length: length, into: upload, for: progress.goal, access, isNew: false)
        }
    }

    /// Gives the upload of the path up, and says whether a file came of it before. Throws 404.
    func remove() async throws -> Response {
        try await withUpload { access in
            let user = try call.userID
            let progress = try await library.uploadProgress(access.key, open: access.upload, of: user)
            try await remove(access)
            return Response(status: .noContent, headers: standing(of: progress))
        }
    }

    /// Whether its client can be told of the upload before the end. Not over HTTP/2, where NIOHTTP2 may end the
    /// connection at the response that follows (`BadStreamStateTransition` from `halfClosedRemoteLocalIdle`).
    private func canTell(_ fields: UploadFields) -> Bool { fields.knowsDraft && !call.context.isMultiplexed }

    /// Throws 413 for a whole that is too large.
    private func checkLength(_ length: Int64?) throws {
        guard let length, length > call.parts.limits.maxUploadBytes else { return }
        var error = RequestError.tooLarge
        error.headers[.uploadLimit] = intake.limitField()
        throw error
    }

    private func address(_ key: UploadKey) -> String { "\(root)/\(key)" }

    // MARK: Bytes

    /// Runs `body` with the upload of the path, when no other request has it. Throws 404 for what is not the user's.
    private func withUpload(_ body: (UploadAccess) async throws -> Response) async throws -> Response {
        guard let key = call.context.parameters.get("upload").flatMap({ UploadKey($0) }) else {
            throw RequestError.notFound
        }
        // Only its user ends what another request does with it.
        try await library.checkUpload(key, of: try call.userID)
        return try await intake.table.withAccess(to: key, body)
    }

    /// Takes the body of the request, and makes a file of the upload when that is the end of it.
    private func take(
        _ fields: UploadFields, length: Int64?, into upload: any OpenUpload, for goal: UploadGoal,
        _ access: UploadAccess, isNew: Bool
    ) async throws -> Response {
        do {
            if let length { try await intake.run { try upload.noteLength(length) } }
            try await intake.receive(call.request, call.context, fields, into: upload, access, length: length) {
                _ = try await call.authenticate()
            }
            guard fields.isComplete == true else { return try await incomplete(upload, access, isNew: isNew) }
            let offset = upload.offset
            guard length ?? offset == offset else { throw UploadProblem.inconsistentLength }
            try await intake.run { try upload.noteLength(offset) }
        } catch let failure as RequestError where failure.code == UploadProblem.inconsistentLength.code {
            // More came than the whole has: its client does not know what it sends (§4.4.2 of the draft).
            if let length, upload.offset >= length { try? await remove(access) }
            throw failure
        }
        let file: FileEntry
        do {
            file = try await library.completeUpload(upload, of: try call.userID)
        } catch let failure as StoreError {
            throw await requestError(failure, access)
        }
        access.keep(nil)
        return try completed(goal, file)
    }

    private func incomplete(_ upload: any OpenUpload, _ access: UploadAccess, isNew: Bool) async throws -> Response {
        let progress = try await library.uploadProgress(access.key, open: upload, of: try call.userID)
        var headers = fields(of: progress)
        guard isNew else { return Response(status: .noContent, headers: headers) }
        headers[.location] = address(access.key)
        return call.json(.created, headers: headers) { write(progress, to: &$0) }
    }

    /// Why no file came of an upload whose bytes are all there. Where only the store is at fault, it is not complete:
    /// the client goes on later. Else nothing can come of it any more.
    private func requestError(_ failure: StoreError, _ access: UploadAccess) async -> RequestError {
        var error = failure.requestError
        let isFinal = error.status.kind != .serverError
        error.headers[.uploadComplete] = isFinal ? "?1" : "?0"
        if isFinal { try? await remove(access) }
        // An error of the disk leaves open how much was written, and one of the line to the rows whether the log has
        // it: opening the upload again finds out.
        if failure.isOne(of: .io, .stale, .uncertain) { access.keep(nil) }
        return error
    }

    private func remove(_ access: UploadAccess) async throws {
        try await library.removeUpload(access.key, open: access.upload, of: try call.userID)
        access.keep(nil)
    }

    // MARK: Answers

    private func completed(_ goal: UploadGoal, _ file: FileEntry) throws -> Response {
        var response = try answer(goal, file)
        response.headers[.uploadComplete] = "?1"
        return response
    }

    private func fields(of progress: UploadProgress) -> HTTPFields {
        let remaining = progress.endsAt - call.parts.authenticator.now()
        var headers = standing(of: progress)
        headers[.uploadLimit] = intake.limitField(endsIn: remaining)
        headers[.cacheControl] = "no-store"
        if let length = progress.length { headers[.uploadLength] = "\(length)" }
        return headers
    }

    private func standing(of progress: UploadProgress) -> HTTPFields {
        var headers: HTTPFields = [
            .uploadOffset: "\(progress.offset)", .uploadComplete: progress.file == nil ? "?0" : "?1",
        ]
        if let file = progress.file { headers[.contentLocation] = "/api/v1/files/\(file)" }
        return headers
    }

    private func write(_ progress: UploadProgress, to json: inout JSONWriter) {
        json.field("address", address(progress.key))
        json.field("offset", progress.offset)
        json.field("length", progress.length)
        json.field("is_complete", progress.file != nil)
    }
}
