/// The wanted files of a place. All conditions must hold.
package struct FileFilter: Sendable, Hashable {
    /// Kinds of files, by the extensions of their names: what the mark before a name shows.
    package enum Kind: String, Sendable, CaseIterable {
        case pdf
        case document
        case sheet
        case slides
        case picture
        /// Sound and video.
        case media
        case archive
        /// Files of no other kind, and those without an extension.
        case other
    }

    /// Nil means all.
    package var kind: Kind?
    /// Part of a sender's address, without regard to case: files that came with emails from there.
    package var sender: String?
    /// `since <= modifiedAt < until`.
    package var since: Timestamp?
    package var until: Timestamp?

    package init() {}

    /// True when every file is wanted.
    package var isEmpty: Bool { self == FileFilter() }
}

extension FileFilter.Kind {
    /// Extensions in lower case, without their dots; none for `other`.
    package var extensions: [String] {
        switch self {
        case .pdf: ["pdf"]
        case .document: ["doc", "docx", "odt", "rtf", "txt", "md", "pages", "htm", "html"]
        case .sheet: ["xls", "xlsx", "xlsm", "xlsb", "ods", "csv", "tsv", "numbers"]
        case .slides: ["ppt", "pptx", "odp", "key"]
        case .picture: ["png", "jpg", "jpeg", "gif", "webp", "heic", "heif", "avif", "bmp", "tif", "tiff", "svg"]
        case .media: ["mp3", "m4a", "aac", "wav", "ogg", "flac", "mp4", "m4v", "mov", "webm", "avi", "mkv"]
        case .archive: ["zip", "7z", "rar", "gz", "tar", "tgz"]
        case .other: []
        }
    }
}
