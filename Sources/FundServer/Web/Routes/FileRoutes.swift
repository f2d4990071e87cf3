internal import HTTPTypes
internal import Hummingbird
internal import Ingest

extension WebAPI {
    static let fileRoutes: [WebRoute] = [
        .post("/v1/funds/{fund}/files") { call in
            let query = try call.query()
            guard let name = query["name"] else { throw RequestFailure.invalid("name is missing") }
            let folder = try query.number("folder", in: 1...Int64.max)
            let place = LibraryPlace(fund: try call.id("fund"), folder: folder)
            let conflict = try TakenName.conflict(query.word("if_taken"))
            let user = try call.userID
            // Before gigabytes are taken in for a place that is not there.
            _ = try await call.store.fund(place.fund, of: user)
            if let folder { _ = try await call.store.folder(folder, of: user) }
            let file = try await call.store.addFile(
                try await upload(call), named: name, in: place, ifTaken: conflict, of: user)
            return call.json(.created, headers: [.location: "/api/v1/files/\(file.id)"]) { $0.field(file) }
        },
        .get("/v1/files/{file}") { call in
            let file = try await call.store.file(try call.id("file"), of: try call.userID)
            return call.json(headers: [.eTag: ServedContent(file).entityTag]) { $0.field(file) }
        },
        .get("/v1/files/{file}/content") { call in
            try await content(try await call.parts.contents.file(try call.id("file"), of: try call.userID), call)
        },
        .put("/v1/files/{file}/content") { call in
            // Before gigabytes are taken in for nothing.
            _ = try await replaceable(call)
            let upload = try await upload(call)
            // It may have been changed, renamed or moved while they came.
            let old = try await replaceable(call)
            let file = try await call.store.addFile(
                upload, named: old.name, in: LibraryPlace(fund: old.fund, folder: old.folder), ifTaken: .replace,
                of: try call.userID)
            return call.json(headers: [.eTag: ServedContent(file).entityTag]) { $0.field(file) }
        },
        .patch("/v1/files/{file}") { call in
            let file = try await call.store.file(try call.id("file"), of: try call.userID)
            return try await move(.file(file.id), from: LibraryPlace(fund: file.fund, folder: file.folder), call)
        },
        .post("/v1/files/{file}/copy") { call in
            let file = try await call.store.file(try call.id("file"), of: try call.userID)
            return try await copy(.file(file.id), from: LibraryPlace(fund: file.fund, folder: file.folder), call)
        },
        .delete("/v1/files/{file}") { call in
            try await call.store.delete(.file(try call.id("file")), of: try call.userID)
            return call.noContent
        },
    ]

    /// The file of the path. Throws 412 when it is not what the request says it is.
    private static func replaceable(_ call: WebCall) async throws -> FileEntry {
        let file = try await call.store.file(try call.id("file"), of: try call.userID)
        let precondition = Precondition(
            call.request.headers, entityTag: ServedContent(file).entityTag, lastModified: nil, isReading: false)
        guard precondition == .proceed else {
            throw RequestFailure(.preconditionFailed, "precondition-failed", "it is not what it was")
        }
        return file
    }

    private static func upload(_ call: WebCall) async throws -> StagedUpload {
        // Only programs that mean it send this type: a form of another site cannot.
        let type = call.request.headers[.contentType] ?? ""
        let isForm = type.hasPrefix("multipart/") || type.hasPrefix("application/x-www-form-urlencoded")
        guard !type.isEmpty, !isForm else {
            throw RequestFailure(
                .unsupportedMediaType, "no-content-type", "send the bytes of the file as they are, with their type")
        }
        return try await call.parts.uploads.receive(call.request, contentType: type)
    }

    /// The bytes; with `disposition=inline` shown by a browser, if their type is harmless.
    static func content(_ content: ServedContent, _ call: WebCall) async throws -> Response {
        var content = content
        switch try call.query().word("disposition") {
        case nil, "attachment": break
        case "inline": content.isInline = true
        default: throw RequestFailure.invalid("disposition must be inline or attachment")
        }
        return try await call.parts.downloads.response(content, to: call.request)
    }
}
