internal import FundHTTP
internal import FundCore
internal import Hummingbird

/// Previews of contents for the web API and the pages. Access was checked before.
struct PreviewResponses: Sendable {
    /// How long a request waits for what is being made.
    static let longestWait = Duration.milliseconds(800)
    private static let retryAfter = "1"
    private static let lasting = "private, max-age=31536000, immutable"
    private static let revalidated = "private, no-cache"

    let source: any PreviewSource

    func picture(
        _ kind: RenditionKind, page: Int, of content: ServedContent, for user: User.ID
    ) async throws -> PreviewAnswer {
        try await source.picture(
            kind, page: page, of: PreviewedFile(content, for: user), waitingAtMost: Self.longestWait)
    }

    func text(page: Int, of content: ServedContent, for user: User.ID) async throws -> PreviewAnswer {
        try await source.text(page: page, of: PreviewedFile(content, for: user), waitingAtMost: Self.longestWait)
    }

    /// The peaks of a sound.
    func waveform(of content: ServedContent, for user: User.ID) async throws -> PreviewAnswer {
        try await source.waveform(of: PreviewedFile(content, for: user), waitingAtMost: Self.longestWait)
    }

    /// The JSON of the `FileFields` of a file, within `FileFields.maxBytes`. Throws what the source throws.
    func fields(of content: ServedContent, for user: User.ID) async throws -> PreviewAnswer {
        try await source.fields(of: PreviewedFile(content, for: user), waitingAtMost: Self.longestWait)
    }

    /// 200 and 304 with what is ready, 202 for what is being made. Throws `RequestError` for what cannot be made, and
    /// 503 when too much is asked for.
    /// - Parameter version: from the client, see `PreviewVersion`.
    static func response(
        _ answer: PreviewAnswer, _ type: String, of content: ServedContent, version: String?, to request: Request
    ) throws -> Response {
        switch answer {
        case .ready(let preview):
            var fields: HTTPFields = [
                .contentType: type, .eTag: preview.rendition.digest.entityTag,
                .cacheControl: PreviewVersion.isOf(content.digest, version) ? lasting : revalidated,
                .xContentTypeOptions: "nosniff", .contentSecurityPolicy: ContentHeaders.policy,
            ]
            switch Precondition(
                request.headers, entityTag: fields[.eTag], modifiedAt: nil, isReading: true)
            {
            case .proceed:
                let body = ByteBuffer(bytes: preview.bytes)
                return Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: body))
            case .failed: throw RequestError.preconditionFailed
            case .notModified:
                fields[.contentType] = nil
                return Response(status: .notModified, headers: fields)
            }
        case .making(let ahead):
            var json = JSONWriter()
            json.object {
                $0.field("state", "making")
                $0.field("ahead", ahead)
            }
            return Response(
                .accepted, "application/json; charset=utf-8", ByteBuffer(bytes: json.bytes),
                headers: [.retryAfter: retryAfter])
        case .failed(let failure): throw failure.requestError
        case .full: throw RequestError.busy
        }
    }
}

extension PreviewedFile {
    init(_ content: ServedContent, for user: User.ID) {
        self.init(digest: content.digest, size: content.size, for: user)
    }

    init(_ file: FileEntry) { self.init(digest: file.digest, size: file.size) }

    init(_ attachment: AttachmentEntry) { self.init(digest: attachment.digest, size: attachment.size) }
}
