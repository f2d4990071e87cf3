internal import FundCore

/// A file as pictures: the pages of a document one below the other, or a picture that browsers do not show by
/// themselves. A long document is shown in sections, which a page's script joins.
struct PageViewer {
    enum Subject {
        case pages, picture
    }

    /// How large a page is shown, as the address says; from the smallest to the largest.
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
    /// Pages of one section.
    private static let sectionPages = 50
    private static let pageSize = RenditionKind.page.pixels ?? 0
    private static let largeSize = RenditionKind.large.pixels ?? 0

    private let file: FileEntry
    private let list: ShownList
    private let call: PageCall
    private let subject: Subject
    private let page: Int
    private let zoom: Zoom
    private let info: FileInfo?
    /// Why there are no pictures of it; nil when there are, or when they are being made.
    private(set) var failure: RenditionFailure?

    /// Nil for a file that is shown otherwise. Of what nothing is known yet, the page is waited for: without scripts it
    /// would have to be loaded again.
    init?(
        _ file: FileEntry, _ kind: FileKind, _ summary: PreviewSummary, in list: ShownList, _ call: PageCall
    ) async throws {
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
        (self.file, self.list, self.call, self.subject, self.info) = (file, list, call, subject, info)
        self.page = subject == .pages ? page : 1
        zoom = query.word("zoom").flatMap(Zoom.init(rawValue:)) ?? .width
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

    /// For the templates `pageviewer` and `pageturner`.
    var model: PageModel {
        let (words, count) = (call.words, subject == .pages ? info?.pageCount : 1)
        let base = FileBadge.address("\(list.contents(of: file.id))/preview", of: file.digest)
        let largest = subject == .pages ? Self.pageSize : Self.largeSize
        let size = zoom == .large ? largest : Self.pageSize
        let proportions = proportions(largest: size)
        // One whose pages are not counted yet shows the page that is asked for.
        let first = count == nil ? page : (page - 1) / Self.sectionPages * Self.sectionPages + 1
        let last = min(first + Self.sectionPages - 1, count ?? page)
        let index = Zoom.allCases.firstIndex(of: zoom) ?? 0
        var model: PageModel = [
            "base": base, "largest": "\(largest)", "page": "\(page)", "zoom": zoom.rawValue,
            "isCounted": count != nil, "count": count.map { "\($0)" } ?? "",
            "hasPages": count.map { $0 > 1 } ?? false, "turnPath": list.path,
            "kept": (list.fields(of: .file(file.id)) + [zoomField(zoom)]).compactMap { name, value in
                value.map { ["fieldName": name, "fieldValue": $0] as PageModel }
            },
            "ofAll": count.map { words("viewer.of", "\($0)") } ?? "",
            "leaves": (first...max(first, last)).map { number in
                [
                    "number": "\(number)", "source": "\(base)&size=\(size)&page=\(number)",
                    "alternative": subject == .pages ? words("viewer.page", "\(number)") : file.name,
                    "isFirst": number == page, "proportions": proportions.orAbsent,
                ] as PageModel
            },
            "earlier": first > 1 ? .text(address(page: first - 1)) : PageValue.flag(false),
            "later": count.map { last < $0 } ?? false ? .text(address(page: last + 1)) : PageValue.flag(false),
            "smaller": index > 0 ? .text(address(page: page, Zoom.allCases[index - 1])) : PageValue.flag(false),
            "larger": index + 1 < Zoom.allCases.count
                ? .text(address(page: page, Zoom.allCases[index + 1])) : PageValue.flag(false),
        ]
        if subject == .pages {
            let text = FileBadge.address("\(list.contents(of: file.id))/preview/text", of: file.digest)
            model["words"] = ["textBase": text, "textSource": "\(text)&page=\(page)"] as PageModel
        }
        return model
    }

    /// Proportions of the first page: each picture has its room before it comes.
    private func proportions(largest: Int) -> PageModel? {
        guard let width = info?.width, let height = info?.height, width > 0, height > 0 else { return nil }
        let scale = Double(largest) / Double(max(width, height))
        func scaled(_ length: Int) -> String { "\(max(Int((Double(length) * scale).rounded()), 1))" }
        return ["across": scaled(width), "down": scaled(height)]
    }

    private func address(page: Int, _ zoom: Zoom? = nil) -> String {
        let fields = [("page", page == 1 ? nil : "\(page)"), zoomField(zoom ?? self.zoom)]
        return list.address(of: .file(file.id), fields) + "#p\(page)"
    }

    private func zoomField(_ zoom: Zoom) -> (name: String, value: String?) {
        ("zoom", zoom == .width ? nil : zoom.rawValue)
    }
}
