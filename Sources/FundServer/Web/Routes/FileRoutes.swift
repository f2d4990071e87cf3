internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension WebRoute {
    static let fileRoutes: [WebRoute] = [
        .post("/v1/funds/{fund}/files") { call in
            let query = try call.query()
            guard let name = query["name"] else { throw RequestError.invalid("name is missing") }
            let folder: FolderEntry.ID? = try query.id("folder")
            let place = LibraryPlace(fund: try call.id("fund"), folder: folder)
            let conflict = try NameConflict(query)
            let user = try call.userID
            // Checked before gigabytes are received for a place that does not exist.
            _ = try await call.library.fund(place.fund, of: user)
            if let folder { _ = try await call.library.folder(folder, of: user) }
            var target = FileTarget(name, in: place, ifTaken: conflict)
            target.modifiedAt = try query.modificationTime()
            if let response = try await call.resumable.begin(
                .file(target), contentType: try contentType(call), modifiedAt: target.modifiedAt)
            {
                return response
            }
            return try call.created(
                try await call.library.addFile(try await upload(call), at: target, of: user))
        }.uploading,
        .get("/v1/files/{file}") { call in
            let file = try await call.library.file(try call.id("file"), of: try call.userID)
            let preview = await call.previews(of: [PreviewedFile(file)]).first
            return try call.representation(of: .item(.file(file))) { $0.field(preview, of: file.id) }
        },
        .get("/v1/files/{file}/neighbours") { call in
            let order = try ItemOrder(try call.query())
            let found = try await call.library.neighbours(
                of: try call.id("file"), by: order, matching: FileFilter(), of: try call.userID)
            return call.json { $0.field(found) { $0.field($1) } }
        },
        .get("/v1/files/{file}/provenance") { call in
            let found = try await call.library.provenance(of: try call.id("file"), of: try call.userID)
            return call.json { $0.field(found) }
        },
        .get("/v1/files/{file}/content") { call in
            try await content(try await call.fileContent(), call)
        }.streamed,
        .get("/v1/files/{file}/preview") { call in
            try await call.preview(of: try await call.fileContent())
        },
        .get("/v1/files/{file}/preview/text") { call in
            try await call.previewText(of: try await call.fileContent())
        },
        .get("/v1/files/{file}/preview/fields") { call in
            try await call.previewFields(of: try await call.fileContent())
        },
        .put("/v1/files/{file}/content") { call in
            let (id, user): (FileEntry.ID, User.ID) = (try call.id("file"), try call.userID)
            let present = try await fileToReplace(id, call)
            let digest = Precondition.namesContent(call.request.headers) ? present.digest : nil
            let modifiedAt = try call.query().modificationTime()
            if let response = try await call.resumable.begin(
                .content(of: id, ifStill: digest), contentType: try contentType(call), modifiedAt: modifiedAt)
            {
                return response
            }
            let upload = try await upload(call)
            // Checked again: while the bytes came the file may have been renamed, moved or changed.
            let file = try await fileToReplace(id, call)
            var target = FileTarget(
                file.name, in: LibraryPlace(fund: file.fund, folder: file.folder), ifTaken: .replace)
            target.modifiedAt = modifiedAt
            let isConditional = Precondition.isAsked(by: call.request.headers)
            target.expected = .file(id, isConditional ? file.digest : nil)
            do {
                return call.replaced(try await call.library.addFile(upload, at: target, of: user))
            } catch let failure as StoreError where failure.code == .conflict && isConditional {
                throw RequestError.preconditionFailed
            }
        }.conditional.uploading,
        .patch("/v1/files/{file}") { call in try await move(.file(try call.id("file")), call) }.conditional,
        .post("/v1/files/{file}/copy") { call in try await copy(.file(try call.id("file")), call) },
        .act(.delete, "/v1/files/{file}") { call in try await delete(.file(try call.id("file")), call) }.conditional,
    ]

    /// Throws 404, and 412 when the conditions of the request do not hold for the file.
    private static func fileToReplace(_ id: FileEntry.ID, _ call: WebCall) async throws -> FileEntry {
        let file = try await call.library.file(id, of: try call.userID)
        let precondition = Precondition(
            call.request.headers, entityTag: file.digest.entityTag, modifiedAt: file.modifiedAt)
        guard precondition == .proceed else { throw RequestError.preconditionFailed }
        return file
    }

    /// Media type of an upload. Throws 400 and 415 for a body that is none.
    private static func contentType(_ call: WebCall) throws -> String {
        // RFC 9110 §14.5: a part must not be taken for the whole.
        guard call.request.headers[.contentRange] == nil else {
            throw RequestError.invalid("a file is sent whole: Content-Range is not for uploads")
        }
        // A form of another site can send only the form types, which are refused.
        let type = (call.request.headers[.contentType] ?? "").lowercased()
        let isForm = type.hasPrefix("multipart/") || type.hasPrefix("application/x-www-form-urlencoded")
        guard !type.isEmpty, !isForm else {
            throw RequestError(
                .unsupportedMediaType, "no-content-type", "send the bytes of the file as they are, with their type")
        }
        return MediaTypes.declared(call.request.headers)
    }

    private static func upload(_ call: WebCall) async throws -> StagedUpload {
        try await call.library.requireRoom(for: call.request, of: try call.userID)
        return try await call.parts.uploads.receive(
            call.request, call.context, named: try call.query()["name"] ?? "", contentType: try contentType(call)
        ) {
            _ = try await call.authenticate()
        }
    }

    /// Sends the content; with `disposition=inline` for display in a browser, if its type allows it.
    static func content(_ content: ServedContent, _ call: WebCall) async throws -> Response {
        var content = content
        switch try call.query().word("disposition") {
        case nil, "attachment": break
        case "inline": content.isInline = true
        default: throw RequestError.invalid("disposition must be inline or attachment")
        }
        return try await call.download(content)
    }
}
