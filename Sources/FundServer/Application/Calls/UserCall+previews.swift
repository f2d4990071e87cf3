internal import FundHTTP
internal import FundCore
internal import Hummingbird
internal import Logging

extension UserCall {
    /// Number of the last page that a document may have.
    static var maxPreviewPage: Int64 { 100_000 }

    /// The state of the previews of these files, one for each in their order, by one question to the store. Empty where
    /// there are no previews, and when that fails: a list is shown all the same.
    func previews(of files: [PreviewedFile]) async -> [PreviewSummary] {
        guard let previews = parts.previews, !files.isEmpty else { return [] }
        do {
            let user = try userID
            return try await previews.source.summaries(
                of: files.map { PreviewedFile(digest: $0.digest, size: $0.size, for: user) })
        } catch {
            if !(error is CancellationError) { context.logger.error("previews of a list: \(error)") }
            return []
        }
    }

    /// The files among the items of a list, in their order.
    static func previewed(_ items: [LibraryItem]) -> [PreviewedFile] {
        items.compactMap { if case .file(let file) = $0 { PreviewedFile(file) } else { nil } }
    }

    /// The picture that the query asks for by `size`, `page` and `v`. Throws 400 for other values, 422 where there are
    /// no previews, and what `PreviewResponses.response` throws.
    func preview(of content: ServedContent) async throws -> Response {
        let (query, previews) = (try query(), try previewService)
        guard let kind = RenditionKind(pixels: Int(try query.number("size") ?? 480)) else {
            throw RequestError.invalid("size must be 480, 1600 or 2560")
        }
        let answer = try await previews.picture(kind, page: try previewPage(query), of: content, for: try userID)
        return try PreviewResponses.response(answer, "image/webp", of: content, version: query["v"], to: request)
    }

    /// The waveform of a sound as SVG, which the page of the file stretches.
    func previewWaveform(of content: ServedContent) async throws -> Response {
        var answer = try await previewService.waveform(of: content, for: try userID)
        if case .ready(var preview) = answer {
            guard let waveform = Waveform(peaks: preview.bytes) else { throw RenditionFailure.damaged.requestError }
            preview.bytes = waveform.drawing(width: Waveform.maxPeaks, height: 80, bars: Waveform.maxPeaks)
            // The digest is that of the drawing: another version may draw the same peaks in another way.
            preview.rendition.digest = .of(preview.bytes)
            answer = .ready(preview)
        }
        return try PreviewResponses.response(
            answer, "image/svg+xml", of: content, version: try query()["v"], to: request)
    }

    /// The words of the page that the query asks for, the same way.
    func previewText(of content: ServedContent) async throws -> Response {
        try response(withText: try await previewTextAnswer(of: content), of: content)
    }

    func previewTextAnswer(of content: ServedContent) async throws -> PreviewAnswer {
        let page = try previewPage(try query())
        return try await previewService.text(page: page, of: content, for: try userID)
    }

    func response(withText answer: PreviewAnswer, of content: ServedContent) throws -> Response {
        try PreviewResponses.response(
            answer, "text/plain; charset=utf-8", of: content, version: try query()["v"], to: request)
    }

    /// The rows or fields of a file, the same way.
    func previewFields(of content: ServedContent) async throws -> Response {
        try PreviewResponses.response(
            try await previewService.fields(of: content, for: try userID), "application/json; charset=utf-8",
            of: content,
            version: try query()["v"], to: request)
    }

    /// The number of a page that a query names, the first one by default.
    func previewPage(_ query: QueryText) throws -> Int {
        Int(try query.number("page", in: 1...Self.maxPreviewPage) ?? 1)
    }

    private var previewService: PreviewResponses {
        get throws {
            guard let previews = parts.previews else { throw RequestError.previewsOff }
            return previews
        }
    }
}
