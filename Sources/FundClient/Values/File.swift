public import Foundation

/// A file of a fund, without its bytes.
public struct File: Sendable, Hashable, Codable, Identifiable {
    /// Id on the server; never reused.
    public var id: FileID
    /// Fund in which it lies.
    public var fund: FundID
    /// The folder in which it lies; nil at the top of the fund.
    public var folder: FolderID?
    /// Name in its folder.
    public var name: String
    /// Size in bytes.
    public var size: Int64
    /// A media type (RFC 6838).
    public var contentType: String
    /// SHA-256 of the bytes.
    public var digest: Digest
    /// Time of creation.
    public var createdAt: Date
    /// Time of the last change.
    public var modifiedAt: Date
    /// Nil unless it lies in the trash.
    public var deletedAt: Date?
    /// Id of the attachment as which it came; nil for an upload.
    public var attachment: AttachmentID?
    /// Id of the email with which it came; nil where it came otherwise.
    public var email: EmailID?
    /// Whether its owner marked it as a favourite.
    public var isFavourite: Bool
    /// Nil where the server makes none.
    public var preview: Preview?

    enum CodingKeys: String, CodingKey {
        case id, fund, folder, name, size, contentType, createdAt, modifiedAt, deletedAt, attachment, email
        case isFavourite, preview
        case digest = "sha256"
    }
}

/// Pictures of a file, as far as the server has them.
public struct Preview: Sendable, Hashable, Codable {
    /// Progress of the preview.
    public enum State: String, Sendable, Hashable, Codable { case making, ready, failed }

    /// State of the thumbnail.
    public var state: State
    /// A path on the server: with `&size=` and `&page=` behind it, of other pictures.
    public var url: String
    /// Width of the thumbnail in pixels; nil while that is not known.
    public var width: Int?
    /// Height of the thumbnail in pixels; nil while that is not known.
    public var height: Int?
    /// Number of pages of a document.
    public var pages: Int?
}
