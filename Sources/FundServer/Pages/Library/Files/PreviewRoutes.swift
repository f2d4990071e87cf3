internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// The bytes of files, and pictures and words of them for the pages that show them.
    static let previewRoutes: [PageRoute] =
        contentRoutes(below: "/library/files/{file}") { try await $0.fileContent() }
        + contentRoutes(below: "/library/trash/files/{file}") { try await $0.deletedFileContent() }
        + contentRoutes(below: "\(archivePath)/files/{file}") { try await $0.archivedFileContent() }
        + [
            .get("/library/attachments/{attachment}/preview") { call in
                try await call.preview(of: try await call.attachmentContent())
            }
        ]

    private static func contentRoutes(
        below path: String, _ content: @escaping @Sendable (PageCall) async throws -> ServedContent
    ) -> [PageRoute] {
        [
            .get("\(path)/content") { call in
                var content = try await content(call)
                content.isInline = try call.query().flag("inline")
                return try await call.download(content)
            }.streamed,
            .get("\(path)/preview") { call in try await call.preview(of: try await content(call)) },
            .get("\(path)/preview/waveform") { call in try await call.previewWaveform(of: try await content(call)) },
            .get("\(path)/preview/text") { call in
                let content = try await content(call)
                guard call.request.headers[.secFetchDest] == "iframe" else {
                    return try await call.previewText(of: content)
                }
                return try await PreviewTextFrame(call: call).response(content)
            },
        ]
    }
}

/// The words of a page in a frame: what keeps them away is said there in words, too.
struct PreviewTextFrame {
    /// Nothing is loaded. Unlike a frame with words of a file it is no sandbox, in which browsers do not load again.
    private static let policy = "default-src 'none'; frame-ancestors 'self'"
    /// Seconds until the frame loads itself again.
    private static let pause = "2"

    let call: PageCall

    func response(_ content: ServedContent) async throws -> Response {
        do {
            let answer = try await call.previewTextAnswer(of: content)
            switch answer {
            case .making, .full: return notice(call.words("viewer.making"), headers: [.refresh: Self.pause])
            case .ready(let preview) where preview.bytes.allSatisfy(ASCII.isSpace):
                return notice(call.words("viewer.wordless"))
            case .ready, .failed: return try call.response(withText: answer, of: content)
            }
        } catch let failure as RequestError where failure.reason != nil {
            return notice(call.words.sentence(failure))
        }
    }

    private func notice(_ text: String, headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.contentSecurityPolicy] = Self.policy
        return Response(
            .ok, "text/plain; charset=utf-8", ByteBuffer(string: text), headers: headers)
    }
}

extension HTTPField.Name {
    static let refresh = constant("Refresh")
}
