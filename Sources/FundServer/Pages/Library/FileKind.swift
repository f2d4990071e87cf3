internal import FundCore

/// The kind of a file, and how a page can show it.
struct FileKind {
    enum Viewer {
        case pdf, picture, audio, video, text
    }

    /// Up to four letters, from the name.
    let badge: String
    /// The class of its colour.
    let hue: String
    /// The viewer of its declared type.
    let viewer: Viewer?
    /// The type that it seems to be, as long as nothing has looked at its bytes.
    let expected: TrueType?
    /// Whether it says that its text is a table, by its name or its declared type.
    let isTable: Bool

    init(_ contentType: String, name: String) {
        let letters = FileNameParts(name).fileExtension.utf8.prefix(5).filter(ASCII.isAlphanumeric)
        badge = letters.isEmpty || letters.count > 4 ? "—" : String(decoding: letters, as: UTF8.self).uppercased()
        hue = "hue\(letters.reduce(0) { $0 &* 31 &+ Int($1 | 0x20) } % 6 + 1)"
        let type = contentType.prefix(while: { $0 != ";" && $0 != " " }).lowercased()
        viewer =
            switch type {
            case "application/pdf": .pdf
            case "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp": .picture
            case "audio/aac", "audio/flac", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/wav", "audio/webm": .audio
            case "video/mp4", "video/ogg", "video/webm": .video
            case "text/plain": .text
            default: nil
            }
        isTable =
            ["CSV", "TSV", "TAB"].contains(badge) || ["text/csv", "text/tab-separated-values"].contains(type)
        expected = viewer == .pdf ? .pdf : TrueType(ending: badge.lowercased())
    }

    /// By what it seems to be: of most files without a known ending nothing can be said.
    var mayHaveThumbnail: Bool { expected.map { ![.text, .archive].contains($0.family) } ?? true }
}

extension FileNameParts {
    /// Longer endings are no extensions to readers.
    private static let maxShownBytes = 8

    /// Parts for a list that may be too narrow: it cuts the stem, and never the extension.
    init(shown name: String) { self.init(name, maxSuffixBytes: Self.maxShownBytes) }
}

extension TrueType {
    private static let otherEndings = [
        "tif": TrueType.tiff, "heif": .heic, "jpg": .jpeg, "htm": .html, "txt": .text, "csv": .text, "tsv": .text,
    ]

    /// By the end of a name in lower case, without its dot.
    fileprivate init?(ending: String) {
        guard let type = Self.otherEndings[ending] ?? TrueType(rawValue: ending) else { return nil }
        self = type
    }
}
