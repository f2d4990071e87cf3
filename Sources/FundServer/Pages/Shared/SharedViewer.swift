internal import FundHTTP
internal import FundCore

/// How a page without scripts shows a file to a person outside: by pictures, by its words, or by itself.
struct SharedViewer {
    /// Pages on one page.
    private static let sectionPages = 20
    /// Bytes of a text that is shown.
    private static let maxTextBytes = 200_000
    private static let firstPicture = RenditionKind.page.pixels ?? 0

    /// For the template `sharedfile`.
    private(set) var model: PageModel = [:]

    private let file: SharedContent
    private let opened: OpenedLink
    private let call: SharedCall

    init(_ file: SharedContent, _ opened: OpenedLink, _ call: SharedCall) async throws {
        (self.file, self.opened, self.call) = (file, opened, call)
        let kind = FileKind(file.content.contentType, name: file.content.name)
        (model["badge"], model["badgeHue"]) = (kind.badge, kind.hue)
        try await show(kind)
    }

    private var previewed: PreviewedFile { PreviewedFile(file.content, for: opened.owner.id) }
    private var isGiven: Bool { opened.link.purpose == .download }

    private mutating func show(_ kind: FileKind) async throws {
        guard let previews = call.page.parts.previews else { return showItself(kind) }
        let info = try await previews.source.summaries(of: [previewed]).first?.info
        switch (info?.type ?? kind.expected)?.family {
        case .pdf, .office: try await showPages(previews, info)
        case .picture, .vector: showPictures(1...1, count: 1)
        case .video, .audio: showItself(kind)
        case .text, .archive: try await showWords(previews)
        case .unknown, nil: showItself(kind)
        }
    }

    /// The pages of a document that the address asks for.
    private mutating func showPages(_ previews: PreviewResponses, _ known: FileInfo?) async throws {
        let page = try call.page.previewPage(try call.page.query())
        var info = known
        if info?.pageCount == nil {
            // To make a page tells how many there are.
            switch try await previews.picture(.page, page: 1, of: file.content, for: opened.owner.id) {
            case .failed(let failure): return lack(failure)
            case .making, .full: return wait()
            case .ready: info = try await previews.source.summaries(of: [previewed]).first?.info
            }
        }
        let count = info?.pageCount ?? 1
        let first = (min(page, max(count, 1)) - 1) / Self.sectionPages * Self.sectionPages + 1
        showPictures(first...max(first, min(first + Self.sectionPages - 1, count)), count: count)
        let last = first + Self.sectionPages
        if first > 1 { model["earlier"] = "\(file.path)?page=\(first - Self.sectionPages)" }
        if last <= count { model["later"] = "\(file.path)?page=\(last)" }
    }

    private mutating func showPictures(_ pages: ClosedRange<Int>, count: Int) {
        model["leaves"] = pages.map { number in
            [
                "number": "\(number)", "source": "\(file.path)/preview?size=\(Self.firstPicture)&page=\(number)",
                "alternative": count > 1 ? call.words("viewer.page", "\(number)") : file.content.name,
                "isFirst": number == pages.lowerBound,
            ] as PageModel
        }
    }

    private mutating func showWords(_ previews: PreviewResponses) async throws {
        guard !opened.link.isWatermarked else { return lackMark() }
        switch try await previews.text(page: 1, of: file.content, for: opened.owner.id) {
        case .ready(let text):
            let words = String(decoding: text.bytes.prefix(Self.maxTextBytes), as: UTF8.self)
            model["wording"] = words
            model["isCut"] = text.bytes.count > Self.maxTextBytes
        case .making, .full: wait()
        case .failed(let failure): lack(failure)
        }
    }

    /// Where the link is for it, the file as browsers show it.
    private mutating func showItself(_ kind: FileKind) {
        guard isGiven else { return lackMark() }
        let source = "\(file.path)/content?inline=true"
        switch kind.viewer {
        case .audio: model["audio"] = source
        case .video: model["video"] = source
        case .picture: model["picture"] = source
        case .pdf, .text, nil: model["lack"] = call.words("shared.noview")
        }
    }

    /// The page loads itself again.
    private mutating func wait() {
        model["isMaking"] = true
        model["refresh"] = PageCall.refreshSeconds
    }

    private mutating func lack(_ failure: RenditionFailure) {
        model["lack"] = call.words("preview.\(failure.rawValue)")
    }

    private mutating func lackMark() { model["lack"] = call.words("shared.noview") }
}
