internal import Hummingbird
internal import FundCore

/// Uploads that can be resumed, see `ResumableUploadCalls`.
extension WebRoute {
    static let uploadRoutes: [WebRoute] = [
        // HEAD, which the draft has, is the same without the body.
        .get("/v1/uploads/{upload}") { call in try await call.resumable.progress() },
        .patch("/v1/uploads/{upload}") { call in try await call.resumable.append() }.uploading,
        .delete("/v1/uploads/{upload}") { call in try await call.resumable.remove() },
    ]
}

extension WebCall {
    var resumable: ResumableUploadCalls {
        ResumableUploadCalls(call: self, root: "/api/v1/uploads") { goal, file in
            switch goal {
            case .file: try created(file)
            case .content: replaced(file)
            }
        }
    }

    /// The answer to an upload that became a file.
    func created(_ file: FileEntry) throws -> Response {
        try representation(.created, headers: [.location: "/api/v1/files/\(file.id)"], of: .item(.file(file)))
    }

    /// The answer to an upload that became the content of a file: the tag is that of the content, which was put.
    func replaced(_ file: FileEntry) -> Response {
        json(headers: [.eTag: file.digest.entityTag]) { $0.field(file) }
    }
}
