/// The type of a file by its own bytes, never by its name or by a mail's word. The raw values are stored.
package enum TrueType: String, Sendable, CaseIterable {
    case pdf
    case jpeg, png, gif, tiff, webp, heic, avif, bmp, svg
    case docx, xlsx, pptx, odt, ods, odp
    /// Office files of the format before 2007 (MS-CFB), and RTF.
    case doc, xls, ppt, rtf
    case mp4, quicktime, matroska, avi, mpegVideo = "mpeg"
    case mp3, m4a, flac, wav, ogg, amr
    case text, html, mail = "eml", calendar = "ics", card = "vcf"
    case zip, sevenZip = "7z", tar, gzip
    case unknown

    /// The kind of tool that shows a file.
    package enum Family: String, Sendable, CaseIterable {
        case pdf, picture, vector, office, video, audio, text, archive, unknown
    }

    package var family: Family {
        switch self {
        case .pdf: .pdf
        case .jpeg, .png, .gif, .tiff, .webp, .heic, .avif, .bmp: .picture
        case .svg: .vector
        case .docx, .xlsx, .pptx, .odt, .ods, .odp, .doc, .xls, .ppt, .rtf: .office
        case .mp4, .quicktime, .matroska, .avi, .mpegVideo: .video
        case .mp3, .m4a, .flac, .wav, .ogg, .amr: .audio
        case .text, .html, .mail, .calendar, .card: .text
        case .zip, .sevenZip, .tar, .gzip: .archive
        case .unknown: .unknown
        }
    }
}

/// Type and measures of a file, known before anything is made of it.
package struct FileInfo: Sendable, Hashable {
    package var type: TrueType
    /// Number of pages of a document.
    package var pageCount: Int?
    /// Width of a picture, a video, or a document's first page: pixels, or points.
    package var width: Int?
    package var height: Int?
    /// Duration of audio and video, in milliseconds.
    package var milliseconds: Int64?
    /// Cannot be read without a password.
    package var isEncrypted = false

    package init(_ type: TrueType) { self.type = type }
}
