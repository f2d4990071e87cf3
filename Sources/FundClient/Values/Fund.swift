public import Foundation

/// A fund: a named place with folders, files, mail and notes, which belongs to one user.
public struct Fund: Sendable, Hashable, Codable, Identifiable {
    /// By which the server knows it.
    public var id: FundID
    /// As people named it.
    public var name: String
    /// Other names by which mail finds it.
    public var aliases: [String]
    /// When it was made.
    public var createdAt: Date
    /// When it was changed last.
    public var modifiedAt: Date
    /// Nil unless it lies in the trash.
    public var deletedAt: Date?
    /// Its owner marked it.
    public var isFavourite: Bool
    /// Out of sight since `deletedAt`; never removed for good by itself.
    public var isArchived: Bool
}
