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
    /// When it was made.
    public var createdAt: Date
    /// When it was changed last.
    public var modifiedAt: Date
    /// Nil unless it lies in the trash.
    public var deletedAt: Date?
    /// With which it came by mail; nil for an upload.
    public var attachment: AttachmentID?
    /// With which it came; nil for what came otherwise.
    public var email: EmailID?
    /// Its owner marked it.
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
    /// How far it is.
    public enum State: String, Sendable, Hashable, Codable { case making, ready, failed }

    /// State of the thumbnail.
    public var state: State
    /// A path on the server: with `&size=` and `&page=` behind it, of other pictures.
    public var url: String
    /// Width of the thumbnail in pixels; nil while that is not known.
    public var width: Int?
    /// In pixels, the same way.
    public var height: Int?
    /// Number of pages of a document.
    public var pages: Int?
}
