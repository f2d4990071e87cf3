public import Foundation

/// A fund: a named place with folders, files, mail and notes, which belongs to one user.
public struct Fund: Sendable, Hashable, Codable, Identifiable {
    /// Id on the server.
    public var id: FundID
    /// Name, as people wrote it.
    public var name: String
    /// Other names by which mail finds it, those among them that it had before.
    public var aliases: [String]
    /// Time of creation.
    public var createdAt: Date
    /// Time of the last change.
    public var modifiedAt: Date
    /// Nil unless it lies in the trash.
    public var deletedAt: Date?
    /// Whether its owner marked it as a favourite.
    public var isFavourite: Bool
    /// Out of sight since `deletedAt`; never removed for good by itself.
    public var isArchived: Bool
    /// Name of the fund that mail with this name found until now, since it was called so before; set by the call that
    /// made or renamed this fund, and nil otherwise.
    public var tookNameFrom: String?
}
