public import Foundation

/// A file of a fund, without its bytes.
public struct File: Sendable, Hashable, Codable, Identifiable {
    /// By which the server knows it.
    public var id: FileID
    /// In which it lies.
    public var fund: FundID
    /// The folder in which it lies; nil at the top of the fund.
    public var folder: FolderID?
    /// As people named it.
    public var name: String
    /// Of its bytes.
    public var size: Int64
    /// A media type (RFC 6838).
    public var contentType: String
    /// Of its bytes.
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

/// What is there of pictures of a file.
public struct Preview: Sendable, Hashable, Codable {
    /// How far it is.
    public enum State: String, Sendable, Hashable, Codable { case making, ready, failed }

    /// Of the thumbnail.
    public var state: State
    /// A path on the server: with `&size=` and `&page=` behind it, of other pictures.
    public var url: String
    /// Of the thumbnail in pixels; nil while that is not known.
    public var width: Int?
    /// In pixels, the same way.
    public var height: Int?
    /// Of a document.
    public var pages: Int?
}
