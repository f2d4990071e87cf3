/// A form of a file to show or search it. The raw values are stored.
package enum RenditionKind: String, Sendable, CaseIterable {
    /// A `FileInfo`; there is no file of it.
    case info
    /// A `Verdict`; there is no file of it.
    case verdict = "scan"
    /// Page 1, the picture, or a drawing of the sound, within 480 × 480 pixels, as WebP.
    case thumbnail = "thumb"
    /// One page within 1600 × 1600 pixels, as WebP.
    case page
    /// A picture within 2560 × 2560 pixels, as WebP.
    case large
    /// The first pages of an office document as PDF, from which its pages and thumbnail are made.
    case document
    /// The words, in UTF-8; a form feed ends a page.
    case text
    /// The words of one page that has none but in its picture, in UTF-8, as they were recognised.
    case recognised = "ocr"
    /// The peaks of a sound, see `Waveform`: one byte each.
    case waveform = "peaks"
    /// A `FileFields`, as JSON.
    case fields

    /// Pixels of the longer side of a picture; nil for other kinds.
    package var pixels: Int? {
        switch self {
        case .thumbnail: 480
        case .page: 1600
        case .large: 2560
        case .info, .verdict, .document, .text, .recognised, .waveform, .fields: nil
        }
    }

    /// The kind of pictures of this size; nil where there is none.
    package init?(pixels: Int) {
        guard let kind = Self.allCases.first(where: { $0.pixels == pixels }) else { return nil }
        self = kind
    }
}

/// Names a rendition.
package struct RenditionKey: Sendable, Hashable {
    /// Digest of the file.
    package var content: ContentDigest
    package var kind: RenditionKind
    /// From 1; 1 for what has no pages.
    package var page: Int

    package init(_ content: ContentDigest, _ kind: RenditionKind, page: Int = 1) {
        self.content = content
        self.kind = kind
        self.page = page
    }
}

/// The reason for which a rendition cannot be made. The raw values are stored, and are the codes of the web API.
package enum RenditionFailure: String, Error, Sendable, CaseIterable {
    case encrypted, damaged
    case tooLarge = "too_large"
    case timedOut = "timed_out"
    case tooMuchMemory = "too_much_memory"
    case crashed
    /// This machine has no way to confine converters.
    case noSandbox = "no_sandbox"
    /// The program that makes it is not installed.
    case noTool = "no_tool"
    case quarantined
    /// Files of this type have none of this kind, or the document has no such page.
    case unsupported

    /// Another try may do better: alone, or with more room.
    package var isWorthAnotherTry: Bool { [.crashed, .timedOut, .tooMuchMemory].contains(self) }
}

/// A rendition that is there.
package struct Rendition: Sendable, Hashable {
    package var key: RenditionKey
    /// Digest of its bytes.
    package var digest: ContentDigest
    /// Bytes.
    package var size: Int
    /// Pixels, of a picture.
    package var width: Int?
    package var height: Int?

    package init(_ key: RenditionKey, digest: ContentDigest, size: Int, width: Int? = nil, height: Int? = nil) {
        self.key = key
        self.digest = digest
        self.size = size
        self.width = width
        self.height = height
    }
}
