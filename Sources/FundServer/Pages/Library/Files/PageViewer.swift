internal import FundCore

/// A file as pictures: the pages of a document one at a time, or a picture that browsers do not show by themselves.
struct PageViewer {
    enum Subject {
        case pages, picture
    }

    /// How large a page is shown, as the address says.
    private enum Zoom: String, CaseIterable {
        /// All of it.
        case page
        /// The page is as wide as there is room.
        case width
        /// The page is as large as it was made.
        case large
    }

    /// A bitmap above this many bytes takes a tablet longer to load than its preview.
    private static let maxBitmapBytes = 2_000_000
    private static let pageSize = RenditionKind.page.pixels ?? 0
    private static let largeSize = RenditionKind.large.pixels ?? 0

    private let file: FileEntry
    private let call: PageCall
    private let subject: Subject
    private let page: Int
    private let zoom: Zoom
    private let info: FileInfo?
    /// Why there are no pictures of it; nil when there are, or when they are being made.
    private(set) var failure: RenditionFailure?

    /// Nil for a file that is shown otherwise. Of what nothing is known yet, the page is waited for.
    init?(_ file: FileEntry, _ kind: FileKind, _ summary: PreviewSummary, _ call: PageCall) async throws {
        guard let subject = Self.subject(of: file, kind, summary.info) else { return nil }
        let query = try call.query()
        var (info, page) = (summary.info, try call.previewPage(query))
        if case .failed(let failure) = summary.state {
            self.failure = failure
        } else if info?.pageCount == nil, subject == .pages, let previews = call.parts.previews {
            let answer = try await previews.picture(
                .page, page: page, of: ServedContent(file), for: try call.userID)
            if case .failed(let failure) = answer, failure != .unsupported || page == 1 { self.failure = failure }
            info = await call.previews(of: [PreviewedFile(file)]).first?.info ?? info
        }
        if let count = info?.pageCount { page = min(page, max(count, 1)) }
        (self.file, self.call, self.subject, self.info) = (file, call, subject, info)
        self.page = subject == .pages ? page : 1
        zoom = query.word("zoom").flatMap(Zoom.init(rawValue:)) ?? .page
    }

    private static func subject(of file: FileEntry, _ kind: FileKind, _ info: FileInfo?) -> Subject? {
        guard let type = info?.type ?? kind.expected else { return nil }
        switch (type.family, type) {
        case (.pdf, _), (.office, _): return .pages
        case (.vector, _), (_, .heic), (_, .tiff): return .picture
        case (_, .bmp): return kind.viewer == nil || file.size > maxBitmapBytes ? .picture : nil
        // Sent under a type with which browsers do not show it.
        case (.picture, _): return kind.viewer == nil ? .picture : nil
        default: return nil
        }
    }

    // MARK: Showing it

    /// For the template `pageviewer`.
    var model: PageModel {
        let (words, count) = (call.words, subject == .pages ? info?.pageCount : nil)
        let base = FileBadge.address("/library/files/\(file.id)/preview", of: file.digest)
        let largest = subject == .pages ? Self.pageSize : Self.largeSize
        let size = zoom == .large ? largest : Self.pageSize
        var model: PageModel = [
            "source": "\(base)&size=\(size)&page=\(page)", "base": base, "largest": "\(largest)",
            "page": "\(page)", "zoom": zoom.rawValue, "hasKeys": PageKeys(of: call.request) == .on,
            "alternative": alternative, "here": path,
            "hasPages": subject == .pages && count != 1,
            "kept": kept(zoom: zoom).compactMap { name, value in
                value.map { ["fieldName": name, "fieldValue": $0] as PageModel }
            },
            "previousPage": address(page: max(page - 1, 1)), "isFirst": page == 1,
            "nextPage": address(page: page + 1), "isLast": count.map { page >= $0 } ?? false,
            "zooms": Zoom.allCases.map { zoom in
                [
                    "text": words("viewer.zoom.\(zoom.rawValue)"), "word": zoom.rawValue,
                    "address": address(page: page, zoom: zoom), "isChosen": zoom == self.zoom,
                ] as PageModel
            },
        ]
        if let count {
            model["count"] = "\(count)"
            model["ofAll"] = words("viewer.of", "\(count)")
        }
        if subject == .pages {
            let text = FileBadge.address("/library/files/\(file.id)/preview/text", of: file.digest)
            model["words"] = ["textBase": text, "textSource": "\(text)&page=\(page)"] as PageModel
        }
        model["proportions"] = proportions(largest: size)
        return model
    }

    private var alternative: String {
        subject == .pages ? call.words("viewer.page", "\(page)") : file.name
    }

    /// Proportions of the first page: the picture has its room before it comes.
    private func proportions(largest: Int) -> PageModel? {
        guard let width = info?.width, let height = info?.height, width > 0, height > 0 else { return nil }
        let scale = Double(largest) / Double(max(width, height))
        func scaled(_ length: Int) -> String { "\(max(Int((Double(length) * scale).rounded()), 1))" }
        return ["across": scaled(width), "down": scaled(height)]
    }

    private var path: String { "/library/files/\(file.id)" }

    private func address(page: Int, zoom: Zoom? = nil) -> String {
        path + PageQueryText.text([("page", "\(page)")] + kept(zoom: zoom ?? self.zoom))
    }

    /// The fields that all addresses of this page carry along: the list that led here, and the zoom.
    private func kept(zoom: Zoom) -> [(name: String, value: String?)] {
        let list = (try? call.query()).flatMap { try? BesideLinks.fields(of: $0) } ?? []
        return [("zoom", zoom == .page ? nil : zoom.rawValue)] + list
    }
}
