public import Foundation

/// A fund: a named place with folders, files, mail and notes, which belongs to one user.
public struct Fund: Sendable, Hashable, Codable, Identifiable {
    public var id: FundID
    public var name: String
    /// Other names by which mail finds it.
    public var aliases: [String]
    public var createdAt: Date
    public var modifiedAt: Date
    /// Nil unless it lies in the trash.
    public var deletedAt: Date?
    public var isFavourite: Bool
    /// Out of sight since `deletedAt`; never removed for good by itself.
    public var isArchived: Bool
}
